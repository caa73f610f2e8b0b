package engine

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// unified is the unified diff of two texts with the names before them, empty
// when they are equal.
func unified(oldName, newName, old, now string) string {
	old, now = ended(old), ended(now)
	s, err := udiff.ToUnified(oldName, newName, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		// The edits come from the same text, so they fit; should they not, the
		// whole texts still tell.
		return "--- " + oldName + "\n" + old + "+++ " + newName + "\n" + now
	}
	return s
}

// ended ends a text that is not empty with a newline, so that texts that differ
// in nothing else do not differ.
func ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// merge3 puts the changes from base to a and from base to b into one text. ok is
// false when they touch: when both change a line, or one adds where the other
// changes or adds. Changes that are the same on both sides are made once.
func merge3(base, a, b string) (merged string, ok bool) {
	base, a, b = ended(base), ended(a), ended(b)
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

// conflict compares what a change started from with what is there now. merge
// says whether a merged text may be offered; accept judges it.
func conflict(c Conflict, accept func(text string) bool) *Conflict {
	c.Diff = unified(c.Key.Label()+" (as it was)", c.Key.Label()+" (now)", c.Base, c.Now)
	// Without all three texts there is nothing to merge: the object was
	// removed, or the change removes it.
	if c.Base != "" && c.Now != "" && c.Wanted != "" {
		if text, ok := merge3(c.Base, c.Now, c.Wanted); ok && accept(text) {
			c.Merged = text
		}
	}
	return &c
}
