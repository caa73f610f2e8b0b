package planrun

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/test/changing"
	"rung/test/gating"
	"rung/test/given"
	"rung/test/wait"
)

// ran is a world in which a re-spacing was run, whose zones follow until the test ends.
func ran(t *testing.T, policies ...string) *planWorld {
	t.Helper()
	t.Cleanup(func() { wait.NoLeaks(t) })
	p := newPlanWorld(t, t.TempDir(), policies...)
	t.Cleanup(func() { p.cancel(); p.wg.Wait() })
	stop := p.Follow("worker", "control")
	t.Cleanup(stop)
	pl := p.respace()
	pre, err := p.r.PreviewPlan(t.Context(), change.RunPlan(pl))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.r.BeginPlan(t.Context(), pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(revision.PlanDone))
	return p
}

// A plan is one change: one undo takes the whole of it back, step by step in the order
// that never reverses two policies, and one redo makes it again. A kill in the middle
// of either leaves what can be continued.
func TestUndoOfAPlan(t *testing.T) {
	p := ran(t, tenants...)
	const title = "Re-space: step 10, starting at 10"
	if p.g.UndoTitle() != title || p.g.RedoTitle() != "" {
		t.Fatalf("%q %q", p.g.UndoTitle(), p.g.RedoTitle())
	}
	pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo})
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range pre.Steps {
		steps = append(steps, change.StepText(s))
	}
	if diff := cmp.Diff([]string{"a 10 → 1", "b 20 → 2", "c 30 → 3"}, steps); diff != "" || pre.Title != "Undo: "+title || len(pre.Rows) != 3 {
		t.Fatalf("%q %v (-want +got)\n%s", pre.Title, pre.Blocked, diff)
	}
	if _, err := p.g.Commit(t.Context(), pre, gate.Confirm{}); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatal(err)
	}
	res, err := p.g.Commit(t.Context(), pre, agreed)
	if err != nil || !res.Plan {
		t.Fatalf("%+v %v", res, err)
	}
	p.until("undone", inState(revision.PlanDone))
	if p.at() != before {
		t.Error(p.at())
	}
	if diff := cmp.Diff([]string{"Undo: " + title, title + " (undone)"}, changing.Titles(p.g.Config.History)); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
	if p.g.UndoTitle() != "" || p.g.RedoTitle() != title {
		t.Errorf("%q %q", p.g.UndoTitle(), p.g.RedoTitle())
	}
	// Another process makes it again, and is killed on the way.
	p.kill()
	held := make(chan struct{})
	write := p.g.Config.Writer
	p.g.Config.Writer = changing.Writing(func(ctx context.Context, c []change.ObjectChange) error {
		if c[0].Key.Name == "a" {
			<-held
			return errors.New("killed")
		}
		return write.Write(ctx, c)
	})
	if !p.change(change.Mutation{Op: change.OpRedo}).Plan {
		t.Error("the redo of a plan is no plan")
	}
	p.until("two steps", func(s revision.PlanState) bool { return s.Done == 2 && s.Title == "Redo: "+title })
	text, err := os.ReadFile(p.r.work.Path)
	if err != nil {
		t.Fatal(err)
	}
	close(held)
	p.kill()
	if err := os.WriteFile(p.r.work.Path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.r.Load(); err != nil {
		t.Fatal(err)
	}
	if s := p.planState(); s.State != revision.PlanStopped || s.Total != 3 || s.Step != "a 1 → 10" {
		t.Fatal(brief(s))
	}
	// Nothing else is undone meanwhile.
	for _, op := range []change.Op{change.OpUndo, change.OpRedo} {
		blocked, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: op})
		if err != nil || blocked.Blocked != "a plan stopped at 2 of 3: first continue it, roll it back or end it" {
			t.Errorf("%s: %v %q", op, err, blocked.Blocked)
		}
	}
	if err := p.resume(); err != nil {
		t.Fatal(err)
	}
	p.until("redone", inState(revision.PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
	if diff := cmp.Diff([]string{"Redo: " + title, "Undo: " + title + " (undone)", title}, changing.Titles(p.g.Config.History)); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
	// And again.
	p.change(change.Mutation{Op: change.OpUndo})
	p.until("undone again", func(s revision.PlanState) bool {
		return s.State == revision.PlanDone && strings.HasPrefix(s.Title, "Undo: ")
	})
	if p.at() != before {
		t.Error(p.at())
	}
}

// An undo of a plan that is rolled back leaves the plan done.
func TestUndoOfAPlanRolledBack(t *testing.T) {
	p := ran(t, tenants...)
	write := p.g.Config.Writer
	p.g.Config.Writer = changing.Writing(func(ctx context.Context, c []change.ObjectChange) error {
		if c[0].Key.Name == "c" {
			return errors.New("disk full")
		}
		return write.Write(ctx, c)
	})
	p.change(change.Mutation{Op: change.OpUndo})
	s := p.until("stopped", inState(revision.PlanStopped))
	if s.Done != 2 || !strings.Contains(s.Why, "disk full") || p.at() != "a 1, b 2, c 30" {
		t.Fatalf("%s at %s", brief(s), p.at())
	}
	p.g.Config.Writer = write
	if err := p.back(); err != nil {
		t.Fatal(err)
	}
	p.until("rolled back", inState(revision.PlanDone))
	if p.at() != allMade || p.g.UndoTitle() != "Re-space: step 10, starting at 10" || p.g.RedoTitle() != "" || len(p.g.Config.History.Entries()) != 1 {
		t.Errorf("at %s, undo %q, redo %q, %q", p.at(), p.g.UndoTitle(), p.g.RedoTitle(), changing.Titles(p.g.Config.History))
	}
}

// Half a plan that was kept as is is one change too, even where it leaves a tie broken.
func TestUndoOfHalfAPlan(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), given.ANP("a", 1, "tenant=blue", "in allow tenant=blue"),
		given.ANP("b", 1, "tenant=green", "in allow tenant=green"), given.ANP("c", 3, "tenant=red", "in allow tenant=red"))
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"a 1, b 1, c 20", "b 1, a 10, c 20"} {
		p.untilAt(at)
		if strings.HasPrefix(at, "a") {
			p.Zone("worker", "synced", true)
			p.Zone("control", "synced", true)
		}
	}
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))
	if err := p.r.KeepPlan(p.Current()); err != nil {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	p.kill() // the history outlives the process
	const title = "Re-space: step 10, starting at 10 (2 of 3 steps)"
	for _, c := range []struct {
		op   change.Op
		what string
		at   string
	}{{change.OpUndo, "Undo: ", "a 1, b 1, c 3"}, {change.OpRedo, "Redo: ", "b 1, a 10, c 20"}, {change.OpUndo, "Undo: ", "a 1, b 1, c 3"}} {
		pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: c.op})
		if err != nil || pre.Title != c.what+title || len(pre.Steps) != 2 {
			t.Fatalf("%s: %v %+v", c.op, err, pre)
		}
		if _, err := p.g.Commit(t.Context(), pre, agreed); err != nil {
			t.Fatal(err)
		}
		p.until(string(c.op), inState(revision.PlanDone))
		if p.at() != c.at {
			t.Fatalf("%s: at %s, not %s", c.op, p.at(), c.at)
		}
		if err := p.r.KeepPlan(p.Current()); err != nil {
			t.Fatal(err)
		}
	}
}

