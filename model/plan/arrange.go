package plan

import (
	"fmt"
	"slices"

	"rung/model/words"
)

// Respace spreads the supported priorities evenly: the first goes to start and
// each next one step further. Order and ties stay. Policies above the supported
// range stay where they are. When the range cannot hold the result the error is
// ErrNoRoom and says what would fit.
func (b *Board) Respace(step, start int32) (Plan, error) {
	return b.respace(step, start, b.supported(), b.unsupported())
}

// RespaceAll is Respace for the policies above the supported range too: they
// follow the others and come into force.
func (b *Board) RespaceAll(step, start int32) (Plan, error) {
	return b.respace(step, start, b.groups, nil)
}

func (b *Board) respace(step, start int32, move, stay []group) (Plan, error) {
	switch {
	case step < 1:
		return Plan{}, fmt.Errorf("step %d: priorities must be at least 1 apart", step)
	case start < 0:
		return Plan{}, fmt.Errorf("start %d: the first priority is 0", start)
	}
	if last := int64(start) + int64(step)*int64(len(move)-1); len(move) > 0 && last > int64(b.max) {
		return Plan{}, b.noRoom(step, start, last, len(move))
	}
	groups := slices.Concat(move, stay)
	for i := range move {
		groups[i].to = start + step*int32(i)
	}
	p, err := b.schedule(groups)
	if err != nil {
		return Plan{}, fmt.Errorf("re-spacing by %d from %d: %w", step, start, err)
	}
	for _, g := range stay {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays at %d: above %d, not enforced", words.Few(g.members, 3), g.from, b.max))
	}
	return p, nil
}

func (b *Board) noRoom(step, start int32, last int64, n int) error {
	text := fmt.Sprintf("%d priorities in steps of %d from %d end at %d, and %d is the last that is enforced", n, step, start, last, b.max)
	switch widest, from := widest(n, b.max); {
	case widest == 0:
		return fmt.Errorf("%w: %s; more than %d priorities never fit: join or remove some", ErrNoRoom, text, b.max+1)
	case widest < step:
		return fmt.Errorf("%w: %s; the widest step that fits is %d, from %d or less", ErrNoRoom, text, widest, from)
	default:
		return fmt.Errorf("%w: %s; start at %d or less", ErrNoRoom, text, int64(start)-(last-int64(b.max)))
	}
}

// Widest is the largest step that Respace can use and the largest start that
// leaves as much room in front as between, as far as there is; the step is 0
// when nothing needs spreading.
func (b *Board) Widest() (step, start int32) { return widest(len(b.supported()), b.max) }

// widest is the largest step for n priorities of 0 to max, 0 for none, and the
// largest start that goes with it, not above the step.
func widest(n int, max int32) (step, start int32) {
	switch {
	case n == 0 || int64(n) > int64(max)+1:
		return 0, 0
	case n == 1:
		return max + 1, max
	}
	step = max / int32(n-1)
	return step, min(step, max-step*int32(n-1))
}

// Arrange leads to a given arrangement of the same policies, which must keep
// order and ties and must not bring policies into force or out of it.
func (b *Board) Arrange(then []Slot) (Plan, error) {
	to := make(map[string]int32, len(then))
	for _, s := range then {
		if s.Priority < 0 || s.Priority > LargestPriority {
			return Plan{}, fmt.Errorf("%s cannot have priority %d: the API takes 0 to %d", s.Policy, s.Priority, LargestPriority)
		}
		to[s.Policy] = s.Priority
	}
	if len(then) != len(b.slots) || len(to) != len(b.slots) {
		return Plan{}, fmt.Errorf("the arrangement has %s, the ladder %d", words.Count(len(to), "policy name"), len(b.slots))
	}
	groups := slices.Clone(b.groups)
	for i := range groups {
		g := &groups[i]
		for j, m := range g.members {
			p, ok := to[m]
			switch {
			case !ok:
				return Plan{}, fmt.Errorf("the arrangement does not say where %s goes", m)
			case j > 0 && p != g.to:
				return Plan{}, fmt.Errorf("%s and %s share priority %d and would part", g.members[0], m, g.from)
			case (p > b.max) != (g.from > b.max):
				return Plan{}, fmt.Errorf("moving %s from %d to %d crosses %d, the last priority that is enforced", m, g.from, p, b.max)
			}
			g.to = p
		}
	}
	return b.schedule(groups)
}
