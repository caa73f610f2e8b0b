package plan

import (
	"fmt"
	"slices"

	"rung/model/words"
)

// Step changes the priority of one policy. It may start only after every zone's rows show the step before.
type Step struct {
	Policy string `json:"policy"`
	From   int32  `json:"from"`
	To     int32  `json:"to"`
	// Note says what else holds after the step, e.g. the order within a tie that is split for a while.
	Note string `json:"note,omitempty"`
}

// Plan leads from one arrangement to another.
type Plan struct {
	// Title describes the plan: "re-space: step 10, starting at 10".
	Title string `json:"title,omitempty"`
	// Max is the largest supported priority, as assumed by the plan.
	Max   int32       `json:"max_priority"`
	Now   []Placement `json:"now"`  // by priority, then name
	Then  []Placement `json:"then"` // likewise
	Steps []Step      `json:"steps"`
	Notes []string    `json:"notes"`
}

// scheduleMoves orders the moves of groups whose targets rise with their priorities.
//
// Groups that move to larger numbers go first, beginning with the last group on the ladder. Groups that move
// to smaller numbers follow, beginning with the first. So a group always finds its target, and all numbers on
// the way, free: the neighbour it approaches has moved already, stays, or moves the other way and was never
// between. A group in motion occupies only its old and new number, so each policy moves only once, the least
// possible.
func (b *Board) scheduleMoves(groups []priorityGroup) (Plan, error) {
	p := Plan{Max: b.max, Now: b.Placements(), Steps: []Step{}, Notes: []string{}}
	for i, g := range groups {
		if i > 0 && g.to <= groups[i-1].to {
			return Plan{}, fmt.Errorf("%s would no longer decide after %s", g.members[0], groups[i-1].members[0])
		}
		for _, m := range g.members {
			p.Then = append(p.Then, Placement{m, g.to})
		}
	}
	parted := [][2]int{}
	move := func(g priorityGroup) {
		first := len(p.Steps) + 1
		for i, m := range g.members {
			p.Steps = append(p.Steps, Step{Policy: m, From: g.from, To: g.to, Note: tieNote(g, i, first)})
		}
		if n := len(g.members); n > 1 {
			parted = append(parted, [2]int{first, first + n - 2})
		}
	}
	for _, g := range slices.Backward(groups) {
		if g.to > g.from {
			move(g)
		}
	}
	for _, g := range groups {
		if g.to < g.from {
			move(g)
		}
	}
	if p.Then == nil {
		p.Then = []Placement{}
	}
	p.addNotes(parted)
	return p, nil
}

// tieNote returns the note for the i-th move within a tie: the first move notes the order of the broken tie,
// the last its end. first is the number of the first move's step.
func tieNote(g priorityGroup, i, first int) string {
	switch n := len(g.members); {
	case n == 1 || i > 0 && i < n-1:
		return ""
	case i == n-1:
		return fmt.Sprintf("tied again at %d", g.to)
	case n == 2:
		low, high := g.members[0], g.members[1]
		if g.to > g.from {
			low, high = high, low
		}
		return fmt.Sprintf("tie broken until step %d: %s (%d) comes before %s (%d)", first+1, low, min(g.from, g.to), high, max(g.from, g.to))
	}
	return fmt.Sprintf("tie broken until step %d: of %s, those at %d come before those at %d", first+len(g.members)-1,
		words.ListSome(g.members, 4), min(g.from, g.to), max(g.from, g.to))
}

// addNotes adds a summary of the plan. parted are the runs of steps after which a tie is broken.
func (p *Plan) addNotes(parted [][2]int) {
	if len(p.Steps) == 0 {
		p.Notes = append(p.Notes, "nothing to apply: already in this order")
		return
	}
	p.Notes = append(p.Notes, words.Count(len(p.Steps), "step")+"; at no step do two policies swap order or become newly tied")
	for _, run := range parted {
		p.Notes = append(p.Notes, tieBroken(run[0], run[1]))
	}
}

// ReplaySteps returns the policies after the steps, by priority and name. The error reports a step whose
// policy is not where the step begins.
func ReplaySteps(start []Placement, steps []Step) ([]Placement, error) {
	at := priorityByPolicy(start)
	for i, s := range steps {
		switch p, ok := at[s.Policy]; {
		case !ok:
			return nil, fmt.Errorf("step %d moves %s, which is not on the ladder", i+1, s.Policy)
		case p != s.From:
			return nil, fmt.Errorf("step %d moves %s from %d, but it is at %d", i+1, s.Policy, s.From, p)
		}
		at[s.Policy] = s.To
	}
	out := make([]Placement, 0, len(at))
	for policy, p := range at {
		out = append(out, Placement{policy, p})
	}
	sortPlacements(out)
	return out, nil
}

// VerifySteps checks steps from a starting arrangement, independently of how they were made. After every step,
// policies of different priorities must still have different priorities, in the same order. A policy must be
// enforced, up to priority max, if and only if it was. After all steps, tied policies must be tied again. The
// error names the first failing step.
func VerifySteps(steps []Step, start []Placement, max int32) error {
	was := make(map[string]int32, len(start))
	at := make(map[string]int32, len(start))
	for _, s := range start {
		if _, twice := was[s.Policy]; twice {
			return fmt.Errorf("policy %s is on the ladder twice", s.Policy)
		}
		was[s.Policy], at[s.Policy] = s.Priority, s.Priority
	}
	for i, s := range steps {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("step %d (%s %d → %d): %s", i+1, s.Policy, s.From, s.To, fmt.Sprintf(format, args...))
		}
		switch p, ok := at[s.Policy]; {
		case !ok:
			return fail("the policy is not on the ladder")
		case p != s.From:
			return fail("the policy is at %d", p)
		case s.From == s.To:
			return fail("moves nothing")
		case s.To < 0 || s.To > LargestPriority:
			return fail("the priority must be 0–%d", LargestPriority)
		case s.From <= max && s.To > max:
			return fail("the policy would no longer be enforced: above %d", max)
		case s.From > max && s.To <= max:
			return fail("the policy would become enforced")
		}
		at[s.Policy] = s.To
		// Only pairs with the moved policy can have changed.
		for _, o := range start {
			if o.Policy == s.Policy || o.Priority == was[s.Policy] {
				continue
			}
			switch {
			case at[o.Policy] == s.To:
				return fail("ties it with %s", o.Policy)
			case (was[s.Policy] < o.Priority) != (s.To < at[o.Policy]):
				return fail("inverts it with %s (%d)", o.Policy, at[o.Policy])
			}
		}
	}
	first := map[int32]string{}
	for _, s := range start {
		o, ok := first[s.Priority]
		if !ok {
			first[s.Priority] = s.Policy
		} else if at[o] != at[s.Policy] {
			return fmt.Errorf("after all steps %s (%d) and %s (%d), tied before, are apart", o, at[o], s.Policy, at[s.Policy])
		}
	}
	return nil
}
