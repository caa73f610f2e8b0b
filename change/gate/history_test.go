package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/test/given"
)

func entry(title string, size int) HistoryEntry {
	return HistoryEntry{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Title: title, By: "cli",
		Objects: []HistoryObject{{Key: given.ANPKey("a"), Before: strings.Repeat("x", size)}}}
}

func push(t *testing.T, h *History, e HistoryEntry) uint64 {
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
	h, err := OpenHistory(nil, dir, "prod eu/1")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistorySurvives(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	one := push(t, h, entry("one", 1))
	two := push(t, h, entry("two", 1))
	u := entry("Undo: two", 1)
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
	if e, ok := again.Find(0); !ok || e.ID != one {
		t.Errorf("next to undo: %v %v", e, ok)
	}
	r := entry("Redo: two", 1)
	r.Undoes = undo
	push(t, again, r)
	if e, ok := again.Find(0); !ok || e.ID != two {
		t.Errorf("next to undo after the redo: %+v", e)
	}
	// Another process wrote meanwhile: its entries are seen, numbers stay apart.
	four := push(t, h, entry("four", 1))
	if e, _ := h.Find(two); e.Undone || four != 5 {
		t.Errorf("%v, number %d", titles(h), four)
	}
	if _, ok := h.Find(99); ok {
		t.Error("an entry that never was")
	}
	// Contexts do not share.
	other, err := OpenHistory(nil, dir, "prod-eu-1")
	if err != nil || len(other.Entries()) != 0 {
		t.Errorf("%v %v", titles(other), err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	for i := range 3 * historyEntries {
		push(t, h, entry(fmt.Sprint(i), 10))
	}
	if got := h.Entries(); len(got) != historyEntries || got[0].Title != "599" {
		t.Errorf("%d entries, the newest %q", len(got), got[0].Title)
	}
	for i := range 20 {
		push(t, h, entry(fmt.Sprint("large ", i), 1<<20))
	}
	if got := h.Entries(); len(got) != historyBytes>>20 || got[0].Title != "large 19" {
		t.Errorf("%d entries, the newest %q", len(got), got[0].Title)
	}
	push(t, h, entry("huge", 2*historyBytes))
	if got := titles(h); len(got) != 1 {
		t.Errorf("%v", got)
	}
	st, err := os.Stat(h.path)
	if err != nil || st.Size() > 4*historyBytes+1<<20 || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st, err)
	}
	if got := titles(reopen(t, dir)); len(got) != 1 || got[0] != "huge" {
		t.Errorf("%v", got)
	}
}

func TestHistoryOfBadLines(t *testing.T) {
	dir := t.TempDir()
	h := reopen(t, dir)
	push(t, h, entry("one", 1))
	raw, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	bad := string(raw) + "{}\nnonsense\n\n{\"entry\":{\"ID\":0}}\n\x00\xff\n" + `{"entry":{"ID":7,"Title":"seven"}}` + "\n" + `{"entry":{"ID":8,"Ti`
	if err := os.WriteFile(h.path, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	h = reopen(t, dir)
	if diff := cmp.Diff([]string{"seven", "one"}, titles(h)); diff != "" || h.Skipped() != 5 {
		t.Errorf("%d skipped %s", h.Skipped(), diff)
	}
	if id := push(t, h, entry("next", 1)); id != 9 { // 8 was given: its line is torn
		t.Errorf("number %d", id)
	}
	if diff := cmp.Diff([]string{"next", "seven", "one"}, titles(reopen(t, dir))); diff != "" {
		t.Errorf("a torn line took the next one with it: %s", diff)
	}
	if st, err := os.Stat(h.path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v: not made private again", st, err)
	}
}

func TestSlug(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []string{"", "demo", "files:policies/", "files:policies", "../../etc/passwd", "a\x00b", strings.Repeat("x", 300), "größe"} {
		f := slug(s)
		if seen[f] || filepath.Base(f) != f || len(f) > 80 {
			t.Errorf("%q: %q", s, f)
		}
		seen[f] = true
	}
}
