package edit

import (
	udiff "github.com/aymanbagabas/go-udiff"
)

// Merge puts the changes from base to a and from base to b into one text. ok is
// false when they touch: when both change a line, or one adds where the other
// changes or adds. Changes that are the same on both sides are made once.
func Merge(base, a, b string) (merged string, ok bool) {
	ea, eb := udiff.Lines(base, a), udiff.Lines(base, b)
	edits := make([]udiff.Edit, 0, len(ea)+len(eb))
	for len(ea) > 0 && len(eb) > 0 {
		switch x, y := ea[0], eb[0]; {
		case x == y:
			edits = append(edits, x)
			ea, eb = ea[1:], eb[1:]
		case before(x, y):
			edits = append(edits, x)
			ea = ea[1:]
		case before(y, x):
			edits = append(edits, y)
			eb = eb[1:]
		default:
			return "", false
		}
	}
	edits = append(append(edits, ea...), eb...)
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

// before says whether x ends where y has not begun. Where they meet, both must
// replace lines: an addition at that point could belong on either side.
func before(x, y udiff.Edit) bool {
	return x.End < y.Start || x.End == y.Start && x.Start < x.End && y.Start < y.End
}
