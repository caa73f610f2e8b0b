package plan

import "fmt"

// Spacing is how a ladder is re-spaced: the distance between two priorities, and the
// first of them.
type Spacing struct{ Step, Start int32 }

// String is the spacing as people write it: "step 10, starting at 10".
func (s Spacing) String() string { return fmt.Sprintf("step %d, starting at %d", s.Step, s.Start) }

// usual is the step that is proposed where it fits.
const usual = 10

// Usual is the spacing that is proposed first, on every screen and on the command line:
// step 10, starting at 10, or the largest possible one where that does not fit.
func (b *Board) Usual() Spacing {
	s := b.Spaced(usual)
	if step, start := b.Widest(); step > 0 && step < s.Step {
		return Spacing{step, start}
	}
	return s
}

// Spaced is the spacing for a step when nobody says where to start: with as much room in
// front as between, as far as there is.
func (b *Board) Spaced(step int32) Spacing {
	start := step
	if n := len(b.supported()); n > 0 {
		start = int32(max(0, min(int64(step), int64(b.max)-int64(step)*int64(n-1))))
	}
	return Spacing{step, start}
}

// Largest says which spacing is the largest possible, empty where nothing needs
// spreading.
func (b *Board) Largest() string {
	step, start := b.Widest()
	if step == 0 {
		return ""
	}
	return "Largest possible: " + Spacing{step, start}.String()
}

// Title is what re-spacing the ladder that way is called.
func (s Spacing) Title() string { return "re-space: " + s.String() }
