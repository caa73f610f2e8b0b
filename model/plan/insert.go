package plan

import (
	"fmt"
	"slices"
)

// Insertion is a place for a new policy. ShiftPlan is nil if the priority is free; else its steps free the
// priority first.
type Insertion struct {
	Priority  int32 `json:"priority"`
	ShiftPlan *Plan `json:"room"`
}

// InsertBetween finds a place between two policies: below above, which decides first, and above below. An
// empty name stands for the end of the supported ladder. It takes the middle of the widest free run between
// the two. Without such a run it makes room by moving as few policies as possible, each by one. If all
// supported priorities are in use the error is ErrNoSpace.
func (b *Board) InsertBetween(above, below string) (Insertion, error) {
	lo, hi := int32(-1), b.max+1
	for _, end := range []struct {
		name string
		at   *int32
	}{{above, &lo}, {below, &hi}} {
		if end.name == "" {
			continue
		}
		p, ok := b.Priority(end.name)
		if !ok {
			return Insertion{}, fmt.Errorf("policy %s is not on the ladder", end.name)
		}
		*end.at = p
	}
	switch {
	case lo > b.max:
		return Insertion{}, fmt.Errorf("%s has priority %d: nothing after %d is enforced", above, lo, b.max)
	case lo > hi:
		return Insertion{}, fmt.Errorf("%s (%d) comes after %s (%d), not before", above, lo, below, hi)
	case lo == hi:
		return Insertion{}, fmt.Errorf("%s and %s share priority %d, so nothing fits between them: lower rule numbers decide first, "+
			"and which of two rules with the same number wins is undefined", above, below, lo)
	}
	hi = min(hi, b.max+1)
	best := int32(-1)
	longest := int32(0)
	for _, g := range b.FreeRuns() {
		from, to := max(g.From, lo+1), min(g.To, hi-1)
		if to-from+1 > longest {
			longest, best = to-from+1, from+(to-from)/2
		}
	}
	if longest > 0 {
		return Insertion{Priority: best}, nil
	}
	in, err := b.freePriority(lo, hi)
	if in.ShiftPlan != nil {
		in.ShiftPlan.Title = FreeRunTitle(above, below)
	}
	return in, err
}

// FreeRunTitle names the room between two policies: "room between blue and green". An empty name is the end.
func FreeRunTitle(above, below string) string {
	switch {
	case above == "" && below == "":
		return "room for a policy"
	case below == "":
		return "room below " + above
	case above == "":
		return "room above " + below
	}
	return "room between " + above + " and " + below
}

// freePriority frees a priority between lo and hi, which has none. It shifts either the policies from hi downwards
// or those from lo upwards, up to the next free priority, whichever moves fewer policies.
func (b *Board) freePriority(lo, hi int32) (Insertion, error) {
	down, downCost := b.shiftRun(hi, 1)
	up, upCost := b.shiftRun(lo, -1)
	groups, at := down, hi
	switch {
	case down == nil && up == nil:
		return Insertion{}, fmt.Errorf("%w: all %d supported priorities are in use; "+
			"join two policies' priorities or remove a policy", ErrNoSpace, b.max+1)
	case down == nil, up != nil && upCost < downCost:
		groups, at = up, lo
	}
	p, err := b.scheduleMoves(groups)
	if err != nil {
		return Insertion{}, fmt.Errorf("making room at %d: %w", at, err)
	}
	p.Notes = append(p.Notes, fmt.Sprintf("then %d is free", at))
	return Insertion{Priority: at, ShiftPlan: &p}, nil
}

// shiftRun moves the unbroken run of groups at a priority by one in a direction. It returns nil if the run
// reaches the end of the supported range. cost is the number of moved policies.
func (b *Board) shiftRun(at, by int32) (groups []priorityGroup, cost int) {
	free := at
	for ; b.groupAt(free) >= 0; free += by {
		cost += len(b.groups[b.groupAt(free)].members)
	}
	if free == at || free < 0 || free > b.max {
		return nil, 0
	}
	groups = slices.Clone(b.groups)
	for i := range groups {
		if p := groups[i].from; (by > 0 && p >= at && p < free) || (by < 0 && p <= at && p > free) {
			groups[i].to = p + by
		}
	}
	return groups, cost
}

func (b *Board) groupAt(priority int32) int {
	return slices.IndexFunc(b.groups, func(g priorityGroup) bool { return g.from == priority })
}
