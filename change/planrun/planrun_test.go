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
	"rung/change/guard"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/files"
	"rung/test/changing"
	"rung/test/gating"
	"rung/test/given"
	"rung/test/wait"
)

// planWorld is a world with two zones whose rows follow when they are told to,
// and a plan runner on it.
type planWorld struct {
	*gating.World
	t      *testing.T
	dir    string
	g      *gate.Gate
	r      *Plans
	cancel context.CancelFunc
	wg     sync.WaitGroup
	states []string
}

// brief is a plan's state on a line: the steps are ✓ done, ▶ under way, … waiting and
// · to come.
func brief(s revision.PlanState) string {
	if s.State == "" {
		return "no plan"
	}
	marks := map[string]string{revision.StepDone: "✓", revision.StepRunning: "▶", revision.StepWaiting: "…", revision.StepPending: "·"}
	steps := ""
	for _, x := range s.Steps {
		steps += marks[x.State]
	}
	return fmt.Sprintf("%s %d/%d %s next %s: %s", s.State, s.Done, s.Total, steps, s.Step, s.Why)
}

// now is the plan's state with its times.
func (p *planWorld) now() string {
	s := p.planState()
	return s.WaitingText(p.Clock())
}

func newPlanWorld(t *testing.T, dir string, policies ...string) *planWorld {
	p := &planWorld{World: gating.NewWorld(t, policies...), t: t, dir: dir}
	p.Zone("worker", model.ConnSynced, true)
	p.Zone("control", model.ConnSynced, true)
	p.start()
	return p
}

// start is what an engine does when it starts on the same folder.
func (p *planWorld) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.g = p.World.Gate(p.dir)
	p.r = New(p.g, Config{Subscribe: p.Subscribe, Dir: p.dir, Context: "test", Ctx: ctx, Run: starts(&p.wg),
		Publish: func(s *revision.PlanState) {
			p.Mu.Lock()
			defer p.Mu.Unlock()
			p.World.Plan = s
			if s != nil {
				p.states = append(p.states, s.State)
			}
			p.Publish()
		}})
}

// starts is goroutines that always start.
func starts(wg *sync.WaitGroup) func(func()) bool {
	return func(f func()) bool {
		wg.Go(f)
		return true
	}
}

// kill ends everything as a signal would, and starts again.
func (p *planWorld) kill() {
	p.cancel()
	p.wg.Wait()
	p.Mu.Lock()
	p.World.Plan = nil
	p.Publish()
	p.Mu.Unlock()
	p.start()
}

func (p *planWorld) planState() revision.PlanState {
	if s := p.Current().Plan; s != nil {
		return *s
	}
	return revision.PlanState{}
}

func (p *planWorld) until(what string, holds func(revision.PlanState) bool) revision.PlanState {
	p.t.Helper()
	for end := time.Now().Add(wait.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s := p.planState(); holds(s) {
			return s
		}
	}
	p.t.Fatalf("%s: still %+v", what, p.planState())
	return revision.PlanState{}
}

func inState(state string) func(revision.PlanState) bool {
	return func(s revision.PlanState) bool { return s.State == state }
}

func (p *planWorld) at() string {
	var out []string
	b, err := plan.BoardOfCluster(p.Current().Cluster, model.MaxPriority, false)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, s := range b.Placements() {
		out = append(out, fmt.Sprint(s.Policy, " ", s.Priority))
	}
	return strings.Join(out, ", ")
}

func (p *planWorld) respace() *plan.Plan {
	p.t.Helper()
	b, err := plan.BoardOfCluster(p.Current().Cluster, model.MaxPriority, false)
	if err != nil {
		p.t.Fatal(err)
	}
	pl, err := b.Respace(10, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	return &pl
}

var tenants = []string{given.ANP("a", 1, "tenant=blue", "in allow tenant=blue"), given.ANP("b", 2, "tenant=green", "in allow tenant=green"),
	given.ANP("c", 3, "tenant=red", "in allow tenant=red")}

// begin reads the preview of a plan and starts it.
func (p *planWorld) begin(pl *plan.Plan, c gate.Confirm) error {
	pre, err := p.r.PreviewPlan(context.Background(), change.RunPlan(pl))
	if err != nil {
		return err
	}
	return p.r.BeginPlan(context.Background(), pre, c)
}

// resume and back go on with what is on the screen, with the name that is asked for.
func (p *planWorld) resume() error { return further(p.r, false) }
func (p *planWorld) back() error   { return further(p.r, true) }

func further(r *Plans, back bool) error {
	pre, err := r.PreviewPlan(context.Background(), change.ContinuePlan(back))
	if err != nil {
		return err
	}
	return r.BeginPlan(context.Background(), pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli"})
}

// stopped is a world whose plan stopped after its first step, which no zone shows.
func stopped(t *testing.T) *planWorld {
	t.Helper()
	p := newPlanWorld(t, t.TempDir(), tenants...)
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))
	return p
}

