package rule

import (
	"rung/revision/liverows"
	"rung/ui/detail"
)

// standing is how the live row stands to the desired one, in a few words.
func standing(e *liverows.RuleACL, read bool) (text string, bad bool) {
	switch {
	case !read:
		return "no live row to compare", false
	case e.Live == nil:
		return "≠ missing here", true
	case e.Desired == nil:
		return "≠ live, not desired", true
	case e.Differs > 0:
		return "≠ " + detail.ColumnsDiffer(e.Differs), true
	}
	if e.Members {
		return "as desired, ≠ its members differ", true
	}
	return "as desired", false
}
