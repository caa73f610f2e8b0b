package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/revision"
)

// A run of a plan is one entry, made when it ends, with what it did by hand.
func TestPlanActivity(t *testing.T) {
	at := time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)
	steps := []revision.PlanStep{{Policy: "a", From: 1, To: 10}, {Policy: "b", From: 2, To: 20}, {Policy: "c", From: 3, To: 30}}
	state := func(s string, done int, back bool) *revision.PlanState {
		return &revision.PlanState{Title: "Re-space", Total: 3, Done: done, State: s, RollingBack: back, Steps: steps, Why: "interrupted",
			Runner: revision.PlanRunner{PID: 1, IsOwn: true}}
	}
	k := model.Kubectl{}
	set := func(name string, from, to int32) string {
		return k.SetPriority(model.PolicyKey{Kind: model.KindANP, Name: name}, float64(from), float64(to))
	}
	other := state(revision.PlanRunning, 0, false)
	other.Runner.IsOwn = false
	for name, x := range map[string]struct {
		states []*revision.PlanState
		want   []model.Activity
	}{
		"done": {[]*revision.PlanState{nil, state(revision.PlanRunning, 0, false), state(revision.PlanWaiting, 1, false), state(revision.PlanDone, 3, false), nil},
			[]model.Activity{{At: at.Add(3 * time.Second), Took: 2 * time.Second, By: "plan", Summary: "Re-space: 3 of 3 steps done", Ops: 3,
				Commands: []string{set("a", 1, 10), set("b", 2, 20), set("c", 3, 30)}}}},
		"stopped, and rolled back": {[]*revision.PlanState{state(revision.PlanRunning, 0, false), state(revision.PlanStopped, 2, false), state(revision.PlanRunning, 2, true), state(revision.PlanDone, 0, true)},
			[]model.Activity{
				{At: at.Add(time.Second), Took: time.Second, By: "plan", Summary: "Re-space: stopped at 2 of 3 steps: interrupted", Ops: 2, Commands: []string{set("a", 1, 10), set("b", 2, 20)}},
				{At: at.Add(3 * time.Second), Took: time.Second, By: "plan", Summary: "Re-space: rolled back", Ops: 2, Commands: []string{set("b", 20, 2), set("a", 10, 1)}}}},
		"by another": {[]*revision.PlanState{other, state(revision.PlanDone, 1, false)},
			[]model.Activity{{At: at.Add(time.Second), Took: time.Second, By: "another Rung", Summary: "Re-space: 1 of 3 steps done", Ops: 1, Commands: []string{set("a", 1, 10)}}}},
		"found stopped":  {[]*revision.PlanState{state(revision.PlanStopped, 2, false), nil}, nil},
		"gone elsewhere": {[]*revision.PlanState{other, nil, state(revision.PlanStopped, 2, false)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var runs planRuns
			var got []model.Activity
			for i, p := range x.states {
				if a, ok := runs.runEnded(p, k, at.Add(time.Duration(i)*time.Second)); ok {
					got = append(got, a)
				}
			}
			if d := cmp.Diff(x.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A shorter plan may follow a longer one whose end nobody saw.
func TestPlanActivityOfAnotherPlan(t *testing.T) {
	long := &revision.PlanState{Title: "t", Total: 9, Done: 8, State: revision.PlanRunning, Steps: make([]revision.PlanStep, 9)}
	short := &revision.PlanState{Title: "t", Total: 2, Done: 1, State: revision.PlanStopped, RollingBack: true, Steps: make([]revision.PlanStep, 2)}
	var runs planRuns
	runs.runEnded(long, model.Kubectl{}, time.Time{})
	if a, ok := runs.runEnded(short, model.Kubectl{}, time.Time{}); !ok || len(a.Commands) > 2 {
		t.Errorf("%v %+v", ok, a)
	}
	// One that is seen to run counts from its own beginning, by its length as by its title.
	for _, title := range []string{"t", "u"} {
		steps := []revision.PlanStep{{Policy: "a", From: 1, To: 10}, {Policy: "b", From: 2, To: 20}}
		state := func(s string, done int) *revision.PlanState {
			return &revision.PlanState{Title: title, Total: 2, Done: done, State: s, Steps: steps}
		}
		before := *long
		if title != "t" {
			before.Total = 2
		}
		var runs planRuns
		runs.runEnded(&before, model.Kubectl{}, time.Time{})
		runs.runEnded(state(revision.PlanRunning, 0), model.Kubectl{}, time.Time{})
		if a, ok := runs.runEnded(state(revision.PlanDone, 2), model.Kubectl{}, time.Time{}); !ok || a.Ops != 2 || len(a.Commands) != 2 {
			t.Errorf("%s: %v %+v", title, ok, a)
		}
	}
}
