package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/test/faultfs"
	"rung/test/given"
	"rung/test/install"
)

// A torn last line, of a process that was killed, must not take the next record
// with it.
func TestAuditAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"title":"whole","result":"ok"}`+"\n"+`{"title":"to`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewAudit(nil, dir).Write(AuditRecord{Title: "next"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range auditLines(t, path) {
		got = append(got, r.Title)
	}
	if s := strings.Join(got, ","); s != "whole,next" {
		t.Errorf("read back: %s", s)
	}
}

// auditLines are the records of an audit file that can be read.
func auditLines(t testing.TB, path string) (out []AuditRecord) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r AuditRecord
		if json.Unmarshal([]byte(line), &r) == nil {
			out = append(out, r)
		}
	}
	return out
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
			h, err := OpenHistory(nil, dir, "prod eu/1")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				id, err := h.Push(entry(fmt.Sprint(i), 10))
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
	push(t, h, entry("the first", 1))
	var text bytes.Buffer
	for last = 1; text.Len() < size; {
		last++
		text.Write(line(last))
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return h.path, last
}

func historyText(t *testing.T, id, size int) []byte {
	t.Helper()
	e := entry(fmt.Sprint("change ", id), size)
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
	if e, ok := h.Find(0); !ok || e.Title != fmt.Sprint("change ", last) {
		t.Errorf("the newest is %q, want change %d", e.Title, last)
	}
	if n := len(h.Entries()); n != historyBytes/300_000 {
		t.Errorf("%d entries", n)
	}
	if id := push(t, h, entry("next", 1)); id != uint64(last+1) {
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
		t.Logf("%s: %d entries, %d unreadable, in %v", name, len(h.Entries()), h.Skipped(), took)
		if took > time.Duration(slack)*500*time.Millisecond {
			t.Errorf("%s: opening the history took %v", name, took)
		}
	}
}

// Lines that cannot be read are counted, and stay when the file is written anew.
func TestUnreadableLinesAreKept(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	push(t, h, entry("one", 1))
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("mine alone\nnonsense\n{\"entry\":{\"ID\":77,\"At\":\n" + strings.Repeat(" ", 2<<20) + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	h = reopen(t, dir)
	if h.Skipped() != 3 {
		t.Errorf("%d lines unreadable", h.Skipped())
	}
	endless := t.TempDir()
	largeHistory(t, endless, historyRead+1, func(int) []byte { return bytes.Repeat([]byte{'x'}, 1<<20) })
	if h := reopen(t, endless); h.Skipped() != 1 {
		t.Errorf("a line that does not end: %d unreadable", h.Skipped())
	}
	if id := push(t, h, entry("next", 1)); id != 78 { // and writes the file anew
		t.Errorf("number %d, and 77 was given", id)
	}
	again := reopen(t, dir)
	if diff := cmp.Diff([]string{"next", "one"}, titles(again)); diff != "" || again.Skipped() != 0 {
		t.Errorf("%d skipped %s", again.Skipped(), diff)
	}
	kept, err := os.ReadFile(h.path + ".unreadable-1")
	if err != nil || !strings.Contains(string(kept), "mine alone\nnonsense\n") {
		t.Errorf("what could not be read is gone: %v", err)
	}
}

// A change that cannot be audited is not made: not by an audit that can be
// opened and has no room, either.
func TestNoChangeWithoutRoomForItsLine(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("no /dev/full here; TestStateFilesAtRandom has full disks of its own")
		return
	}
	dir := t.TempDir()
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.gate(dir)
	if err := os.Symlink("/dev/full", filepath.Join(dir, "audit.jsonl")); err != nil {
		t.Fatal(err)
	}
	p, err := g.Preview(context.Background(), w.Current(), move("blue", 41))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := g.commit(context.Background(), p, yes); r != nil || err == nil || w.Priority("blue") != 40 {
		t.Errorf("%+v %v, at %d", r, err, w.Priority("blue"))
	}
}

// A change whose outcome cannot be written down was made, which is said; its line
// is there, from before, and says that the outcome is unknown.
func TestOutcomeThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.gate(dir)
	reserved := false
	g.cfg.Audit = NewAudit(&faultfs.FS{Before: func(op faultfs.Op) error {
		if reserved && op.Kind == "write" {
			return faultfs.ErrIO
		}
		reserved = reserved || op.Kind == "sync"
		return nil
	}}, dir)
	p := g.resolve(w.Current(), move("blue", 41))
	r, err := g.commit(context.Background(), p, yes)
	if r == nil || !errors.Is(err, ErrNotRecorded) || w.Priority("blue") != 41 {
		t.Fatalf("%+v %v", r, err)
	}
	lines := auditLines(t, g.cfg.Audit.path)
	if len(lines) != 1 || lines[0].Result != auditUnknown || lines[0].Title != p.Title || lines[0].By != "cli" {
		t.Errorf("%+v", lines)
	}
	// The next one has a line of its own.
	g.cfg.Audit = NewAudit(nil, dir)
	do(t, w, g, move("blue", 42), yes)
	if lines = auditLines(t, g.cfg.Audit.path); len(lines) != 2 || lines[1].Result != auditOK {
		t.Errorf("%+v", lines)
	}
}

// An outcome has room whatever an error says, and when two are under way at once.
func TestReservedLines(t *testing.T) {
	dir := t.TempDir()
	a, b := NewAudit(nil, dir), NewAudit(nil, dir)
	first, err := a.Reserve(AuditRecord{Title: "first"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Reserve(AuditRecord{Title: "second"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{
		func() error {
			return a.Finish(first, AuditRecord{Title: "first", Result: auditFailed, Error: strings.Repeat("é\"\n", 5000)})
		},
		func() error { return b.Finish(second, AuditRecord{Title: "second", Result: auditOK, Undo: 7}) },
		func() error { return a.Write(AuditRecord{Title: "third", Result: auditRefused}) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range auditOf(t, dir) { // every line is JSON
		got = append(got, r.Title+" "+r.Result)
		if r.Result == auditFailed && (len(r.Error) < 2000 || !strings.HasSuffix(r.Error, " …")) {
			t.Errorf("the error: %d bytes", len(r.Error))
		}
	}
	if diff := cmp.Diff([]string{"first failed", "second ok", "third refused"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// The audit is put away between the two: the outcome has a line in the new one.
	third, err := a.Reserve(AuditRecord{Title: "fourth"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a.path, a.path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Finish(third, AuditRecord{Title: "fourth", Result: auditOK}); err != nil {
		t.Fatal(err)
	}
	if lines := auditOf(t, dir); len(lines) != 1 || lines[0].Result != auditOK {
		t.Errorf("%+v", lines)
	}
}
