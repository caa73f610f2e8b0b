package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rung/model/words"
)

// ErrElsewhere marks a ladder that matches no point of the plan, since another change was made.
var ErrElsewhere = errors.New("the ladder changed outside the plan")

// MisplacedPolicy is a policy away from the place that the plan expects.
type MisplacedPolicy struct {
	Policy             string
	Priority, Expected int32
	IsGone             bool // it is not on the ladder
	IsNew              bool // the plan does not know it
}

// String returns the policy's actual and expected place.
func (a MisplacedPolicy) String() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("%s is gone, the plan expects %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("%s is new at %d, in the way", a.Policy, a.Priority)
	}
	return fmt.Sprintf("%s is at %d, the plan expects %d", a.Policy, a.Priority, a.Expected)
}

// RemedyText returns the step that corrects it: "move allow-metrics back to 40".
func (a MisplacedPolicy) RemedyText() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("restore %s at %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("move %s away", a.Policy)
	}
	return fmt.Sprintf("move %s back to %d", a.Policy, a.Expected)
}

// MisplacedError names the policies that keep a plan from continuing. It is an ErrElsewhere.
type MisplacedError struct{ Policies []MisplacedPolicy }

func (e *MisplacedError) Error() string {
	return ErrElsewhere.Error() + ": " + e.PlacesText()
}

// PlacesText returns the actual and expected places of up to three policies.
func (e *MisplacedError) PlacesText() string {
	return words.JoinAtMost(misplacedTexts(e.Policies, MisplacedPolicy.String), "; ", 3)
}

// Unwrap makes it an ErrElsewhere.
func (e *MisplacedError) Unwrap() error { return ErrElsewhere }

// RemedyText returns the steps that correct up to three policies.
func (e *MisplacedError) RemedyText() string {
	return words.JoinAtMost(misplacedTexts(e.Policies, MisplacedPolicy.RemedyText), ", ", 3)
}

func misplacedTexts(all []MisplacedPolicy, text func(MisplacedPolicy) string) (out []string) {
	for _, a := range all {
		out = append(out, text(a))
	}
	return out
}

// LocateSteps finds how many steps are done in the current ladder, since the last step may be done but
// unrecorded. Only policies moved in this part of the plan count, and only points of this part.
// BlockingPolicy judges all other policies, step by step. If a policy is gone or no point matches, the error
// is an MisplacedError: it names the policies away from the nearest point.
func (p *PlanProgress) LocateSteps(current []Placement) (done int, err error) {
	w := p.CurrentPart()
	nearest, least := p.Done, p.MisplacedAfter(p.Done, current)
	for k := min(w.From, w.To); k <= max(w.From, w.To) && len(least) > 0; k++ {
		if found := p.MisplacedAfter(k, current); len(found) < len(least) {
			nearest, least = k, found
		}
	}
	if len(least) > 0 {
		return 0, &MisplacedError{least}
	}
	return nearest, nil
}

// MisplacedAfter returns the policies of this part of the plan away from their places after some steps, by name.
func (p *PlanProgress) MisplacedAfter(done int, current []Placement) (out []MisplacedPolicy) {
	at, places := priorityByPolicy(current), p.Plan.placesAfter(done)
	way := map[string]bool{}
	for _, s := range p.AllSteps() {
		way[s.Policy] = true
	}
	for policy, want := range places {
		switch is, ok := at[policy]; {
		case !way[policy]:
		case !ok:
			out = append(out, MisplacedPolicy{Policy: policy, Expected: want, IsGone: true})
		case is != want:
			out = append(out, MisplacedPolicy{Policy: policy, Priority: is, Expected: want})
		}
	}
	slices.SortFunc(out, func(a, b MisplacedPolicy) int { return cmp.Compare(a.Policy, b.Policy) })
	return out
}

// placesAfter returns the places of the policies that the plan moves, after some steps.
func (p *Plan) placesAfter(done int) map[string]int32 {
	out := map[string]int32{}
	for i, s := range p.Steps {
		if _, ok := out[s.Policy]; !ok {
			out[s.Policy] = s.From
		}
		if i < done {
			out[s.Policy] = s.To
		}
	}
	return out
}

// Obstacles returns the policies that keep a plan from finishing in the current ladder. step is the number of
// the first affected step, 0 if all are affected. With back the plan is rolled back instead of finished.
func (p *PlanProgress) Obstacles(current []Placement, back bool) (step int, found []MisplacedPolicy) {
	q := *p
	done, err := q.LocateSteps(current)
	var astray *MisplacedError
	if errors.As(err, &astray) {
		return 0, astray.Policies
	}
	q.Done, q.Back = done, back
	at := slices.Clone(current)
	for _, s := range q.StepsLeft() {
		if a, ok := q.BlockingPolicy(s, at); ok {
			step = q.StepsMade(q.Done)
			if !back {
				step++
			}
			return step, []MisplacedPolicy{a}
		}
		for i := range at {
			if at[i].Policy == s.Policy {
				at[i].Priority = s.To
			}
		}
		q.Advance()
	}
	return 0, nil
}

// BlockingPolicy returns a policy for which a step would now have another effect than planned. Such a policy
// is unknown to the plan or elsewhere, and would change order with the moving policy or be tied with it. ok is
// false if there is none.
func (p *PlanProgress) BlockingPolicy(s Step, current []Placement) (a MisplacedPolicy, ok bool) {
	expected := priorityByPolicy(p.Plan.Now)
	for policy, at := range p.Plan.placesAfter(p.Done) {
		expected[policy] = at
	}
	low, high := min(s.From, s.To), max(s.From, s.To)
	passed := func(at int32) bool { return at >= low && at <= high }
	for _, c := range current {
		want, known := expected[c.Policy]
		switch {
		case c.Policy == s.Policy:
		case !known && passed(c.Priority):
			return MisplacedPolicy{Policy: c.Policy, Priority: c.Priority, IsNew: true}, true
		case known && want != c.Priority && (passed(c.Priority) || passed(want)):
			return MisplacedPolicy{Policy: c.Policy, Priority: c.Priority, Expected: want}, true
		}
	}
	return MisplacedPolicy{}, false
}

func priorityByPolicy(slots []Placement) map[string]int32 {
	at := make(map[string]int32, len(slots))
	for _, s := range slots {
		at[s.Policy] = s.Priority
	}
	return at
}
