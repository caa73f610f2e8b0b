package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rung/change"
	"rung/change/gate"
	"rung/cli/command"
)

// What cannot be done is refused, however much else is said of it; it is not that there
// was nothing to do. The preview of a plan always says something.
func TestRefusedIsNotUnchanged(t *testing.T) {
	for name, p := range map[string]*gate.Preview{
		"a plan": {Title: "Re-space", Blocked: "zone w is a file: its rows never change", Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Notes: []string{"9 steps"}},
		"undo":   {Title: "Undo", Blocked: "what it was before can no longer be read", Mutation: change.Mutation{Op: change.OpUndo}, Notes: []string{"undoes the change of today"}},
	} {
		tried := false
		_, err := confirmAndCommit((&command.App{}), &changeFlags{yes: true}, p, func(*gate.Preview) error { return nil }, func(*gate.Preview, gate.Confirm) error {
			tried = true
			return nil
		})
		if got := changeOutcome(tried, false, err); !errors.Is(err, command.ErrRefused) || got != outcomeRefused || tried {
			t.Errorf("%s: %v, %s", name, err, got)
		}
	}
	// The last step of a plan is made, and its zones are still to be waited for.
	started := false
	p := &gate.Preview{Title: "Continue", Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Notes: []string{"the state folder has no file locks"}}
	_, err := confirmAndCommit((&command.App{}), &changeFlags{yes: true}, p, func(*gate.Preview) error { return nil }, func(*gate.Preview, gate.Confirm) error {
		started = true
		return nil
	})
	if err != nil || !started {
		t.Errorf("%v, started: %v", err, started)
	}
}

// What a change became is what the next question is about; where nobody is asked
// it is an answer of no, with the change as it is now.
func TestConfirmedAgain(t *testing.T) {
	was := &gate.Preview{Title: "Move ANP a from 1 to 2", Objects: []change.ObjectChange{{New: anpAt("a", 2)}}}
	now := &gate.Preview{Title: "Move ANP a from 1 to 2", Objects: []change.ObjectChange{{New: anpAt("a", 2)}},
		Notes: []string{"now it shares a priority"}}
	for _, c := range []struct {
		name, typed string
		flags       changeFlags
		commits     int
		refused     bool
	}{
		{"yes, and yes again", "y\ny\n", changeFlags{}, 2, false},
		{"yes, and no", "y\nn\n", changeFlags{}, 1, true},
		{"--yes", "", changeFlags{yes: true}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs strings.Builder
			a := &command.App{In: strings.NewReader(c.typed), Out: &out, Err: &errs}
			var got []*gate.Preview
			made := false
			show := func(p *gate.Preview) error { return a.PrintAnswer(previewAnswer(p, "")) }
			p, err := confirmAndCommit(a, &c.flags, was, show, func(p *gate.Preview, _ gate.Confirm) error {
				got = append(got, p)
				if p == was {
					return fmt.Errorf("gate: %w", &gate.StaleError{Title: p.Title, Difference: "ANP b came", Preview: now})
				}
				made = true
				return nil
			})
			if len(got) != c.commits || made == c.refused || c.refused && !errors.Is(err, command.ErrRefused) || p != now {
				t.Errorf("%d commits, made %t, %v", len(got), made, err)
			}
			if n := strings.Count(out.String(), "now it shares a priority"); n != 1 {
				t.Errorf("the new change was shown %d times\n%s", n, out.String())
			}
			if !strings.Contains(errs.String()+fmt.Sprint(err), "changed since the preview: ANP b came") {
				t.Errorf("not said: %q %v", errs.String(), err)
			}
		})
	}
}

// A change that cannot be made is refused whatever else its preview says: notes do not make
// it a change that is there already.
func TestBlockedIsRefused(t *testing.T) {
	for _, flags := range []changeFlags{{yes: true}, {dryRun: true}} {
		var out, errs strings.Builder
		a := &command.App{In: strings.NewReader(""), Out: &out, Err: &errs}
		p := &gate.Preview{Title: "Continue: Re-space", Blocked: "allow-blue-mon is new at 25, in the way", Notes: []string{"1 of 9 done"}}
		show := func(p *gate.Preview) error { return a.PrintAnswer(stepsAnswer(p, "")) }
		_, err := confirmAndCommit(a, &flags, p, show, func(*gate.Preview, gate.Confirm) error {
			t.Error("it is made")
			return nil
		})
		if !errors.Is(err, command.ErrRefused) || !strings.Contains(err.Error(), p.Blocked) {
			t.Errorf("%+v: %v", flags, err)
		}
		if strings.Contains(out.String(), "every step is made") {
			t.Errorf("it is said to be made:\n%s", out.String())
		}
	}
}
