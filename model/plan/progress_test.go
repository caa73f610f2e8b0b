package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func respaced(t *testing.T) Plan {
	t.Helper()
	p, err := board(t, sketch, 99).Respace(10, 10)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgressRoundTrip(t *testing.T) {
	for done := range 8 {
		for _, back := range []bool{false, true} {
			p := &PlanProgress{Context: "kind-ovn", Plan: respaced(t), Done: done, Back: back}
			raw, err := p.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeProgress(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
}

func TestDecodeProgressRefuses(t *testing.T) {
	good, err := (&PlanProgress{Context: "demo", Plan: respaced(t), Done: 2}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s has no %s", good, old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for name, text := range map[string]string{
		"nothing":                  "",
		"not JSON":                 "k of n",
		"another version":          change(`"version": 1`, `"version": 2`),
		"more done than there is":  change(`"done": 2`, `"done": 8`),
		"less than nothing done":   change(`"done": 2`, `"done": -1`),
		"an unknown field":         change(`"done": 2`, `"done": 2, "force": true`),
		"more text":                string(good) + "{}",
		"a step from elsewhere":    change(`"from": 30`, `"from": 31`),
		"a step to elsewhere":      change(`"to": 10`, `"to": 11`),
		"a step that inverts":      change(`"to": 10`, `"to": 35`),
		"another policy":           change(`"policy": "break-glass"`, `"policy": "break-wood"`),
		"a name with an escape":    strings.ReplaceAll(string(good), "break-glass", `break\u001b[2J`),
		"a context with an escape": change(`"demo"`, `"\u202edemo"`),
		"a priority out of range":  change(`"priority": 120`, `"priority": 1200`),
		"a range out of range":     change(`"max_priority": 99`, `"max_priority": 9999`),
		"a wrong end":              change(`"then": [`, `"then": [{"policy":"ghost","priority":1},`),
		"far too long":             string(good) + strings.Repeat(" ", MaxProgressSize),
	} {
		if p, err := DecodeProgress([]byte(text)); err == nil {
			t.Errorf("%s is taken: %+v", name, p)
		} else if !strings.HasPrefix(err.Error(), "reading the progress of a plan: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&PlanProgress{Plan: respaced(t), Done: 99}).Encode(); err == nil {
		t.Error("99 of 7 steps done is stored")
	}
}

func TestProgressThereAndBack(t *testing.T) {
	p := &PlanProgress{Context: "demo", Plan: respaced(t)}
	at := p.Plan.Now
	walk := func(limit int) {
		for range limit {
			s, ok := p.NextStep()
			if !ok {
				return
			}
			next, err := ReplaySteps(at, []Step{s})
			if err != nil {
				t.Fatal(err)
			}
			at = next
			p.Advance()
			want, err := ReplaySteps(p.Plan.Now, p.Plan.Steps[:p.Done])
			if err != nil || show(at) != show(want) {
				t.Fatalf("after %d steps at %s, %v; want %s", p.Done, show(at), err, show(want))
			}
			if done, err := p.LocateSteps(at); err != nil || done != p.Done {
				t.Fatalf("located at %d, %v; want %d", done, err, p.Done)
			}
		}
	}
	walk(4)
	if p.Done != 4 || p.IsFinished() {
		t.Fatalf("%d done, finished %v", p.Done, p.IsFinished())
	}
	p.Back = true
	walk(2)
	p.Back = false
	walk(99)
	if !p.IsFinished() || show(at) != show(p.Plan.Then) {
		t.Fatalf("at the end: %s", show(at))
	}
	p.Advance()
	if p.Done != 7 {
		t.Errorf("%d done after the end", p.Done)
	}
	p.Back = true
	walk(99)
	if !p.IsFinished() || p.Done != 0 || show(at) != show(p.Plan.Now) {
		t.Errorf("back at the start: %s", show(at))
	}
}

// A part of a plan is run like a plan, and rolled back to where it began: the undo of half
// a plan goes from there to nothing.
func TestProgressOfAPart(t *testing.T) {
	p := &PlanProgress{Context: "demo", Plan: respaced(t), Done: 3, Part: &PlanPart{From: 3, To: 0}}
	raw, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = DecodeProgress(raw); err != nil || *p.Part != (PlanPart{From: 3, To: 0}) {
		t.Fatalf("%+v, %v", p, err)
	}
	all := p.AllSteps()
	if len(all) != 3 || all[0].Policy != p.Plan.Steps[2].Policy || all[0].From != p.Plan.Steps[2].To || all[0].Note != "rolls step 3 back" {
		t.Fatalf("%+v", all)
	}
	if diff := cmp.Diff(all, p.StepsLeft()); diff != "" {
		t.Errorf("left of it (-want +got)\n%s", diff)
	}
	p.Advance()
	p.Advance()
	if p.Done != 1 || p.StepsMade(p.Done) != 2 || len(p.StepsLeft()) != 1 || p.IsFinished() {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff(all[1:2], p.StepsSince(2)); diff != "" {
		t.Errorf("since then (-want +got)\n%s", diff)
	}
	p.Back = true
	if s, ok := p.NextStep(); !ok || s != p.Plan.Steps[1] || len(p.StepsLeft()) != 2 {
		t.Errorf("back: %+v", s)
	}
	p.Advance()
	p.Advance()
	if !p.IsFinished() || p.Done != 3 {
		t.Errorf("%+v", p)
	}
	for _, bad := range []PlanProgress{{Done: 1, Part: &PlanPart{From: 3, To: 2}}, {Part: &PlanPart{From: -1}}, {Part: &PlanPart{To: 99}}} {
		bad.Plan = p.Plan
		if _, err := bad.Encode(); err == nil {
			t.Errorf("%d done on %+v is stored", bad.Done, bad.Part)
		}
	}
}

// A step is hindered by what it would change places with, or be tied with.
func TestHinders(t *testing.T) {
	p := &PlanProgress{Plan: respaced(t)}
	s, _ := p.NextStep() // break-glass 30 → 10
	for now, want := range map[string]string{
		sketch:            "",
		sketch + "; 31 x": "", sketch + "; 9 x": "",
		sketch + "; 30 x": "x is new at 30, in the way",
		sketch + "; 10 x": "x is new at 10, in the way",
		sketch + "; 20 x": "x is new at 20, in the way",
		strings.Replace(sketch, "43 isolation", "20 isolation", 1): "isolation is at 20, the plan expects 43",
		strings.Replace(sketch, "43 isolation", "44 isolation", 1): "",
	} {
		got := ""
		if a, ok := p.BlockingPolicy(s, slots(now)); ok {
			got = a.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", now, got, want)
		}
	}
}

func TestLocate(t *testing.T) {
	p := &PlanProgress{Context: "demo", Plan: respaced(t), Done: 1}
	tests := []struct {
		name, now string
		done      int
		err       string
	}{
		{name: "as recorded", now: strings.Replace(sketch, "30 break", "10 break", 1), done: 1},
		{name: "a step further than recorded", now: "10 break-glass; 20 cluster-control; 40 blue green; 43 isolation; 60 metrics quarantine; 120 experimental", done: 2},
		{name: "put back", now: sketch, done: 0},
		{name: "one moved by hand", now: strings.Replace(sketch, "43 isolation", "44 isolation", 1), err: "the ladder changed outside the plan: isolation is at 44, the plan expects 43"},
		{name: "one gone", now: strings.Replace(sketch, "43 isolation;", "", 1), err: "the ladder changed outside the plan: isolation is gone, the plan expects 43"},
		{name: "one gone that stays where it is", now: strings.Replace(sketch, "; 120 experimental", "", 1), done: 0},
		{name: "two new", now: sketch + "; 70 z; 71 y", done: 0},
	}
	for _, tt := range tests {
		done, err := p.LocateSteps(slots(tt.now))
		if tt.err != "" {
			if !errors.Is(err, ErrElsewhere) || err.Error() != tt.err {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || done != tt.done {
			t.Errorf("%s: %d, %v; want %d", tt.name, done, err, tt.done)
		}
	}
}

// Only the points of its way count for a part of a plan, and only the policies that move
// there: where the others stand keeps no plan from going on, unless it passes them.
func TestLocateOnItsWay(t *testing.T) {
	p := &PlanProgress{Context: "demo", Plan: respaced(t), Done: 2, Part: &PlanPart{From: 3, To: 1}}
	made, err := ReplaySteps(p.Plan.Now, p.Plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		at   []Placement
		done int
	}{"none is made, of which only the second and the third count": {slots(sketch), 1}, "all are made": {made, 3}} {
		if done, err := p.LocateSteps(tt.at); err != nil || done != tt.done {
			t.Errorf("%s: %d, %v", name, done, err)
		}
	}
	here, err := ReplaySteps(p.Plan.Now, p.Plan.Steps[:2])
	if err != nil {
		t.Fatal(err)
	}
	put := func(policy string) []Placement {
		at := slices.Clone(here)
		for i := range at {
			if at[i].Policy == policy {
				at[i].Priority = 900
			}
		}
		return at
	}
	for i, s := range p.Plan.Steps {
		moves := i == 1 || i == 2
		done, err := p.LocateSteps(put(s.Policy))
		if errors.Is(err, ErrElsewhere) != moves || !moves && done != 2 {
			t.Errorf("step %d, %s is elsewhere: %d, %v", i+1, s.Policy, done, err)
		}
		if step, found := p.Obstacles(put(s.Policy), false); moves && (step != 0 || len(found) == 0) {
			t.Errorf("step %d, %s is elsewhere: step %d, %v", i+1, s.Policy, step, found)
		}
	}
}
