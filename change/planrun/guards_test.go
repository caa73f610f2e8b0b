package planrun

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rung/change"
	"rung/change/gate"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
	"rung/test/wait"
)

// tied are an Allow and a Deny at one priority: apart for a moment, whichever moves
// first.
var tied = []string{given.ANP("door", 40, "name=kube-system", "in allow team=ops"), given.ANP("wall", 40, "name=kube-system", "in deny team=ops")}

// The way back runs into guard rails of its own. They are asked for before it starts,
// and nothing is asked on the way.
func TestPlanGuardsOfTheWayBack(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), tied...)
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), gate.Confirm{Yes: true, Name: "wall", By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.untilAt("door 10, wall 40")
	p.r.StopPlan()
	p.until("stopped", inState(revision.PlanStopped))
	back, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(true))
	if err != nil {
		t.Fatal(err)
	}
	if back.ConfirmName != "door" || len(back.Guards) != 1 || back.Title != "Roll back: Re-space: step 10, starting at 10" ||
		back.FirstStep != 1 || len(back.Steps) != 1 || change.StepText(back.Steps[0]) != "door 10 → 40" || len(back.Rows) == 0 {
		t.Fatalf("%+v", back)
	}
	if err := p.r.BeginPlan(t.Context(), back, agreed); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatalf("without the name: %v", err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	if err := p.r.BeginPlan(t.Context(), back, gate.Confirm{Yes: true, Name: "door", By: "console"}); err != nil {
		t.Fatal(err)
	}
	s := p.until("rolled back", inState(revision.PlanDone))
	if p.at() != "door 40, wall 40" || brief(s) != "done 0/2 ·· next : all steps were rolled back" {
		t.Errorf("at %s: %s", p.at(), brief(s))
	}
	// Nothing was changed in the end: there is nothing to undo.
	if got := changing.Titles(p.g.Config.History); len(got) != 0 {
		t.Errorf("history %q", got)
	}
}

