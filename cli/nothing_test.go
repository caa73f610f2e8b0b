package cli

import (
	"errors"
	"testing"

	"rung/change"
	"rung/change/gate"
)

// What cannot be done is refused, however much else is said of it; it is not that there
// was nothing to do. The preview of a plan always says something.
func TestRefusedIsNotUnchanged(t *testing.T) {
	for name, p := range map[string]*gate.Preview{
		"a plan": {Title: "Re-space", Blocked: "zone w is a file: its rows never follow", Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Notes: []string{"9 steps"}},
		"undo":   {Title: "Undo", Blocked: "what it was before can no longer be read", Mutation: change.Mutation{Op: change.OpUndo}, Notes: []string{"undoes the change of today"}},
	} {
		tried := false
		_, err := (&app{}).confirmed(&changeFlags{yes: true}, p, func(*gate.Preview) error { return nil }, func(*gate.Preview, gate.Confirm) error {
			tried = true
			return nil
		})
		if got := outcomeOf(tried, false, err); !errors.Is(err, errRefused) || got != outcomeRefused || tried {
			t.Errorf("%s: %v, %s", name, err, got)
		}
	}
	// The last step of a plan is made, and its zones are still to be waited for.
	started := false
	p := &gate.Preview{Title: "Continue", Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Notes: []string{"the state folder has no file locks"}}
	_, err := (&app{}).confirmed(&changeFlags{yes: true}, p, func(*gate.Preview) error { return nil }, func(*gate.Preview, gate.Confirm) error {
		started = true
		return nil
	})
	if err != nil || !started {
		t.Errorf("%v, started: %v", err, started)
	}
}
