package planrun

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/revision"
	"rung/sources/files"
	"rung/test/changing"
	"rung/test/given"
	"rung/test/wait"
)

// firstNote is what a preview says first.
func (p *planWorld) firstNote(m change.Mutation) string {
	p.t.Helper()
	pre, err := p.g.Preview(p.t.Context(), p.Current(), m)
	if err != nil || pre.Blocked != "" || len(pre.Notes) == 0 {
		p.t.Fatalf("%+v: %v %+v", m, err, pre)
	}
	return pre.Notes[0]
}

// Whoever changes what a stopped plan moves is told first what that does to the plan; the
// plan then says what stands in its way and how to get out; and the undo of the change is
// such a way.
func TestChangeInTheWayOfAPlan(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	p.change(changing.Move("a", 0)) // before the plan
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt("a 0, b 2, c 30")
	if got := p.firstNote(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("b", 2, "tenant=green", "in deny tenant=red"))}); got !=
		"a plan is running, 0 of 3 done: its step 2 moves b; after this change it stops there, and can be continued" {
		t.Error(got)
	}
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))

	const never = "; after this change it can be neither continued nor rolled back"
	for _, c := range []struct {
		name string
		m    change.Mutation
		want string
	}{
		{"moved", changing.Move("b", 25), "a plan stopped at 1 of 3: its step 2 moves b" + never},
		{"edited", change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("b", 25, "tenant=green", "in allow tenant=green"))}, "a plan stopped at 1 of 3: its step 2 moves b" + never},
		{"deleted", change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("a")}, "a plan stopped at 1 of 3: its step 3 moves a" + never},
		{"new in between", change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("x", 2, "tenant=green", "in allow tenant=green"))},
			"a plan stopped at 1 of 3: its step 2, b 2 → 20, passes x; after this change it cannot be continued"},
		{"out of its way", change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("x", 60, "tenant=green", "in allow tenant=green"))}, "no other policy at 60"},
	} {
		if got := p.firstNote(c.m); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	// What came before the plan has to wait.
	if pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo}); err != nil || !strings.HasPrefix(pre.Blocked, "a plan stopped at 1 of 3:") {
		t.Errorf("undo of what came before: %v %q", err, pre.Blocked)
	}

	p.change(changing.Move("b", 25))
	p.r.Refresh()
	const out = "b is at 25, the plan expects 2: move b back to 2, or end the plan here (x, rung plan --keep)"
	if s := p.planState(); s.Stuck != out || s.Why != out {
		t.Errorf("%q %q", s.Why, s.Stuck)
	}
	for _, back := range []bool{false, true} {
		if pre, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(back)); err != nil || pre.Blocked != out {
			t.Errorf("%v %q", err, pre.Blocked)
		}
	}
	if got := p.firstNote(change.Mutation{Op: change.OpUndo}); got != "a plan stopped at 1 of 3: after this change it can be continued or rolled back again" {
		t.Error(got)
	}
	p.change(change.Mutation{Op: change.OpUndo})
	if p.at() != "a 0, b 2, c 30" || p.g.RedoTitle() != "Move ANP b from 2 to 25" {
		t.Errorf("%s, redo %q", p.at(), p.g.RedoTitle())
	}
	if got := p.firstNote(change.Mutation{Op: change.OpRedo}); !strings.HasSuffix(got, never) {
		t.Error(got)
	}

	// A policy in between keeps it from one way only.
	p.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("x", 2, "tenant=green", "in allow tenant=green"))})
	if pre, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(false)); err != nil || pre.Blocked !=
		"step 2, b 2 → 20: x is new at 2, in the way: move x away, roll back, or end the plan here (x, rung plan --keep)" {
		t.Errorf("%v %q", err, pre.Blocked)
	}
	p.change(change.Mutation{Op: change.OpUndo})
	stop := p.Follow("worker", "control")
	defer stop()
	if err := p.back(); err != nil {
		t.Fatal(err)
	}
	p.until("rolled back", inState(revision.PlanDone))
	// A plan that was rolled back leaves nothing to undo, and the undo says what it is about.
	pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo})
	if err != nil || pre.Title != "Undo: Move ANP a from 1 to 0" || len(pre.Notes) < 2 || !strings.HasPrefix(pre.Notes[0], "undoes the change of 20") ||
		pre.Notes[1] != `"Re-space: step 10, starting at 10" was rolled back and left nothing to undo: this is the change before it` {
		t.Errorf("%v %+v", err, pre)
	}
	// A change that was made since is not the one before it.
	p.change(changing.Move("a", 5))
	if pre, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo}); err != nil || len(pre.Notes) < 2 || strings.Contains(pre.Notes[1], "rolled back") {
		t.Errorf("%v %+v", err, pre)
	}
}

