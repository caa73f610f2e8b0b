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

// AstrayPolicy is a policy away from the place that the plan expects.
type AstrayPolicy struct {
	Policy             string
	Priority, Expected int32
	IsGone             bool // it is not on the ladder
	IsNew              bool // the plan does not know it
}

// String returns the policy's actual and expected place.
func (a AstrayPolicy) String() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("%s is gone, the plan expects %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("%s is new at %d, in the way", a.Policy, a.Priority)
	}
	return fmt.Sprintf("%s is at %d, the plan expects %d", a.Policy, a.Priority, a.Expected)
}

// WayOutText returns the step that corrects it: "move allow-metrics back to 40".
func (a AstrayPolicy) WayOutText() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("restore %s at %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("move %s away", a.Policy)
	}
	return fmt.Sprintf("move %s back to %d", a.Policy, a.Expected)
}

// AstrayError names the policies that keep a plan from continuing. It is an ErrElsewhere.
type AstrayError struct{ Policies []AstrayPolicy }

func (e *AstrayError) Error() string {
	return ErrElsewhere.Error() + ": " + e.PlacesText()
}

// PlacesText returns the actual and expected places of up to three policies.
func (e *AstrayError) PlacesText() string {
	return words.JoinAtMost(astrayTexts(e.Policies, AstrayPolicy.String), "; ", 3)
}

// Unwrap makes it an ErrElsewhere.
func (e *AstrayError) Unwrap() error { return ErrElsewhere }

// WayOutText returns the steps that correct up to three policies.
func (e *AstrayError) WayOutText() string {
	return words.JoinAtMost(astrayTexts(e.Policies, AstrayPolicy.WayOutText), ", ", 3)
}

func astrayTexts(all []AstrayPolicy, text func(AstrayPolicy) string) (out []string) {
	for _, a := range all {
		out = append(out, text(a))
	}
	return out
}

// LocateSteps finds how many steps are done in the current ladder, since the last step may be done but
// unrecorded. Only policies moved in this part of the plan count, and only points of this part.
// HinderingPolicy judges all other policies, step by step. If a policy is gone or no point matches, the error
// is an AstrayError: it names the policies away from the nearest point.
func (p *PlanProgress) LocateSteps(current []Slot) (done int, err error) {
	w := p.PartUnderWay()
	nearest, least := p.Done, p.AstrayAfter(p.Done, current)
	for k := min(w.From, w.To); k <= max(w.From, w.To) && len(least) > 0; k++ {
		if found := p.AstrayAfter(k, current); len(found) < len(least) {
			nearest, least = k, found
		}
	}
	if len(least) > 0 {
		return 0, &AstrayError{least}
	}
	return nearest, nil
}

// AstrayAfter returns the policies of this part of the plan that deviate from their places after some steps,
// by name.
func (p *PlanProgress) AstrayAfter(done int, current []Slot) (out []AstrayPolicy) {
	at, places := priorityByPolicy(current), p.Plan.placesAfter(done)
	way := map[string]bool{}
	for _, s := range p.AllSteps() {
		way[s.Policy] = true
	}
	for policy, want := range places {
		switch is, ok := at[policy]; {
		case !way[policy]:
		case !ok:
			out = append(out, AstrayPolicy{Policy: policy, Expected: want, IsGone: true})
		case is != want:
			out = append(out, AstrayPolicy{Policy: policy, Priority: is, Expected: want})
		}
	}
	slices.SortFunc(out, func(a, b AstrayPolicy) int { return cmp.Compare(a.Policy, b.Policy) })
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
func (p *PlanProgress) Obstacles(current []Slot, back bool) (step int, found []AstrayPolicy) {
	q := *p
	done, err := q.LocateSteps(current)
	var astray *AstrayError
	if errors.As(err, &astray) {
		return 0, astray.Policies
	}
	q.Done, q.Back = done, back
	at := slices.Clone(current)
	for _, s := range q.StepsLeft() {
		if a, ok := q.HinderingPolicy(s, at); ok {
			step = q.StepsMade(q.Done)
			if !back {
				step++
			}
			return step, []AstrayPolicy{a}
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

// HinderingPolicy returns a policy for which a step would now have another effect than planned. Such a policy
// is unknown to the plan or elsewhere, and would change order with the moving policy or be tied with it. ok is
// false if there is none.
func (p *PlanProgress) HinderingPolicy(s Step, current []Slot) (a AstrayPolicy, ok bool) {
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
			return AstrayPolicy{Policy: c.Policy, Priority: c.Priority, IsNew: true}, true
		case known && want != c.Priority && (passed(c.Priority) || passed(want)):
			return AstrayPolicy{Policy: c.Policy, Priority: c.Priority, Expected: want}, true
		}
	}
	return AstrayPolicy{}, false
}

func priorityByPolicy(slots []Slot) map[string]int32 {
	at := make(map[string]int32, len(slots))
	for _, s := range slots {
		at[s.Policy] = s.Priority
	}
	return at
}