// The way back of a plan is asked about like any other: guard rails once and before, and
// nothing that came between is passed over.
func TestUndoOfAPlanIsJudged(t *testing.T) {
	p := ran(t, tied...)
	pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo})
	if err != nil || pre.ConfirmName == "" {
		t.Fatalf("%v %+v", err, pre)
	}
	if _, err := p.g.Commit(t.Context(), pre, agreed); !errors.Is(err, change.ErrNotConfirmed) {
		t.Errorf("without the name: %v", err)
	}
	// One that became another between the question and the answer is asked about anew, and
	// the yes to that starts it.
	p.Edit(given.ANP("door", 10, "name=kube-system", "in allow team=ops", "in allow tenant=red"))
	var stale *gate.StaleError
	if _, err := p.g.Commit(t.Context(), pre, gate.Confirm{Yes: true, Name: pre.ConfirmName}); !errors.As(err, &stale) || stale.Preview == nil {
		t.Fatalf("of another policy: %v", err)
	}
	if res, err := p.g.Commit(t.Context(), stale.Preview, gate.Confirm{Yes: true, Name: stale.Preview.ConfirmName}); err != nil || !res.Plan {
		t.Fatalf("looked at again: %v", err)
	}
	p.until("undone", func(s revision.PlanState) bool { return s.State == revision.PlanDone && s.Title == pre.Title })
	p.change(change.Mutation{Op: change.OpRedo})
	p.until("redone", func(s revision.PlanState) bool { return s.State == revision.PlanDone && s.Title != pre.Title })
	for _, c := range []struct {
		name, edit string
		remove     []string
		want       string
	}{
		{"a policy that is not in its way", given.ANP("x", 60, "tenant=red"), nil, ""},
		{"a policy in its way", given.ANP("x", 20, "tenant=red"), nil, "step 1, wall 10 → 40: x is new at 20, in the way"},
		{"one was moved", given.ANP("door", 11, "name=kube-system", "in allow team=ops"), []string{"x"}, "door is at 11, the plan expects 10"},
	} {
		p.Edit(c.edit)
		for _, x := range c.remove {
			p.Apply(nil, []model.Key{given.ANPKey(x)})
		}
		pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo})
		if err != nil || !strings.Contains(pre.Blocked, c.want) || c.want == "" && pre.Blocked != "" {
			t.Errorf("%s: %v %q", c.name, err, pre.Blocked)
		}
	}
	// A history that somebody wrote by hand is no plan.
	e, _ := p.g.Config.History.FindEntry(0)
	bad := *e.Plan
	bad.ID, bad.Plan.Steps = "bad", []plan.Step{{Policy: "door", From: 40, To: 99}}
	if _, err := p.g.Config.History.Push(history.Entry{Title: "bad", Plan: &bad}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo}); !errors.Is(err, change.ErrBlocked) {
		t.Errorf("a plan that is none: %v", err)
	}
}

