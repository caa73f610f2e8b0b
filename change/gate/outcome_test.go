package gate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/history"
	"rung/model"
	"rung/test/changing"
	"rung/test/given"
)

// The line of a change says when it began, and what stands in it before the outcome is
// not written again: should that be torn off, the line still tells which change it was.
func TestAuditKeepsItsLine(t *testing.T) {
	w := newWorld(t, given.ANP("a", 40, "tenant=a", "in allow tenant=a"))
	dir := t.TempDir()
	g := w.Gate(dir)
	began := w.Clock()
	var reserved []byte
	g.Config.Writer = changing.Writing(func(ctx context.Context, changes []change.ObjectChange) error {
		var err error
		if reserved, err = os.ReadFile(filepath.Join(dir, "audit.jsonl")); err != nil {
			return err
		}
		w.Mu.Lock()
		w.Now = w.Now.Add(1500 * time.Millisecond)
		w.Mu.Unlock()
		return w.Write(ctx, changes)
	})
	p, err := g.Preview(t.Context(), w.Current(), changing.Move("a", 41))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Commit(t.Context(), p, yes); err != nil {
		t.Fatal(err)
	}
	r := changing.ReadAudit(t, dir)[0]
	if !r.Time.Equal(began) || r.Milliseconds != 1500 || r.Result != history.OK {
		t.Errorf("%s at %s for %d ms, want %s", r.Result, r.Time, r.Milliseconds, began)
	}
	now, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kept, _, ok := bytes.Cut(reserved, []byte(`"result":`))
	if !ok || !bytes.HasPrefix(now, kept) {
		t.Errorf("reserved as\n%s\nand now\n%s", kept, now)
	}
}

// What was just made and decides nothing is undone with a plain yes; later, the name is to be typed.
func TestFreshUndoNeedsNoName(t *testing.T) {
	w := newWorld(t, given.ANP("wall", 10, "tenant=blue", "in deny *"))
	g := w.Gate(t.TempDir())
	do(t, w, g, changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops")), yes)
	for _, c := range []struct {
		later time.Duration
		want  string
	}{{time.Second, ""}, {3 * time.Minute, "door"}} {
		w.Mu.Lock()
		w.Now = w.Now.Add(c.later)
		w.Mu.Unlock()
		p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpUndo})
		if err != nil || p.Blocked != "" || p.ConfirmName != c.want {
			t.Errorf("after %s: %v, blocked %q, asks for %q, want %q", c.later, err, p.Blocked, p.ConfirmName, c.want)
		}
	}
}

// To undo the undo of a deletion deletes what is old: that needs the name, however fresh.
func TestUndoOfAFreshUndoNeedsTheName(t *testing.T) {
	w := newWorld(t, given.ANP("wall", 10, "tenant=blue", "in deny *"), given.ANP("door", 40, "tenant=blue", "in allow team=ops"))
	g := w.Gate(t.TempDir())
	do(t, w, g, change.Mutation{Op: change.OpDelete, Policy: model.Key{Kind: model.KindANP, Name: "door"}}, Confirm{Yes: true, By: "cli", Name: "door"})
	undo := do(t, w, g, change.Mutation{Op: change.OpUndo}, yes)
	p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpUndo, Undo: undo.Undo})
	if err != nil || p.Blocked != "" || p.ConfirmName != "door" {
		t.Errorf("%v, %q asks for %q", err, p.Title, p.ConfirmName)
	}
}

// An undo can be taken back, and that too: the change is undone again then, and the
// one before it is next.
func TestUndoOfRedo(t *testing.T) {
	w := newWorld(t, given.ANP("a", 40, "tenant=a", "in allow tenant=a"))
	dir := t.TempDir()
	g := w.Gate(dir)
	do := func(m change.Mutation) uint64 {
		t.Helper()
		p, err := g.Preview(t.Context(), w.Current(), m)
		if err != nil || p.Blocked != "" {
			t.Fatalf("%v %+v", err, p)
		}
		res, err := g.Commit(t.Context(), p, yes)
		if err != nil {
			t.Fatal(err)
		}
		return res.Undo
	}
	do(changing.Move("a", 41))
	do(changing.Move("a", 42))
	undo := do(change.Mutation{Op: change.OpUndo})
	redo := do(change.Mutation{Op: change.OpUndo, Undo: undo})
	do(change.Mutation{Op: change.OpUndo, Undo: redo})
	want := []string{"Undo: Move ANP a from 41 to 42", "Redo: Move ANP a from 41 to 42 (undone)", "Undo: Move ANP a from 41 to 42",
		"Move ANP a from 41 to 42 (undone)", "Move ANP a from 40 to 41"}
	if diff := cmp.Diff(want, changing.Titles(g.Config.History)); diff != "" || w.Priority("a") != 41 {
		t.Errorf("at %d (-want +got)\n%s", w.Priority("a"), diff)
	}
	again, err := history.Open(nil, dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, changing.Titles(again)); diff != "" {
		t.Errorf("after a restart (-want +got)\n%s", diff)
	}
	do(change.Mutation{Op: change.OpUndo})
	if w.Priority("a") != 40 {
		t.Errorf("undo leaves it at %d", w.Priority("a"))
	}
}
