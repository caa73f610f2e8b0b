package plan

import (
	"strings"
	"testing"
	"time"

	"rung/model/plan"
	"rung/revision"
)

// TestHeadline: a plan that stopped is told with how long ago and with why, and every plan with how
// far it is.
func TestHeadline(t *testing.T) {
	now := time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)
	stopped := revision.PlanState{Title: "Re-space", Total: 9, Done: 4, State: revision.PlanStopped, Since: now.Add(-12 * time.Minute), Why: "interrupted"}
	back := stopped
	back.RollingBack, back.StepsAtRollback, back.Since = true, 6, time.Time{}
	lost := stopped
	lost.State, lost.Since = revision.PlanWaiting, time.Time{}
	lost.Runner, lost.Waits = revision.PlanRunner{IsOwn: true}, []revision.PlanWait{{Zone: "w2", Why: "lost", Since: now.Add(-12 * time.Second)}}
	done := revision.PlanState{Title: "Re-space", Total: 9, Done: 9, State: revision.PlanDone}
	stopping := revision.PlanState{Title: "Re-space", Total: 9, Done: 4, State: revision.PlanRunning, Stopping: true, Runner: lost.Runner}
	for want, p := range map[string]revision.PlanState{
		"Re-space: stopped, 4 of 9 done, 5 not (since 12 min): interrupted": stopped,
		"Re-space: rollback stopped, 2 of 6 back, 4 not: interrupted":       back,
		"Re-space: running, 4 of 9 done: waiting for w2 (lost 12 s)":        lost,
		"Re-space: finished, 9 of 9 steps":                                  done, "Re-space: stopping after this step, 4 of 9 done": stopping,
	} {
		if got := Headline(&p, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	stopped.State = revision.PlanRunning
	if got := Headline(&stopped, now); !strings.Contains(got, ": interrupted; run by another Rung (pid 0") {
		t.Errorf("who runs it is not told: %q", got)
	}
}

// TestNotesOfSteps: the note about a tie stands at the first of its steps that is not done.
func TestNotesOfSteps(t *testing.T) {
	steps := []revision.PlanStep{
		{Policy: "a", From: 40, To: 30, Note: "tie broken until step 3", State: revision.StepDone},
		{Policy: "b", From: 40, To: 30, State: revision.StepWaiting},
		{Policy: "c", From: 40, To: 30, Note: "tied again at 30", State: revision.StepPending},
	}
	got := ""
	for _, s := range ListSteps(&revision.PlanState{Steps: steps}) {
		sign, _ := s.StateSign()
		got += sign.Text + s.Policy + s.Note + "|"
	}
	if want := "✓a|○btie broken until step 3|ctied again at 30|"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPlaces: those that share a priority are joined, what is free is counted, and what is not
// enforced says so.
func TestPlaces(t *testing.T) {
	b, err := plan.NewBoard([]plan.Placement{{Policy: "a", Priority: 3}, {Policy: "b", Priority: 5}, {Policy: "c", Priority: 5}, {Policy: "d", Priority: 5}, {Policy: "e", Priority: 12}}, 9)
	if err != nil {
		t.Fatal(err)
	}
	then := map[string]int32{"a": 0}
	got := ""
	for _, p := range PlannedMoves(b, then) {
		got += p.Bracket
		for _, c := range Places.Columns {
			got += " " + c.Cell(p).String()
		}
		got += "\n"
	}
	want := "─ 3 0 a 1 → 4\n┌ 5 5 b  = 3 share 5 \n├ 5 5 c \n└ 5 5 d 4\n✗ 12 12 e  not enforced: above 9 \n"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := strings.Join(GapForms(b, b.WithMoved(then)), "\n"), "smallest gap 1 → 4 · largest 4 → 4\nsmallest gap 1 → 4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := FreeText(b)+"; "+CountText(b), "free: 0–2  4  6–9; 8 of 10 priorities free"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