// What a change means for a plan may take long to work out, as a cluster is compiled for
// it: the plan is not kept from going on meanwhile.
func TestMeetsHoldsNoPlanUp(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	pre, err := p.g.Preview(t.Context(), p.Current(), changing.Move("b", 25))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	p.r.PlanConsequences(p.Current(), func() *revision.Revision {
		asked++
		if !p.r.mu.TryLock() {
			t.Error("the plan is locked")
			return p.Current()
		}
		p.r.mu.Unlock()
		return p.Current()
	}, pre)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// A preview from before a plan began is looked at again once the change stands in its way,
// though no policy has moved since: also where another Rung began it, and this one has
// not seen it yet.
func TestPreviewFromBeforeThePlan(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	look := func() *gate.Preview {
		pre, err := p.g.Preview(t.Context(), p.Current(), changing.Move("b", 25))
		if err != nil || pre.Blocked != "" {
			t.Fatalf("%v %+v", err, pre)
		}
		return pre
	}
	refused := func(pre *gate.Preview) {
		t.Helper()
		var stale *gate.StaleError
		if _, err := p.g.Commit(t.Context(), pre, agreed); !errors.As(err, &stale) || stale.Preview == nil || len(stale.Preview.Notes) == 0 {
			t.Fatalf("%v, and the policies are at %s", err, p.at())
		}
		if got := stale.Preview.Notes[0]; got != "a plan stopped at 0 of 3: its step 2 moves b; after this change it can be neither continued nor rolled back" {
			t.Error(got)
		}
	}
	pre := look()
	p.g.Config.Writer = changing.Writing(func(context.Context, []change.ObjectChange) error { return errors.New("disk full") })
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.until("stopped", inState(revision.PlanStopped))
	p.wg.Wait()
	p.g.Config.Writer = p.World
	refused(pre)

	text, err := os.ReadFile(p.r.work.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.r.work.Path); err != nil {
		t.Fatal(err)
	}
	p.r.Refresh()
	pre = look()
	if err := files.ReplaceFile(files.OS, p.r.work.Path, text); err != nil {
		t.Fatal(err)
	}
	refused(pre)
}

// A step that something else takes back is not waited for: the plan stops and says so.
func TestStepIsTakenBack(t *testing.T) {
	for _, c := range []struct {
		name string
		back func(p *planWorld)
		want string
	}{
		{"put back", func(p *planWorld) { p.Edit(given.ANP("c", 3, "tenant=red", "in allow tenant=red")) }, "step 1: c was reset to 3 by something else"},
		{"put elsewhere", func(p *planWorld) { p.Edit(given.ANP("c", 33, "tenant=red", "in allow tenant=red")) }, "c is at 33, the plan expects 30: move c back to 30, or "},
		{"deleted", func(p *planWorld) { p.Edit("", given.ANPKey("c")) }, "c is gone, the plan expects 30: restore c at 30, or "},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer wait.NoLeaks(t)
			p := newPlanWorld(t, t.TempDir(), tenants...)
			defer func() { p.cancel(); p.wg.Wait() }()
			if err := p.begin(p.respace(), agreed); err != nil {
				t.Fatal(err)
			}
			p.untilAt(firstMade)
			p.until("the step is waited for", func(s revision.PlanState) bool { return len(s.Waits) > 0 })
			c.back(p)
			s := p.until("stopped", inState(revision.PlanStopped))
			if !strings.HasPrefix(s.Why, c.want) || s.Done != 0 {
				t.Error(brief(s))
			}
			if c.name != "put back" {
				return
			}
			stop := p.Follow("worker", "control")
			defer stop()
			if err := p.resume(); err != nil {
				t.Fatal(err)
			}
			p.until("done", inState(revision.PlanDone))
		})
	}
}

// A source that never shows the step took it back before anybody saw it.
func TestStepNeverShows(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	p.r.patience = 20 * time.Millisecond
	p.g.Config.Writer = changing.Writing(func(context.Context, []change.ObjectChange) error { return nil })
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	if s := p.until("stopped", inState(revision.PlanStopped)); s.Why != "step 1: c was reset to 3 by something else" {
		t.Error(brief(s))
	}
}

