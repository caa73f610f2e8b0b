package gate

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/sources/manifests/edit"
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

// merge3 is edit.Merge of texts that end with a newline.
func merge3(base, a, b string) (merged string, ok bool) {
	return edit.Merge(ended(base), ended(a), ended(b))
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
