package gate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"rung/revision"
	"rung/test/given"
)

// tied are an Allow and a Deny at one priority: apart for a moment, whichever moves
// first.
var tied = []string{given.ANP("door", 40, "name=kube-system", "in allow team=ops"), given.ANP("wall", 40, "name=kube-system", "in deny team=ops")}

// The way back runs into guard rails of its own. They are asked for before it starts,
// and nothing is asked on the way.
func TestPlanGuardsOfTheWayBack(t *testing.T) {
	defer goleak.VerifyNone(t)
	p := newPlanWorld(t, t.TempDir(), tied...)
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), Confirm{Yes: true, Name: "wall", By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.untilAt("door 10, wall 40")
	p.r.Stop()
	p.until("stopped", inState(PlanStopped))
	back, err := p.r.BackPreview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if back.ConfirmName != "door" || len(back.Guards) != 1 || back.Title != "Roll back: Re-space: step 10, starting at 10" ||
		back.FirstStep != 1 || len(back.Steps) != 1 || stepText(back.Steps[0]) != "door 10 → 40" || len(back.Rows) == 0 {
		t.Fatalf("%+v", back)
	}
	if err := p.r.Back(t.Context(), back, agreed); !errors.Is(err, ErrNotConfirmed) {
		t.Fatalf("without the name: %v", err)
	}
	stop := p.follow("worker", "control")
	defer stop()
	if err := p.r.Back(t.Context(), back, Confirm{Yes: true, Name: "door", By: "console"}); err != nil {
		t.Fatal(err)
	}
	s := p.until("rolled back", inState(PlanDone))
	if p.at() != "door 40, wall 40" || brief(s) != "done 0/2 ·· next : all steps were rolled back" {
		t.Errorf("at %s: %s", p.at(), brief(s))
	}
	// Nothing was changed in the end: there is nothing to undo.
	if got := titles(p.g.cfg.History); len(got) != 0 {
		t.Errorf("history %q", got)
	}
}

// A guard rail that comes up during the run stops the plan and says so; continuing asks
// for it.
func TestPlanMeetsANewGuard(t *testing.T) {
	defer goleak.VerifyNone(t)
	p := newPlanWorld(t, t.TempDir(), given.ANP("a", 1, "tenant=blue", "in allow tenant=blue"),
		given.ANP("b", 2, "role=own", "in deny tenant=green"), given.ANP("c", 3, "tenant=red", "in allow tenant=red"))
	p.withoutPods() // so that guards are judged from the policies alone
	defer func() { p.cancel(); p.wg.Wait() }()
	if err := p.begin(p.respace(), agreed); err != nil {
		t.Fatal(err)
	}
	p.untilAt(firstMade)
	p.Edit(aNamespace("kube-public", "role: own"))
	stop := p.follow("worker", "control")
	defer stop()
	s := p.until("stopped", inState(PlanStopped))
	if s.Done != 1 || !strings.Contains(s.Why, "a guard rail that was not there when the plan was confirmed: ANP b denies") || strings.Contains(s.Why, "type ") {
		t.Fatal(brief(s))
	}
	pre, err := p.r.ResumePreview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if pre.ConfirmName != "b" || pre.Title != "Continue: Re-space: step 10, starting at 10" || len(pre.Steps) != 2 || pre.FirstStep != 2 {
		t.Fatalf("%+v", pre)
	}
	if err := p.r.Resume(t.Context(), pre, agreed); !errors.Is(err, ErrNotConfirmed) {
		t.Fatalf("without the name: %v", err)
	}
	if err := p.r.Resume(t.Context(), pre, Confirm{Yes: true, Name: "b", By: "console"}); err != nil {
		t.Fatal(err)
	}
	p.until("done", inState(PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
}

// What was confirmed is what is left: one preview does not continue what another console
// has continued meanwhile, nor does it do so twice.
func TestPlanPreviewOfAnotherMoment(t *testing.T) {
	defer goleak.VerifyNone(t)
	p := stopped(t)
	defer func() { p.cancel(); p.wg.Wait() }()
	read, err := p.r.ResumePreview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := p.another(t)
	if err := further(q.r.ResumePreview, q.r.Resume); err != nil {
		t.Fatal(err)
	}
	for _, z := range []string{"worker", "control"} {
		p.zone(z, "synced", true)
	}
	p.untilAt("a 1, b 20, c 30")
	q.r.Stop()
	q.until(t, "stopped", func(s revision.PlanState) bool { return s.State == PlanStopped })
	var stale *StaleError
	if err := p.r.Resume(context.Background(), read, agreed); !errors.As(err, &stale) || stale.Preview == nil || len(stale.Preview.Steps) != 1 {
		t.Fatalf("%v %+v", err, stale)
	}
	if err := p.r.Resume(context.Background(), stale.Preview, agreed); err != nil {
		t.Fatal(err)
	}
	stop := p.follow("worker", "control")
	defer stop()
	p.until("done", inState(PlanDone))
	if p.at() != allMade {
		t.Error(p.at())
	}
}
