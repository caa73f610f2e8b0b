package revision

import (
	"fmt"
	"strings"
	"testing"
)

// steps are as many steps of a plan as there are letters: d done, w written and not shown
// everywhere, r under way, . to come.
func steps(letters string) (out []PlanStep) {
	states := map[rune]string{'d': StepDone, 'w': StepWaiting, 'r': StepRunning, '.': StepPending}
	for i, l := range letters {
		out = append(out, PlanStep{Policy: string(rune('a' + i)), From: int32(i), To: int32(10 * i), State: states[l]})
	}
	return out
}

// TestPlanProgress: what was written counts, whether or not the zones of whoever looks
// show it; on the way back what was rolled back counts, of what stood when it began.
func TestPlanProgress(t *testing.T) {
	for _, c := range []struct {
		name, steps    string
		state          string
		done, top      int
		back           bool
		at, next, text string
	}{
		{"begins", "r...", PlanRunning, 0, 0, false, "0 of 4", "b 1 → 10", "0 of 4 done"},
		{"stopped", "dd..", PlanStopped, 2, 0, false, "2 of 4", "c 2 → 20", "2 of 4 done"},
		{"stopped, one not shown", "ddw.", PlanStopped, 2, 0, false, "3 of 4", "d 3 → 30", "3 of 4 done"},
		{"every step written", "dddw", PlanWaiting, 3, 0, false, "4 of 4", "", "4 of 4 done"},
		{"rolled back to 2 of 3", "dd..", PlanStopped, 2, 3, true, "1 of 3 back", "b 10 → 1", "rolling back, 1 of 3 back"},
		{"one rolled back that is not shown", "ddw.", PlanWaiting, 3, 3, true, "1 of 3 back", "b 10 → 1", "rolling back, 1 of 3 back"},
		{"rolled back from where nobody knows", "d...", PlanStopped, 1, 0, true, "3 of 4 back", "a 0 → 0", "rolling back, 3 of 4 back"},
		{"all rolled back, not shown", "w...", PlanWaiting, 1, 1, true, "1 of 1 back", "", "rolling back, 1 of 1 back"},
	} {
		p := &PlanState{Total: 4, Done: c.done, StepsAtRollback: c.top, State: c.state, RollingBack: c.back, Steps: steps(c.steps)}
		if at, next, text := p.PlaceText(), p.NextStep(), p.String(); at != c.at || next != c.next || text != c.text {
			t.Errorf("%s: %q %q %q, want %q %q %q", c.name, at, next, text, c.at, c.next, c.text)
		}
	}
}

// TestPlanRunBy: who runs it is told with what it does there.
func TestPlanRunBy(t *testing.T) {
	p := &PlanState{State: PlanRunning, Runner: PlanRunner{PID: 7}}
	for back, want := range map[bool]string{false: "run by another Rung (pid 7, since ", true: "rolled back by another Rung (pid 7, since "} {
		p.RollingBack = back
		if !strings.HasPrefix(p.RunBy(), want) {
			t.Errorf("%q, want %q", p.RunBy(), want)
		}
	}
}

// A plan that stopped when all its steps were made is not said to be done: what it waits for
// are the zones.
func TestPlanStoppedAfterItsLastStep(t *testing.T) {
	p := &PlanState{Total: 2, Done: 1, State: PlanStopped, Why: "interrupted", Steps: []PlanStep{{State: StepDone}, {State: StepWaiting}}}
	for got, want := range map[string]string{
		p.String():                     "2 of 2 made, not live in every zone yet",
		p.PlaceText():                  "2 of 2, not live in every zone yet",
		fmt.Sprint(p.IsShownByZones()): "false",
		(&PlanState{Total: 2, Done: 1, State: PlanStopped, Steps: []PlanStep{{State: StepDone}, {State: StepPending}}}).String(): "1 of 2 done",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