// Who stops a plan while a step fails is told that it failed.
func TestStopTellsWhatFailed(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	p.g.Config.Writer = changing.Writing(func(context.Context, []change.ObjectChange) error {
		p.r.StopPlan()
		return errors.New("disk full")
	})
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	if s := p.until("stopped", inState(revision.PlanStopped)); !strings.Contains(s.Why, "disk full") {
		t.Error(brief(s))
	}
}

// A plan that cannot be put into the history stays in its file until it can.
func TestPlanIsNotLost(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	path := p.g.Config.History.Path()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	if s := p.until("done", inState(revision.PlanDone)); !s.Unrecorded || !strings.Contains(s.Why, change.ErrNotRecorded.Error()) {
		t.Error(brief(s))
	}
	stop() // from here on no revision is a reason to look again
	if _, err := os.Stat(p.r.work.Path); err != nil || p.g.UndoTitle() != "" {
		t.Errorf("%v, undo %q", err, p.g.UndoTitle())
	}
	if err := p.r.KeepPlan(p.Current()); !errors.Is(err, change.ErrNotRecorded) {
		t.Errorf("kept: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.r.Refresh()
	if s := p.planState(); s.State != revision.PlanDone || s.Unrecorded || p.g.UndoTitle() != "Re-space: step 10, starting at 10" {
		t.Errorf("%s, undo %q", brief(s), p.g.UndoTitle())
	}
	if _, err := os.Stat(p.r.work.Path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A plan that stopped is kept as it is only once that stands in the history: until then it
// can still be continued.
func TestKeepIsNotLost(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	path := p.g.Config.History.Path()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.r.KeepPlan(p.Current()); !errors.Is(err, change.ErrNotRecorded) {
		t.Errorf("kept: %v", err)
	}
	if _, err := os.Stat(p.r.work.Path); err != nil || p.planState().State != revision.PlanStopped || p.g.UndoTitle() != "" {
		t.Errorf("%v %s, undo %q", err, brief(p.planState()), p.g.UndoTitle())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := p.r.KeepPlan(p.Current()); err != nil || p.g.UndoTitle() != "Re-space: step 10, starting at 10 (1 of 3 steps)" {
		t.Errorf("%v, undo %q", err, p.g.UndoTitle())
	}
}

// A file in the place of a plan that is done, and was put there since, says nothing of the
// plan that is done.
func TestDonePlanStaysDone(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	stop := p.Follow("worker", "control")
	defer stop()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(revision.PlanDone))
	if err := files.ReplaceFile(files.OS, p.r.work.Path, []byte(`{"progress": {"version": 2}}`)); err != nil {
		t.Fatal(err)
	}
	p.r.Refresh()
	if s := p.planState(); s.State != revision.PlanDone || s.Done != 3 {
		t.Error(brief(s))
	}
	if _, err := p.r.ReadPlan(); !errors.Is(err, errNoPlan) {
		t.Errorf("%v", err)
	}
}

// A process that ended between the history and the plan's file leaves no plan to continue:
// the rest of it would come into no history.
func TestKeptPlanIsNotContinued(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.r.recordHistory(p.r.job); err != nil {
		t.Fatal(err)
	}
	p.kill()
	if st, err := p.r.ReadPlan(); err != nil || st != nil {
		t.Errorf("%v %+v", err, st)
	}
	if len(p.g.Config.History.Entries()) != 1 {
		t.Errorf("%q", changing.Titles(p.g.Config.History))
	}
}

// A look at the plan's lock, here or in another process, is no other Rung that runs it.
func TestLookIsNoRunner(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	p.r.job.Runner = &planRunner{PID: 4711}
	if err := p.r.storeProgress(p.r.job); err != nil {
		t.Fatal(err)
	}
	p.kill()
	f, err := files.TryLocked(files.OS, p.r.work.Path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	p.r.work.LookTime = wait.Patience
	closed := time.AfterFunc(5*time.Millisecond, func() { _ = f.Close() })
	defer closed.Stop()
	if st, err := p.r.ReadPlan(); err != nil || st.State != revision.PlanStopped || st.Why != interrupted {
		t.Errorf("somebody looks: %v %+v", err, st)
	}
	job, err := p.r.takePlan()
	if err != nil || job == nil {
		t.Fatal(err)
	}
	if st, err := p.r.ReadPlan(); err != nil || st.State != revision.PlanStopped {
		t.Errorf("it is held here: %v %+v", err, st)
	}
	p.r.work.ReleaseLock()
	p.r.work.LookTime = 0
	// Who holds it longer, but has not written that it runs it, is no dead one, either.
	longer, err := files.TryLocked(files.OS, p.r.work.Path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = longer.Close() }()
	if st, err := p.r.ReadPlan(); err != nil || st.RunsElsewhere() && st.Runner.PID != 4711 {
		t.Errorf("held: %v %+v", err, st)
	}
}

// What this Rung could not write down is written down by another that goes on with it.
func TestOtherHasWrittenItDown(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	p.r.mu.Lock()
	p.r.unrecorded = true
	p.r.job.Runner = &planRunner{PID: 4711}
	err := p.r.storeProgress(p.r.job)
	p.r.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	f, err := files.TryLocked(files.OS, p.r.work.Path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if st, err := p.r.ReadPlan(); err != nil || !st.RunsElsewhere() || st.Unrecorded {
		t.Errorf("%v %+v", err, st)
	}
}

// Only what is no plan is put aside, and replaces nothing that was.
func TestUnreadablePlans(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	// A file that cannot be read now may be readable in a moment.
	if err := os.MkdirAll(p.r.work.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.begin(p.respace(), agreed); err == nil || !strings.Contains(err.Error(), "reading the stored plan") {
		t.Errorf("%v", err)
	}
	if info, err := os.Stat(p.r.work.Path); err != nil || !info.IsDir() {
		t.Fatalf("%v", err)
	}
	if err := os.Remove(p.r.work.Path); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := files.ReplaceFile(files.OS, p.r.work.Path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.r.work.RenameUnreadable(false); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{".unreadable-1": "one", ".unreadable-2": "two"} {
		if text, err := os.ReadFile(p.r.work.Path + name); err != nil || string(text) != want {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
}

// A plan that is not started any more, as Rung ends, can be continued at the next start.
func TestPlanIsNotStarted(t *testing.T) {
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer p.cancel()
	p.r.cfg.Run = func(func()) bool { return false }
	if err := p.begin(p.respace(), agreed); !errors.Is(err, ErrPlan) {
		t.Errorf("%v", err)
	}
	if s := p.planState(); s.State != revision.PlanStopped || s.Why != interrupted {
		t.Error(brief(s))
	}
	if err := p.r.work.TakeLock(0); err != nil {
		t.Errorf("its lock is left: %v", err)
	}
}

// A policy that is new where the plan passes, whichever way it goes, keeps a stopped plan
// where it is as one does that was moved: the plan says so, and not that it can go on.
func TestNewPolicyInBothWays(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt("a 1, b 2, c 30")
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))
	p.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("x", 10, "tenant=green", "in allow tenant=green"))})
	p.r.Refresh()
	const want = "x is new at 10, in the way: move x away, or end the plan here (x, rung plan --keep)"
	if got := p.planState().Stuck; got != want {
		t.Errorf("it says %q", got)
	}
	p.change(change.Mutation{Op: change.OpUndo})
	p.r.Refresh()
	if got := p.planState().Stuck; got != "" {
		t.Errorf("with x away it says %q", got)
	}
}

// A plan that is stopped while a step is being written stops after that step.
func TestPlanStopsAfterItsStep(t *testing.T) {
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer p.kill()
	began, let := make(chan struct{}), make(chan struct{})
	p.g.Config.Writer = changing.Writing(func(ctx context.Context, changes []change.ObjectChange) error {
		close(began)
		<-let
		if err := ctx.Err(); err != nil {
			return err // the request was given up, whatever became of it
		}
		return p.Write(ctx, changes)
	})
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	<-began
	p.r.StopPlan()
	close(let)
	s := p.until("stopped", inState(revision.PlanStopped))
	if brief(s) != "stopped 0/3 …·· next b 2 → 20: interrupted" || p.at() != firstMade {
		t.Errorf("%s, %s", brief(s), p.at())
	}
	if r := changing.ReadAudit(t, p.dir); len(r) != 1 || r[0].Result != history.OK {
		t.Errorf("%+v", r)
	}
}