// A guard rail that comes up during the run stops the plan and says so; continuing asks
// for it.
func TestPlanMeetsANewGuard(t *testing.T) {
	defer wait.NoLeaks(t)
	p := newPlanWorld(t, t.TempDir(), given.ANP("a", 1, "tenant=blue", "in allow tenant=blue"),
		given.ANP("b", 2, "role=own", "in deny tenant=green"), given.ANP("c", 3, "tenant=red", "in allow tenant=red"))
	p.WithoutPods() // so that guards are judged from the policies alone
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	p.Edit(changing.ANamespace("kube-public", "role: own"))
	stop := p.Follow("worker", "control")
	defer stop()
	s := p.until("stopped", inState(revision.PlanStopped))
	if s.Done != 1 || !strings.Contains(s.Why, "new guard rail since the plan was confirmed: ANP b denies") || strings.Contains(s.Why, "type ") {
		t.Fatal(brief(s))
	}
	pre, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(false))
	if err != nil {
		t.Fatal(err)
	}
	if pre.ConfirmName != "b" || pre.Title != "Continue: Re-space: step 10, starting at 10" || len(pre.Steps) != 2 || pre.FirstStep != 2 {
		t.Fatalf("%+v", pre)
	}
	if err := p.r.BeginPlan(t.Context(), pre, agreed); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatalf("without the name: %v", err)
	}
	if err := p.r.BeginPlan(t.Context(), pre, gate.Confirm{Yes: true, Name: "b", By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(revision.PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
}

// What was confirmed is what is left: one preview does not continue what another console
// has continued meanwhile, nor does it do so twice.
func TestPlanPreviewOfAnotherMoment(t *testing.T) {
	defer wait.NoLeaks(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	read, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(false))
	if err != nil {
		t.Fatal(err)
	}
	q := p.another(t)
	if err := further(q.r, false); err != nil {
		t.Fatal(err)
	}
	for _, z := range []string{"worker", "control"} {
		p.Zone(z, "synced", true)
	}
	p.untilAt("a 1, b 20, c 30")
	q.r.StopPlan()
	q.until(t, "stopped", func(s revision.PlanState) bool { return s.State == revision.PlanStopped })
	var stale *gate.StaleError
	if err := p.r.BeginPlan(context.Background(), read, agreed); !errors.As(err, &stale) || stale.Preview == nil || len(stale.Preview.Steps) != 1 {
		t.Fatalf("%v %+v", err, stale)
	}
	if err := p.r.BeginPlan(context.Background(), stale.Preview, agreed); err != nil {
		t.Fatal(err)
	}
	stop := p.Follow("worker", "control")
	defer stop()
	p.until("done", inState(revision.PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
}

// TestLinesOfAPlan: each step says how many lines it turns on the way, and the plan what is
// left of that in the end.
func TestLinesOfAPlan(t *testing.T) {
	p := newPlanWorld(t, t.TempDir(), given.ANP("door", 40, "tenant=blue", "out allow tenant=red"), given.ANP("wall", 40, "tenant=blue", "out deny tenant=red"))
	defer func() { p.cancel(); p.wg.Wait() }()
	p.g.Config.LogConnections = func(allowed bool) *diff.LogConnections {
		if allowed {
			return nil
		}
		return changing.Logged(t, p.Current().Cluster, "blue/web-0 red/web-0 80 allow")
	}
	got, err := p.r.PreviewPlan(t.Context(), change.RunPlan(p.respace()))
	if err != nil {
		t.Fatal(err)
	}
	if text := changing.Otherwise(got.Effect); text != "0 of 1, 0 lost" { // they are tied again
		t.Error(text)
	}
	steps := strings.Join(got.StepTexts(), "\n")
	if !strings.Contains(steps, "; 1 log line changes verdict") {
		t.Error(steps)
	}
}

// A plan is committed as it was read, its later steps too.
func TestSeenPlan(t *testing.T) {
	defer wait.NoLeaks(t)
	other := given.ANP("b", 2, "tenant=green", "in deny tenant=green")
	for _, c := range []struct {
		name string
		edit string
		want string
	}{
		{"a rule", other, "ANP b was changed meanwhile"},
		{"a pod", changing.APod("green", "canary", "app: canary", 11), "applies to or reaches"},
		{"a new policy in the way", given.ANP("x", 15, "tenant=red"), ""}, // the plan itself does not fit any more
	} {
		t.Run("start/"+c.name, func(t *testing.T) {
			p := newPlanWorld(t, "", tenants...)
			defer func() { p.cancel(); p.wg.Wait() }()
			pl := p.respace()
			pre, err := p.r.PreviewPlan(t.Context(), change.RunPlan(pl))
			if err != nil {
				t.Fatal(err)
			}
			p.Edit(c.edit)
			if err := p.r.BeginPlan(t.Context(), pre, agreed); !errors.Is(err, change.ErrStale) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if p.planState().State != "" {
				t.Errorf("it runs: %+v", p.planState())
			}
		})
	}
	for _, c := range []struct {
		name, edit, want string
		fits             bool // the plan can go on once that was read
	}{
		{"a rule", other, "ANP b was changed meanwhile", true},
		{"a new policy in the way", given.ANP("x", 15, "tenant=red"), "x is new at 15, in the way", false},
		{"a new policy elsewhere", given.ANP("x", 90, "tenant=red"), "", false},
	} {
		t.Run("later/"+c.name, func(t *testing.T) {
			p := newPlanWorld(t, t.TempDir(), tenants...)
			defer func() { p.cancel(); p.wg.Wait() }()
			if err := p.begin(p.respace(), agreed); err != nil {
				t.Fatal(err)
			}
			p.untilAt(firstMade)
			p.Edit(c.edit)
			stop := p.Follow("worker", "control")
			defer stop()
			if c.want == "" {
				p.until("done", inState(revision.PlanDone))
				return
			}
			s := p.until("stopped", inState(revision.PlanStopped))
			if s.Done != 1 || !strings.Contains(s.Why, c.want) {
				t.Fatalf("%+v, want %q", s, c.want)
			}
			if !c.fits {
				return
			}
			// What was read before the next edit is no yes to that.
			read, err := p.r.PreviewPlan(t.Context(), change.ContinuePlan(false))
			if err != nil {
				t.Fatal(err)
			}
			p.Edit(given.ANP("b", 2, "tenant=green", "in deny tenant=blue"))
			if err := p.r.BeginPlan(t.Context(), read, agreed); !errors.Is(err, change.ErrStale) {
				t.Fatal(err)
			}
			if err := p.resume(); err != nil {
				t.Fatal(err)
			}
			p.until("done", inState(revision.PlanDone))
		})
	}
}
