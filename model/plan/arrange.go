package plan

import (
	"fmt"
	"slices"

	"rung/model/words"
)

// Respace spreads the supported priorities evenly: the first moves to start, and each following one is step
// further. Order and ties stay. Policies above the supported range do not move. If the range is too small the
// error is ErrNoSpace and names a spacing that fits.
func (b *Board) Respace(step, start int32) (Plan, error) {
	n := len(b.supportedGroups())
	switch {
	case step < 1:
		return Plan{}, fmt.Errorf("step %d: priorities must be at least 1 apart", step)
	case start < 0:
		return Plan{}, fmt.Errorf("start %d: the first priority is 0", start)
	case n == 1 && step > b.max:
		return Plan{}, fmt.Errorf("%w: step %d is too large, priorities end at %d; largest possible: %s", ErrNoSpace, step, b.max, b.widest())
	}
	if last := int64(start) + int64(step)*int64(n-1); n > 0 && last > int64(b.max) {
		return Plan{}, b.noSpaceError(step, start, last, n)
	}
	groups := slices.Clone(b.groups)
	for i := range n {
		groups[i].to = start + step*int32(i)
	}
	p, err := b.scheduleMoves(groups)
	if err != nil {
		return Plan{}, fmt.Errorf("re-spacing with %s: %w", Spacing{step, start}, err)
	}
	p.Title = Spacing{step, start}.Title()
	for _, g := range groups[n:] {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays at %d: above %d, not enforced", words.ListFew(g.members, 3), g.from, b.max))
	}
	return p, nil
}

func (b *Board) noSpaceError(step, start int32, last int64, n int) error {
	text := fmt.Sprintf("%d priorities with %s end at %d; %d is the last enforced one", n, Spacing{step, start}, last, b.max)
	if widest, from := b.WidestSpacing(); widest < step {
		return fmt.Errorf("%w: %s; largest possible: %s", ErrNoSpace, text, Spacing{widest, from})
	}
	return fmt.Errorf("%w: %s; start at %d or less", ErrNoSpace, text, int64(start)-(last-int64(b.max)))
}

// WidestSpacing returns the largest possible step of Respace. start leaves a gap in front as large as the
// step, if possible. step is 0 if nothing needs spreading.
func (b *Board) WidestSpacing() (step, start int32) {
	n := int32(len(b.supportedGroups()))
	switch n {
	case 0:
		return 0, 0
	case 1:
		return b.max, b.max
	}
	step = b.max / (n - 1)
	return step, min(step, b.max-step*(n-1))
}

// widest returns WidestSpacing as a Spacing.
func (b *Board) widest() Spacing {
	step, start := b.WidestSpacing()
	return Spacing{step, start}
}

// Spacing says how a ladder is re-spaced: the distance between priorities, and the first priority.
type Spacing struct{ Step, Start int32 }

// String returns the spacing as people write it: "step 10, starting at 10".
func (s Spacing) String() string { return fmt.Sprintf("step %d, starting at %d", s.Step, s.Start) }

// usual is the proposed step if it fits.
const usual = 10

// UsualSpacing returns the default proposal on every screen and on the command line: step 10, starting at 10,
// or the largest possible spacing if that does not fit.
func (b *Board) UsualSpacing() Spacing {
	s := b.SpacingOfStep(usual)
	if step, start := b.WidestSpacing(); step > 0 && step < s.Step {
		return Spacing{step, start}
	}
	return s
}

// SpacingOfStep returns the spacing for a step without a given start: the gap in front is the step, if it fits.
func (b *Board) SpacingOfStep(step int32) Spacing {
	start := step
	if n := len(b.supportedGroups()); n > 0 {
		start = int32(max(0, min(int64(step), int64(b.max)-int64(step)*int64(n-1))))
	}
	return Spacing{step, start}
}

// LargestSpacingText returns a note with the largest possible spacing, empty if nothing needs spreading.
func (b *Board) LargestSpacingText() string {
	step, start := b.WidestSpacing()
	if step == 0 {
		return ""
	}
	return "Largest possible: " + Spacing{step, start}.String()
}

// Title returns the title of the change that re-spaces the ladder this way.
func (s Spacing) Title() string { return "re-space: " + s.String() }
