package planrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/test/changing"
	"rung/test/gating"
	"rung/test/wait"
)

// otherConsole is another process on the state folder of a planWorld, which sees the same
// policies and zones.
type otherConsole struct {
	g  *gate.Gate
	r  *Plans
	mu sync.Mutex
	st *revision.PlanState
}

// another starts one; it ends with the test.
func (p *planWorld) another(t *testing.T) *otherConsole {
	t.Helper()
	q := &otherConsole{g: p.World.Gate(p.dir)}
	current := p.World.Current
	q.g.Config.CurrentRevision = func() *revision.Revision {
		q.mu.Lock()
		defer q.mu.Unlock()
		f := current().Facts
		f.Plan = q.st
		return revision.New(f, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	q.r = New(q.g, Config{Subscribe: p.Subscribe, Dir: p.dir, Context: "test", Ctx: ctx, Run: starts(&wg),
		Publish: func(s *revision.PlanState) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.st = s
		}})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return q
}

// sees is what it shows of the plan.
func (q *otherConsole) sees() revision.PlanState {
	q.r.Refresh()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.st == nil {
		return revision.PlanState{}
	}
	return *q.st
}

func (q *otherConsole) until(t *testing.T, what string, holds func(revision.PlanState) bool) {
	t.Helper()
	for end := time.Now().Add(wait.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if holds(q.sees()) {
			return
		}
	}
	t.Fatalf("%s: still %s", what, brief(q.sees()))
}

// Two consoles on one state folder: one runs the plan, the other follows it and cannot
// touch it, until the first is gone.
func TestPlanOfAnotherConsole(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	q := p.another(t)
	if got := brief(q.sees()); got != "no plan" {
		t.Fatal(got)
	}
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	q.until(t, "the other's first step", func(s revision.PlanState) bool { return brief(s) == "running 0/3 ▶·· next c 3 → 30: " })
	s := q.sees()
	by := fmt.Sprintf("run by another Rung (pid %d", os.Getpid())
	if !s.RunsElsewhere() || !strings.HasPrefix(s.RunBy(), by) || !strings.Contains(s.RunBy(), ", since ") {
		t.Errorf("%q %+v", s.RunBy(), s.Runner)
	}
	pl := p.respace()
	pre, err := q.r.PreviewPlan(t.Context(), change.RunPlan(pl))
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a new plan": q.r.BeginPlan(t.Context(), pre, agreed),
		"resume":     further(q.r, false),
		"back":       further(q.r, true),
		"keep":       q.r.KeepPlan(q.g.Config.CurrentRevision()),
	} {
		if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), by) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The other tells what it waits for, too.
	p.Zone("control", model.ConnSynced, true)
	p.Zone("worker", model.ConnLost, false)
	q.until(t, "waiting", func(s revision.PlanState) bool {
		return brief(s) == "waiting 0/3 …·· next c 3 → 30: waiting for worker (lost)" && len(s.Waits) == 1
	})
	p.Zone("worker", model.ConnSynced, true)
	p.untilAt("a 1, b 20, c 30")
	q.until(t, "the other's second step", func(s revision.PlanState) bool { return s.Done == 1 && s.State == revision.PlanRunning })
	// The first is killed: its lock ends with it, and the second goes on.
	text, err := os.ReadFile(p.r.work.Path)
	if err != nil {
		t.Fatal(err)
	}
	p.kill()
	if err := os.WriteFile(p.r.work.Path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	q.until(t, "stopped", func(s revision.PlanState) bool {
		return brief(s) == "stopped 1/3 ✓…· next a 1 → 10: interrupted"
	})
	if err := further(q.r, false); err != nil {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	q.until(t, "done", func(s revision.PlanState) bool { return s.State == revision.PlanDone })
	if p.at() != allMade {
		t.Error(p.at())
	}
	// The first one, started again before that, has it in its history, and no plan left.
	if diff := cmp.Diff([]string{"Re-space: step 10, starting at 10"}, changing.Titles(p.g.Config.History)); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
	if st, err := p.r.ReadPlan(); st != nil || err != nil {
		t.Errorf("%+v %v", st, err)
	}
}

// A plan that another console runs to its end is seen to end: done, with
// every step, and not just gone.
func TestPlanOfAnotherConsoleEnds(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	q := p.another(t)
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	q.until(t, "the other's plan", func(s revision.PlanState) bool { return s.RunsElsewhere() && s.Total == 3 })
	stop := p.Follow("worker", "control")
	p.until("done", inState(revision.PlanDone))
	stop()
	if got := brief(q.sees()); got != "done 3/3 ✓✓✓ next : " {
		t.Errorf("the other sees it end as %q", got)
	}
	if err := q.r.KeepPlan(q.g.Config.CurrentRevision()); err != nil || brief(q.sees()) != "no plan" {
		t.Errorf("it cannot be put away: %v, %q", err, brief(q.sees()))
	}
}

func TestPlanOfAnotherConsoleRollsBack(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer func() { p.cancel(); p.wg.Wait() }()
	q := p.another(t)
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))
	if err := further(p.r, true); err != nil {
		t.Fatal(err)
	}
	q.until(t, "the other's way back", func(s revision.PlanState) bool { return s.RunsElsewhere() && s.RollingBack })
	stop := p.Follow("worker", "control")
	p.until("done", inState(revision.PlanDone))
	stop()
	if s := q.sees(); s.State != revision.PlanDone || !s.RollingBack || s.Done != 0 {
		t.Errorf("the other sees it end as %q", brief(s))
	}
}