// Redo makes again what was undone, the last undo first; a new change ends that. The order
// outlives the process.
func TestRedo(t *testing.T) {
	w := gating.NewWorld(t, given.ANP("a", 40, "tenant=a", "in allow tenant=a"))
	dir := t.TempDir()
	g := w.Gate(dir)
	for i, c := range []struct {
		m            change.Mutation
		at           int32
		undo, redo   string
		restartAfter bool
	}{
		{m: changing.Move("a", 41), at: 41, undo: "40 to 41"},
		{m: changing.Move("a", 42), at: 42, undo: "41 to 42"},
		{m: changing.Move("a", 43), at: 43, undo: "42 to 43"},
		{m: change.Mutation{Op: change.OpUndo}, at: 42, undo: "41 to 42", redo: "42 to 43"},
		{m: change.Mutation{Op: change.OpUndo}, at: 41, undo: "40 to 41", redo: "41 to 42", restartAfter: true},
		{m: change.Mutation{Op: change.OpRedo}, at: 42, undo: "41 to 42", redo: "42 to 43", restartAfter: true},
		{m: change.Mutation{Op: change.OpRedo}, at: 43, undo: "42 to 43"},
		{m: change.Mutation{Op: change.OpUndo}, at: 42, undo: "41 to 42", redo: "42 to 43"},
		{m: change.Mutation{Op: change.OpRedo}, at: 43, undo: "42 to 43", restartAfter: true},
		{m: change.Mutation{Op: change.OpUndo}, at: 42, undo: "41 to 42", redo: "42 to 43"},
		{m: changing.Move("a", 50), at: 50, undo: "42 to 50"}, // what was undone is past
		{m: change.Mutation{Op: change.OpUndo}, at: 42, undo: "41 to 42", redo: "42 to 50"},
	} {
		gating.Do(t, w, g, c.m, gating.Yes)
		ends := func(got, want string) bool { return strings.HasSuffix(got, want) && (got == "") == (want == "") }
		if w.Priority("a") != c.at || !ends(g.UndoTitle(), c.undo) || !ends(g.RedoTitle(), c.redo) {
			t.Errorf("%d, %s: at %d, undo %q, redo %q", i, c.m.Op, w.Priority("a"), g.UndoTitle(), g.RedoTitle())
		}
		if c.restartAfter {
			g = w.Gate(dir)
		}
	}
	redo := change.Mutation{Op: change.OpRedo}
	p, err := g.Preview(t.Context(), w.Current(), redo)
	if err != nil || p.Title != "Redo: Move ANP a from 42 to 50" {
		t.Errorf("%v %q", err, p.Title)
	}
	// What was read is what is made, once.
	gating.Do(t, w, g, redo, gating.Yes)
	if _, err := g.Commit(t.Context(), p, gating.Yes); !errors.Is(err, change.ErrStale) {
		t.Errorf("made again twice: %v", err)
	}
	if p, err := g.Preview(t.Context(), w.Current(), redo); err != nil || p.Blocked != "nothing to redo" {
		t.Errorf("%v %q", err, p.Blocked)
	}
	if p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpRedo, Undo: 1}); err != nil || !strings.Contains(p.Blocked, "was not undone") {
		t.Errorf("%v %q", err, p.Blocked)
	}
}