// untilAt waits until the policies stand somewhere.
func (p *planWorld) untilAt(want string) {
	p.t.Helper()
	for end := time.Now().Add(wait.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if p.at() == want {
			return
		}
	}
	p.t.Fatalf("still at %s, not %s: %s", p.at(), want, brief(p.planState()))
}

// change commits a change whose preview was read.
func (p *planWorld) change(m change.Mutation) *gate.Result {
	p.t.Helper()
	pre, err := p.g.Preview(context.Background(), p.Current(), m)
	if err != nil || pre.Blocked != "" {
		p.t.Fatalf("%+v: %v %+v", m, err, pre)
	}
	res, err := p.g.Commit(context.Background(), pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli"})
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

// firstMade and allMade are where the policies of a re-spacing stand.
const (
	before    = "a 1, b 2, c 3"
	firstMade = "a 1, b 2, c 30"
	allMade   = "a 10, b 20, c 30"
)

var agreed = gate.Confirm{Yes: true, By: "cli"}

func TestPlanRuns(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tenants...)
	defer p.kill()
	pl := p.respace()
	if err := p.begin(pl, gate.Confirm{}); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatal(err)
	}
	if err := p.begin(pl, agreed); err != nil {
		t.Fatal(err)
	}
	if err := p.begin(pl, agreed); !errors.Is(err, ErrPlan) && !errors.Is(err, change.ErrBlocked) {
		t.Errorf("a second plan: %v", err)
	}
	// No zone follows: the first step is made and not done, the second waits.
	p.untilAt(firstMade)
	both := "running 0/3 ▶·· next c 3 → 30: waiting for control (not shown yet), worker (not shown yet)"
	s := p.until("the zones are waited for", func(s revision.PlanState) bool { return brief(s) == both })
	if s.Runner.PID != os.Getpid() || !s.Runner.IsOwn || s.RunsElsewhere() || s.Title != "Re-space: step 10, starting at 10" {
		t.Errorf("%+v", s)
	}
	p.Zone("worker", model.ConnSynced, true)
	one := "running 0/3 ▶·· next c 3 → 30: waiting for control (not shown yet)"
	p.until("one zone is waited for", func(s revision.PlanState) bool { return brief(s) == one })
	if p.at() != firstMade {
		t.Errorf("one zone was enough: %s", p.at())
	}
	p.Zone("control", model.ConnSynced, true)
	p.untilAt("a 1, b 20, c 30")
	p.until("the second step", func(s revision.PlanState) bool { return s.Done == 1 && s.Steps[1].State == revision.StepRunning })
	// A zone is lost: the plan waits, however long, until it is back with the rows.
	p.Zone("worker", model.ConnLost, false)
	p.Zone("control", model.ConnSynced, true)
	lost := "waiting 1/3 ✓…· next b 2 → 20: waiting for worker (lost)"
	p.until("waiting", func(s revision.PlanState) bool { return brief(s) == lost })
	p.Mu.Lock()
	p.Now = p.Now.Add(12 * time.Second)
	p.Mu.Unlock()
	p.Zone("worker", model.ConnDialling, false) // dialled again and again it was lost once
	p.Zone("worker", model.ConnLost, false)
	if got := p.now(); got != "waiting for worker (lost 12 s)" {
		t.Error(got)
	}
	p.Zone("worker", model.ConnSynced, false)
	p.until("running", inState(revision.PlanRunning))
	// It is there but does not take the rows: behind, after the time to settle.
	p.Mu.Lock()
	p.Now = p.Now.Add(time.Minute)
	k := given.ANPKey("b")
	p.SetZone("worker", model.ConnSynced, true)
	p.Zones[len(p.Zones)-1].Policies[k] = &model.PolicyInZone{Policy: k, Different: 3, LiveACLs: 3, LivePriority: 2, Touched: p.Now.Add(-time.Minute), DiffSince: p.Now.Add(-time.Minute)}
	p.Publish()
	p.Mu.Unlock()
	p.until("behind", inState(revision.PlanWaiting))
	if got := p.now(); got != "waiting for worker (3 rows behind 1 min)" {
		t.Error(got)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	p.until("done", inState(revision.PlanDone))
	if p.at() != "a 10, b 20, c 30" {
		t.Errorf("done at %s", p.at())
	}
	if _, err := os.Stat(p.r.work.Path); !os.IsNotExist(err) {
		t.Errorf("the stored progress stays: %v", err)
	}
	if got := brief(p.planState()); got != "done 3/3 ✓✓✓ next : " {
		t.Error(got)
	}
	// Each step is in the audit; the plan is one change of the history.
	if diff := cmp.Diff([]string{"Re-space: step 10, starting at 10"}, changing.Titles(p.g.Config.History)); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
	for _, r := range changing.ReadAudit(t, p.dir) {
		if r.By != "plan, cli" || r.Op != change.OpMove {
			t.Errorf("%+v", r)
		}
	}
	if err := p.resume(); !errors.Is(err, ErrPlan) {
		t.Errorf("resuming a plan that is done: %v", err)
	}
	if err := p.r.KeepPlan(p.Current()); err != nil || p.Current().Plan != nil {
		t.Errorf("put away: %v %+v", err, p.Current().Plan)
	}
}

func TestPlanSurvivesAKill(t *testing.T) {
	defer wait.NoLeaks(t)
	for _, c := range []struct {
		name      string
		meanwhile func(*planWorld)
		stopped   string // as found by the next run
		back      bool
		want      string
	}{
		{"resume", nil, "stopped 0/3 …·· next b 2 → 20: interrupted", false, allMade},
		{"back", nil, "stopped 0/3 …·· next b 2 → 20: interrupted", true, before},
		{"killed between the step and the note of it", func(p *planWorld) { p.Edit(given.ANP("b", 20, "tenant=green", "in allow tenant=green")) },
			"stopped 0/3 ……· next a 1 → 10: interrupted", false, allMade},
		{"finished by hand", func(p *planWorld) {
			p.Edit(given.ANP("b", 20, "tenant=green", "in allow tenant=green") + "---\n" + given.ANP("a", 10, "tenant=blue", "in allow tenant=blue"))
		}, "stopped 0/3 ……… next a 1 → 10: interrupted", false, "by itself"},
		{"a policy that is not in its way", func(p *planWorld) { p.Edit(given.ANP("x", 90, "tenant=blue")) },
			"stopped 0/3 …·· next b 2 → 20: interrupted", true, before + ", x 90"},
		{"somebody moved a policy", func(p *planWorld) { p.Edit(given.ANP("a", 5, "tenant=blue", "in allow tenant=blue")) },
			"stopped 0/3 …·· next b 2 → 20: a is at 5, the plan expects 1: move a back to 1, or end the plan here (x, rung plan --keep)", false, "error"},
		{"somebody removed a policy", func(p *planWorld) { p.Edit(given.ANP("x", 90, "tenant=blue"), given.ANPKey("x"), given.ANPKey("a")) },
			"stopped 0/3 …·· next b 2 → 20: a is gone, the plan expects 1: restore a at 1, or end the plan here (x, rung plan --keep)", true, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanWorld(t, t.TempDir(), tenants...)
			defer func() { p.cancel(); p.wg.Wait() }()
			if err := p.begin(p.respace(), agreed); err != nil {
				t.Fatal(err)
			}
			p.untilAt(firstMade)
			p.until("the note of it", func(s revision.PlanState) bool { return s.Steps[0].State == revision.StepRunning && s.Why != "" })
			if st, err := os.Stat(p.r.work.Path); err != nil || files.OpenToOthers(st) {
				t.Fatalf("%v %v", st, err)
			}
			// What is found after kill -9 is what stood there in the middle.
			text, err := os.ReadFile(p.r.work.Path)
			if err != nil {
				t.Fatal(err)
			}
			p.kill()
			if err := os.WriteFile(p.r.work.Path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.meanwhile != nil {
				c.meanwhile(p)
			}
			if err := p.r.Load(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.stopped, brief(p.planState())); diff != "" {
				t.Fatalf("found (-want +got)\n%s", diff)
			}
			stop := p.Follow("worker", "control")
			defer stop()
			if c.want == "by itself" {
				p.until("every zone shows it", func(s revision.PlanState) bool { p.r.Refresh(); return s.State == revision.PlanDone })
				if diff := cmp.Diff([]string{"Re-space: step 10, starting at 10"}, changing.Titles(p.g.Config.History)); diff != "" {
					t.Errorf("history (-want +got)\n%s", diff)
				}
				return
			}
			next := p.resume
			if c.back {
				next = p.back
			}
			err = next()
			if c.want == "error" {
				if !errors.Is(err, change.ErrBlocked) || !strings.Contains(err.Error(), "the plan expects 1: ") {
					t.Errorf("%v", err)
				}
				if err := p.r.KeepPlan(p.Current()); err != nil || p.Current().Plan != nil {
					t.Errorf("kept as is: %v, %+v", err, p.Current().Plan)
				}
				if diff := cmp.Diff([]string{"Re-space: step 10, starting at 10 (1 of 3 steps)"}, changing.Titles(p.g.Config.History)); diff != "" {
					t.Errorf("history (-want +got)\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p.until("done", inState(revision.PlanDone))
			if p.at() != c.want {
				t.Errorf("at %s", p.at())
			}
		})
	}
}

func TestPlanStops(t *testing.T) {
	defer wait.NoLeaks(t)
	for _, c := range []struct {
		name  string
		spoil func(*planWorld)
		mend  func(*planWorld)
		why   string
	}{
		{"a write fails", func(p *planWorld) { p.Fail = errors.New("disk full") }, func(p *planWorld) { p.Fail = nil }, "disk full"},
		{"read-only", func(p *planWorld) { p.Writes = false }, func(p *planWorld) { p.Writes = true }, "read-only"},
		{"a policy was moved", func(p *planWorld) {
			moved := *p.Cluster.Policy(given.ANPKey("b"))
			moved.Priority = 7
			p.Cluster, _ = p.Cluster.Upsert([]model.Object{&moved}, nil)
		}, nil, "b is at 7, the plan expects 2: move b back to 2, or end the plan here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanWorld(t, t.TempDir(), tenants...)
			defer func() { p.cancel(); p.wg.Wait() }()
			if err := p.begin(p.respace(), agreed); err != nil {
				t.Fatal(err)
			}
			p.untilAt(firstMade)
			p.Mu.Lock()
			c.spoil(p)
			p.Publish()
			p.Mu.Unlock()
			stop := p.Follow("worker", "control")
			defer stop()
			s := p.until("stopped", inState(revision.PlanStopped))
			if s.Done != 1 || s.Total != 3 || !strings.Contains(s.Why, c.why) {
				t.Errorf("%+v", s)
			}
			if c.mend == nil {
				return
			}
			p.Mu.Lock()
			c.mend(p)
			p.Publish()
			p.Mu.Unlock()
			if err := p.resume(); err != nil {
				t.Fatal(err)
			}
			p.until("done", inState(revision.PlanDone))
			if p.at() != "a 10, b 20, c 30" {
				t.Errorf("at %s", p.at())
			}
		})
	}
	t.Run("by hand", func(t *testing.T) {
		p := newPlanWorld(t, t.TempDir(), tenants...)
		defer func() { p.cancel(); p.wg.Wait() }()
		if err := p.begin(p.respace(), agreed); err != nil {
			t.Fatal(err)
		}
		p.untilAt(firstMade)
		if err := p.back(); !errors.Is(err, ErrPlan) {
			t.Errorf("back while it runs: %v", err)
		}
		if err := p.r.KeepPlan(p.Current()); !errors.Is(err, ErrPlan) {
			t.Errorf("kept as is while it runs: %v", err)
		}
		p.r.StopPlan()
		if s := p.until("stopped", inState(revision.PlanStopped)); brief(s) != "stopped 0/3 …·· next b 2 → 20: interrupted" {
			t.Error(brief(s))
		}
	})
}

// One confirmation is for the whole plan, and for what was confirmed only.
func TestPlanGuards(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, "", given.ANP("a", 1, "tenant=blue", "in allow tenant=blue"), given.ANP("b", 2, "name=kube-system", "in deny team=ops"), given.ANP("c", 2, "name=kube-system", "in allow team=ops"))
	defer func() { p.cancel(); p.wg.Wait() }()
	pl := p.respace()
	pre, err := p.r.PreviewPlan(context.Background(), change.RunPlan(pl))
	if err != nil || pre.Blocked != "" {
		t.Fatalf("%v %s", err, pre.Blocked)
	}
	if pre.ConfirmName != "c" || len(pre.Guards) != 1 || pre.Guards[0].Code != guard.System || len(pre.StepEffects) != 3 || len(pre.Objects) != 3 || len(pre.Commands) != 3 {
		t.Errorf("%q %v", pre.ConfirmName, pre.Guards)
	}
	if len(pre.Rows) != 3 || pre.Title != "Re-space: step 10, starting at 10" {
		t.Errorf("%q %v", pre.Title, pre.Rows)
	}
	if err := p.begin(pl, agreed); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	if err := p.begin(pl, gate.Confirm{Yes: true, Name: "c", By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(revision.PlanDone))
	// A step alone is no way around the name.
	one, err := p.g.Preview(context.Background(), p.Current(), change.Mutation{Op: change.OpMove, Policy: given.ANPKey("b"), Priority: 19, Plan: true})
	if err != nil {
		t.Fatal(err)
	}
	one.Guards, one.ConfirmName = nil, ""
	if _, err := p.g.Commit(context.Background(), one, gating.Yes); !errors.Is(err, change.ErrStale) {
		t.Error(err)
	}
	p.SetWrites(false)
	pl = &plan.Plan{Max: 99, Steps: []plan.Step{{Policy: "a", From: 10, To: 11}}}
	if pre, err := p.r.PreviewPlan(context.Background(), change.RunPlan(pl)); err != nil || !strings.HasPrefix(pre.Blocked, "step 1, a 10 → 11: read-only") {
		t.Errorf("%v %q", err, pre.Blocked)
	}
}

func TestPlanIsRefused(t *testing.T) {
	p := newPlanWorld(t, "", tenants...)
	defer p.cancel()
	step := func(policy string, from, to int32) *plan.Plan {
		return &plan.Plan{Max: 99, Steps: []plan.Step{{Policy: policy, From: from, To: to}}}
	}
	for _, c := range []struct {
		name string
		prep func()
		plan *plan.Plan
		want string
	}{
		{"empty", nil, &plan.Plan{}, "nothing to apply"},
		{"stale", nil, step("a", 5, 6), "step 1"},
		{"an inversion", nil, step("a", 1, 50), "step 1"},
		{"a dump", func() { p.Zone("worker", model.ConnReadOnly, true) }, step("c", 3, 4), "zone worker is a file: its rows never change"},
		{"no zones", func() { p.Mu.Lock(); p.Zones = nil; p.Publish(); p.Mu.Unlock() }, step("c", 3, 4), "a plan needs zones"},
	} {
		if c.prep != nil {
			c.prep()
		}
		err := p.begin(c.plan, agreed)
		if !errors.Is(err, change.ErrBlocked) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, err := range []error{p.resume(), p.back()} {
		if !errors.Is(err, ErrPlan) {
			t.Errorf("without a plan: %v", err)
		}
	}
}

// A zone that was judged before the step does not count as having followed it.
func TestStepShows(t *testing.T) {
	w := gating.NewWorld(t, given.ANP("a", 60, "tenant=blue", "in allow tenant=blue"), given.ANP("out", 120, "tenant=blue", "in allow tenant=blue"))
	now := w.Now
	none := &model.NoRows{Code: "priority"}
	for _, c := range []struct {
		name         string
		step         plan.Step
		in           *model.PolicyInZone
		conn         model.ConnState
		done, paused bool
	}{
		{"in sync", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{InSync: true, LiveACLs: 1, LivePriority: 60}, model.ConnSynced, true, false},
		{"in sync with the old", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{InSync: true, LiveACLs: 1, LivePriority: 50}, model.ConnSynced, false, false},
		{"no ACLs", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{InSync: true, LivePriority: -1}, model.ConnSynced, true, false},
		{"came into force, not seen yet", plan.Step{Policy: "a", From: 120, To: 60}, &model.PolicyInZone{None: none}, model.ConnSynced, false, false},
		{"frozen until it is judged anew", plan.Step{Policy: "a", From: 120, To: 60}, &model.PolicyInZone{None: none, LiveACLs: 1, LivePriority: 50}, model.ConnSynced, false, false},
		{"not enforced", plan.Step{Policy: "out", From: 110, To: 120}, &model.PolicyInZone{None: none}, model.ConnSynced, true, false},
		{"frozen", plan.Step{Policy: "out", From: 110, To: 120}, &model.PolicyInZone{None: none, LiveACLs: 1, LivePriority: 50}, model.ConnSynced, false, true},
		{"settling", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{Different: 1, LiveACLs: 1, LivePriority: 50, Touched: now}, model.ConnSynced, false, false},
		{"behind", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{Different: 1, LiveACLs: 1, LivePriority: 50}, model.ConnSynced, false, true},
		{"not comparable", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{NotComparable: true}, model.ConnSynced, false, true},
		{"lost", plan.Step{Policy: "a", From: 50, To: 60}, &model.PolicyInZone{InSync: true, LiveACLs: 1, LivePriority: 60}, model.ConnLost, false, true},
		{"not judged yet", plan.Step{Policy: "a", From: 50, To: 60}, nil, model.ConnSynced, false, false},
		{"not read yet", plan.Step{Policy: "a", From: 60, To: 70}, nil, model.ConnSynced, false, false},
		{"moved by another hand", plan.Step{Policy: "a", From: 50, To: 70}, nil, model.ConnSynced, false, true},
		{"gone", plan.Step{Policy: "gone", From: 50, To: 70}, nil, model.ConnSynced, false, true},
	} {
		z := &model.ZoneState{Name: "worker", Conn: c.conn, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{}}
		if c.in != nil {
			z.Policies[given.ANPKey(c.step.Policy)] = c.in
		}
		w.Zones = []*model.ZoneState{z}
		w.Publish()
		if got := progressOfZones(w.Current(), c.step, now); got.isDone() != c.done || got.stuck != c.paused {
			t.Errorf("%s: done %v, paused %v, %q", c.name, got.isDone(), got.stuck, got.waitText())
		}
	}
}

// What is found in the place of a stored plan is not trusted.
func TestPlanOfAnotherHand(t *testing.T) {
	good := `{"progress":{"version":1,"context":"%s","done":1,"plan":{"max_priority":99,"now":[{"policy":"a","priority":1}],` +
		`"then":[{"policy":"a","priority":%d}],"steps":[{"policy":"a","from":1,"to":2}],"notes":[]}}}`
	for _, c := range []struct{ name, text, want string }{
		{"not JSON", "nonsense", "reading the stored plan"},
		{"empty", "", "reading the stored plan"},
		{"no plan", "{}", "reading the progress of a plan"},
		{"another context", fmt.Sprintf(good, "prod", 2), `belongs to "prod"`},
		{"steps that lead elsewhere", fmt.Sprintf(good, "test", 3), "do not lead"},
		{"too large", strings.Repeat(" ", 2*plan.MaxProgressSize+1), "is too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanWorld(t, t.TempDir(), tenants...)
			defer p.cancel()
			if err := files.ReplaceFile(files.OS, p.r.work.Path, []byte(c.text)); err != nil {
				t.Fatal(err)
			}
			if err := p.r.Load(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			// It is no obstacle to a new plan.
			if err := p.begin(p.respace(), agreed); err != nil {
				t.Error(err)
			}
			p.cancel()
			p.wg.Wait()
		})
	}
}
