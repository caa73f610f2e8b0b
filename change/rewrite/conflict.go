package rewrite

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/model"
	"rung/sources/manifests"
	"rung/sources/manifests/edit"
)

// UnifiedDiff is the unified diff of two texts with the names before them, empty
// when they are equal.
func UnifiedDiff(oldName, newName, old, now string) string {
	old, now = Ended(old), Ended(now)
	s, err := udiff.ToUnified(oldName, newName, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		// The edits come from the same text, so they fit; should they not, the
		// whole texts are shown.
		return "--- " + oldName + "\n" + old + "+++ " + newName + "\n" + now
	}
	return s
}

// Ended ends a text that is not empty with a newline, so that texts that differ
// in nothing else do not differ.
func Ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// WithMerge compares what a change started from with what is there now. A merged text
// is offered where that is a valid policy of the same key.
func WithMerge(c Conflict) *Conflict {
	c.Diff = UnifiedDiff(c.Key.Label()+" (as it was)", c.Key.Label()+" (now)", c.Base, c.Now)
	// Without all three texts there is nothing to merge: the object was
	// removed, or the change removes it.
	if c.Base == "" || c.Now == "" || c.Wanted == "" {
		return &c
	}
	if text, ok := edit.Merge(Ended(c.Base), Ended(c.Now), Ended(c.Wanted)); ok {
		if p, _ := manifests.ParsePolicy([]byte(text)); p != nil && p.Key == c.Key && len(p.Invalid) == 0 {
			c.Merged = text
		}
	}
	return &c
}

// Conflict is a three-way difference: what the change started from, what is
// there now, what it wants; Merged is the merge without conflict markers when
// the two changes do not touch, empty otherwise.
type Conflict struct {
	Key               model.PolicyKey
	Base, Now, Wanted string
	Diff              string // Base → Now
	Merged            string
}
