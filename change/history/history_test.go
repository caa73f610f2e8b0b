package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/sources/files"
	"rung/test/given"
	"rung/test/install"
)

func entryOfSize(title string, size int) Entry {
	return Entry{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Title: title, By: "cli",
		Objects: []Object{{Key: given.ANPKey("a"), Before: strings.Repeat("x", size)}}}
}

func push(t *testing.T, h *History, e Entry) uint64 {
	t.Helper()
	id, err := h.Push(e)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func titles(h *History) (out []string) {
	for _, e := range h.Entries() {
		s := e.Title
		if e.Undone {
			s += " (undone)"
		}
		out = append(out, s)
	}
	return out
}

func reopen(t *testing.T, dir string) *History {
	t.Helper()
	h, err := Open(nil, dir, "prod eu/1")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistorySurvives(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	one := push(t, h, entryOfSize("one", 1))
	two := push(t, h, entryOfSize("two", 1))
	u := entryOfSize("Undo: two", 1)
	u.Undoes = two
	undo := push(t, h, u)
	want := []string{"Undo: two", "two (undone)", "one"}
	if diff := cmp.Diff(want, titles(h)); diff != "" {
		t.Error(diff)
	}
	again := reopen(t, dir)
	if diff := cmp.Diff(h.Entries(), again.Entries()); diff != "" {
		t.Errorf("after a restart (-before +after)\n%s", diff)
	}
	if e, ok := again.FindEntry(0); !ok || e.ID != one {
		t.Errorf("next to undo: %v %v", e, ok)
	}
	r := entryOfSize("Redo: two", 1)
	r.Undoes = undo
	push(t, again, r)
	if e, ok := again.FindEntry(0); !ok || e.ID != two {
		t.Errorf("next to undo after the redo: %+v", e)
	}
	// Another process wrote meanwhile: its entries are seen, numbers stay apart.
	four := push(t, h, entryOfSize("four", 1))
	if e, _ := h.FindEntry(two); e.Undone || four != 5 {
		t.Errorf("%v, number %d", titles(h), four)
	}
	if _, ok := h.FindEntry(99); ok {
		t.Error("an entry that never was")
	}
	// Contexts do not share.
	other, err := Open(nil, dir, "prod-eu-1")
	if err != nil || len(other.Entries()) != 0 {
		t.Errorf("%v %v", titles(other), err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	for i := range 3 * historyEntries {
		push(t, h, entryOfSize(fmt.Sprint(i), 10))
	}
	if got := h.Entries(); len(got) != historyEntries || got[0].Title != "599" {
		t.Errorf("%d entries, the newest %q", len(got), got[0].Title)
	}
	for i := range 20 {
		push(t, h, entryOfSize(fmt.Sprint("large ", i), 1<<20))
	}
	if got := h.Entries(); len(got) != historyBytes>>20 || got[0].Title != "large 19" {
		t.Errorf("%d entries, the newest %q", len(got), got[0].Title)
	}
	push(t, h, entryOfSize("huge", 2*historyBytes))
	if got := titles(h); len(got) != 1 {
		t.Errorf("%v", got)
	}
	st, err := os.Stat(h.file.Path)
	if err != nil || st.Size() > 4*historyBytes+1<<20 || files.OpenToOthers(st) {
		t.Errorf("%v %v", st, err)
	}
	if got := titles(reopen(t, dir)); len(got) != 1 || got[0] != "huge" {
		t.Errorf("%v", got)
	}
}

func TestHistoryOfBadLines(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	push(t, h, entryOfSize("one", 1))
	raw, err := os.ReadFile(h.file.Path)
	if err != nil {
		t.Fatal(err)
	}
	bad := string(raw) + "{}\nnonsense\n\n{\"entry\":{\"ID\":0}}\n\x00\xff\n" + `{"entry":{"ID":7,"Title":"seven"}}` + "\n" + `{"entry":{"ID":8,"Ti`
	if err := os.WriteFile(h.file.Path, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	h = reopen(t, dir)
	if diff := cmp.Diff([]string{"seven", "one"}, titles(h)); diff != "" || h.SkippedLines() != 5 {
		t.Errorf("%d skipped %s", h.SkippedLines(), diff)
	}
	if id := push(t, h, entryOfSize("next", 1)); id != 9 { // 8 was given: its line is torn
		t.Errorf("number %d", id)
	}
	if diff := cmp.Diff([]string{"next", "seven", "one"}, titles(reopen(t, dir))); diff != "" {
		t.Errorf("a torn line took the next one with it: %s", diff)
	}
	if st, err := os.Stat(h.file.Path); err != nil || files.OpenToOthers(st) {
		t.Errorf("%v %v: not made private again", st, err)
	}
}

// Several consoles and command lines share a state folder: no number is given
// twice.
func TestHistoryNumbersAreGivenOnce(t *testing.T) {
	dir := t.TempDir()
	const by, each = 4, 25
	ids := make(chan uint64, by*each)
	var wg sync.WaitGroup
	for range by {
		wg.Go(func() {
			h, err := Open(nil, dir, "prod eu/1")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				id, err := h.Push(entryOfSize(fmt.Sprint(i), 10))
				for errors.Is(err, files.ErrLocked) { // the others were quicker for seconds: a busy disk
					id, err = h.Push(entryOfSize(fmt.Sprint(i), 10))
				}
				if err != nil {
					t.Error(err)
				}
				ids <- id
			}
		})
	}
	wg.Wait()
	close(ids)
	seen := map[uint64]bool{}
	for id := range ids {
		if seen[id] {
			t.Errorf("number %d was given twice", id)
		}
		seen[id] = true
	}
	if h := reopen(t, dir); len(h.Entries()) != by*each {
		t.Errorf("%d entries", len(h.Entries()))
	}
}

// largeHistory writes a history file of some size whose lines line makes.
func largeHistory(t *testing.T, dir string, size int, line func(id int) []byte) (path string, last int) {
	t.Helper()
	h := reopen(t, dir)
	push(t, h, entryOfSize("the first", 1))
	var text bytes.Buffer
	for last = 1; text.Len() < size; {
		last++
		text.Write(line(last))
	}
	f, err := os.OpenFile(h.file.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return h.file.Path, last
}

func historyText(t *testing.T, id, size int) []byte {
	t.Helper()
	e := entryOfSize(fmt.Sprint("change ", id), size)
	e.ID = uint64(id)
	b, err := json.Marshal(historyLine{Entry: &e})
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// It is the newest changes of a large file that are kept.
func TestHistoryOfALargeFile(t *testing.T) {
	dir := t.TempDir()
	_, last := largeHistory(t, dir, 70<<20, func(id int) []byte { return historyText(t, id, 300_000) })
	h := reopen(t, dir)
	if e, ok := h.FindEntry(0); !ok || e.Title != fmt.Sprint("change ", last) {
		t.Errorf("the newest is %q, want change %d", e.Title, last)
	}
	if n := len(h.Entries()); n != historyBytes/300_000 {
		t.Errorf("%d entries", n)
	}
	if id := push(t, h, entryOfSize("next", 1)); id != uint64(last+1) {
		t.Errorf("number %d after %d", id, last)
	}
}

// A file of 100 MB opens in half a second, whatever is in it.
func TestTimingLargeHistory(t *testing.T) {
	slack := install.Timing(t)
	for name, line := range map[string]func(id int) []byte{
		"small changes": func(id int) []byte { return historyText(t, id, 100) },
		"large changes": func(id int) []byte { return historyText(t, id, 1<<20) },
		"broken lines":  func(id int) []byte { return append(historyText(t, id, 10_000)[:10_000], '\n') },
		"one line":      func(int) []byte { return bytes.Repeat([]byte{'x'}, 1<<20) },
	} {
		dir := t.TempDir()
		largeHistory(t, dir, 100<<20, line)
		start := time.Now()
		h := reopen(t, dir)
		took := time.Since(start)
		t.Logf("%s: %d entries, %d unreadable, in %v", name, len(h.Entries()), h.SkippedLines(), took)
		if took > time.Duration(slack)*500*time.Millisecond {
			t.Errorf("%s: opening the history took %v", name, took)
		}
	}
}

// Lines that cannot be read are counted, and stay when the file is written anew.
func TestUnreadableLinesAreKept(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	push(t, h, entryOfSize("one", 1))
	f, err := os.OpenFile(h.file.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("mine alone\nnonsense\n{\"entry\":{\"ID\":77,\"At\":\n" + strings.Repeat(" ", 2<<20) + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	h = reopen(t, dir)
	if h.SkippedLines() != 3 {
		t.Errorf("%d lines unreadable", h.SkippedLines())
	}
	endless := t.TempDir()
	largeHistory(t, endless, historyRead+1, func(int) []byte { return bytes.Repeat([]byte{'x'}, 1<<20) })
	if h := reopen(t, endless); h.SkippedLines() != 1 {
		t.Errorf("a line that does not end: %d unreadable", h.SkippedLines())
	}
	if id := push(t, h, entryOfSize("next", 1)); id != 78 { // and writes the file anew
		t.Errorf("number %d, and 77 was given", id)
	}
	again := reopen(t, dir)
	if diff := cmp.Diff([]string{"next", "one"}, titles(again)); diff != "" || again.SkippedLines() != 0 {
		t.Errorf("%d skipped %s", again.SkippedLines(), diff)
	}
	kept, err := os.ReadFile(h.file.Path + ".unreadable-1")
	if err != nil || !strings.Contains(string(kept), "mine alone\nnonsense\n") {
		t.Errorf("what could not be read is gone: %v", err)
	}
}
