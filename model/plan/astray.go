package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rung/model/words"
)

// ErrElsewhere marks a ladder that stands at no point of the plan: somebody
// else changed it.
var ErrElsewhere = errors.New("the ladder is not where the plan left it")

// AstrayPolicy is a policy that is not where the plan expects it.
type AstrayPolicy struct {
	Policy             string
	Priority, Expected int32
	IsGone             bool // it is not on the ladder
	IsNew              bool // the plan does not know it
}

// String says where the policy is and where the plan expects it.
func (a AstrayPolicy) String() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("%s is gone, the plan expects %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("%s is new at %d, where it passes", a.Policy, a.Priority)
	}
	return fmt.Sprintf("%s stands at %d, the plan expects %d", a.Policy, a.Priority, a.Expected)
}

// WayOutText returns the step that puts it right: "move allow-metrics back to 40".
func (a AstrayPolicy) WayOutText() string {
	switch {
	case a.IsGone:
		return fmt.Sprintf("restore %s at %d", a.Policy, a.Expected)
	case a.IsNew:
		return fmt.Sprintf("move %s away", a.Policy)
	}
	return fmt.Sprintf("move %s back to %d", a.Policy, a.Expected)
}

// AstrayError names the policies that keep a plan from going on. It is an ErrElsewhere.
type AstrayError struct{ Policies []AstrayPolicy }

func (e *AstrayError) Error() string {
	return ErrElsewhere.Error() + ": " + e.PlacesText()
}

// PlacesText says of up to three policies where they are and where the plan
// expects them.
func (e *AstrayError) PlacesText() string {
	return words.JoinAtMost(astrayTexts(e.Policies, AstrayPolicy.String), "; ", 3)
}

// Unwrap makes it an ErrElsewhere.
func (e *AstrayError) Unwrap() error { return ErrElsewhere }

// WayOutText returns the steps that put up to three of them right.
func (e *AstrayError) WayOutText() string {
	return words.JoinAtMost(astrayTexts(e.Policies, AstrayPolicy.WayOutText), ", ", 3)
}

func astrayTexts(all []AstrayPolicy, text func(AstrayPolicy) string) (out []string) {
	for _, a := range all {
		out = append(out, text(a))
	}
	return out
}

// LocateSteps finds how many steps are done in a ladder as it is now: the last step may
// have been done without being recorded. Only the policies that it moves on its way
// count, and only the points there; what others do is judged step by step
// (PlanProgress.HinderingPolicy), also those that the plan moves before or after its way. The error is an
// AstrayError when they are at no point of the way,
// or one is gone: it names those that are not where the nearest point has them.
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

// AstrayAfter are the policies that the plan moves on its way and that are elsewhere than after so
// many of its steps, by name.
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

// placesAfter is where the policies stand that the plan moves, after so many of its steps.
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

// Obstacles returns the policies that keep a plan from being brought to its end as the
// ladder is now, none where nothing does. step is the number of the step that meets them,
// 0 where they keep all of it. With back the plan is not finished but rolled back.
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

// HinderingPolicy says why a step of the plan would do something else in a ladder as it is now
// than when the plan was made: a policy that is not of the plan, or stands elsewhere,
// would change places with the one that moves, or be tied with it. ok is false when
// nothing does.
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