// A plan that one console ends where it is is gone in the other, which can begin a new
// one; what was on its screen is no yes to that.
func TestPlanEndedByAnotherConsole(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	q := p.another(t)
	if got := brief(q.sees()); got != "stopped 0/3 …·· next b 2 → 20: interrupted" {
		t.Fatal(got)
	}
	if err := q.r.KeepPlan(p.Current()); err != nil {
		t.Fatal(err)
	}
	if err := p.resume(); !errors.Is(err, ErrPlan) || p.Current().Plan != nil {
		t.Errorf("%v, %+v", err, p.Current().Plan)
	}
	b, err := planBoard(p.Current())
	if err != nil {
		t.Fatal(err)
	}
	pl, err := b.Respace(5, 5)
	if err != nil {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	read := q.g.Config.CurrentRevision()
	if err := p.begin(&pl, agreed); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(revision.PlanDone))
	if p.at() != "a 5, b 10, c 15" {
		t.Error(p.at())
	}
	if err := q.r.KeepPlan(read); err != nil { // there is none any more
		t.Error(err)
	}
}

// The state folder is looked at while a plan is previewed and started.
func TestPlanIsLookedAtMeanwhile(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			p.Zone("worker", model.ConnSynced, false) // another revision
			p.r.Refresh()
		}
	})
	p.r.mu.Lock()
	job := p.r.job
	p.r.mu.Unlock()
	for range 2000 {
		if _, err := p.r.askContinue(change.ContinuePlan(true), job); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if _, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(true)); err != nil {
			t.Error(err)
		}
	}
	if err := p.resume(); err != nil {
		t.Error(err)
	}
	cancel()
	wg.Wait()
	stop := p.Follow("worker", "control")
	defer stop()
	p.until("done", inState(revision.PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
}

// A plan that stopped is not ended by a yes to what was on the screen before.
func TestPlanKeepIsOfWhatWasRead(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	read := p.Current()
	for _, z := range []string{"worker", "control"} {
		p.Zone(z, model.ConnSynced, true)
	}
	// What every zone shows meanwhile is done, and no other plan for it.
	p.r.Refresh()
	if got := brief(p.planState()); got != "stopped 1/3 ✓·· next b 2 → 20: interrupted" {
		t.Error(got)
	}
	q := p.another(t)
	if err := further(q.r, false); err != nil {
		t.Fatal(err)
	}
	p.untilAt("a 1, b 20, c 30")
	q.r.StopPlan()
	q.until(t, "stopped", func(s revision.PlanState) bool { return s.State == revision.PlanStopped })
	if err := p.r.KeepPlan(read); !errors.Is(err, change.ErrStale) {
		t.Errorf("%v", err)
	}
	if err := p.r.KeepPlan(p.Current()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"Re-space: step 10, starting at 10 (2 of 3 steps)"}, changing.Titles(q.g.Config.History)); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
}

// What another process writes into the history is seen at once: undo takes the newest
// change, whoever made it, and no change twice.
func TestHistoryOfAnotherConsole(t *testing.T) {
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer p.cancel()
	told := ""
	p.g.Config.HistoryChanged = func(undo, redo string) { told = undo + "|" + redo }
	q := p.another(t)
	gating.Do(t, p.World, p.g, changing.Move("a", 0), gating.Yes)
	gating.Do(t, p.World, q.g, changing.Move("c", 50), gating.Yes)
	p.g.PollHistory()
	if told != "Move ANP c from 3 to 50|" {
		t.Errorf("told %q", told)
	}
	// Also when the entry was asked for before anybody looked.
	gating.Do(t, p.World, q.g, changing.Move("b", 40), gating.Yes)
	p.g.Config.History.Entries()
	p.g.PollHistory()
	if told != "Move ANP b from 2 to 40|" {
		t.Errorf("told %q", told)
	}
	gating.Do(t, p.World, q.g, change.Mutation{Op: change.OpUndo}, gating.Yes)
	mine, err := p.g.Preview(t.Context(), p.Current(), change.Mutation{Op: change.OpUndo})
	if err != nil || mine.Title != "Undo: Move ANP c from 3 to 50" {
		t.Fatalf("%v %+v", err, mine)
	}
	gating.Do(t, p.World, q.g, change.Mutation{Op: change.OpUndo}, gating.Yes)
	if _, err := p.g.Commit(t.Context(), mine, gating.Yes); !errors.Is(err, change.ErrStale) || !strings.Contains(err.Error(), "was already undone") {
		t.Errorf("undone twice: %v", err)
	}
	if p.g.UndoTitle() != "Move ANP a from 1 to 0" || p.g.RedoTitle() != "Move ANP c from 3 to 50" {
		t.Errorf("%q %q", p.g.UndoTitle(), p.g.RedoTitle())
	}
	if len(p.g.Config.History.Entries()) != 5 {
		t.Errorf("%q", changing.Titles(p.g.Config.History))
	}
}
