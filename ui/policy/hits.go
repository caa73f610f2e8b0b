package policy

import (
	"rung/ui/detail"
	"rung/ui/view"
)

// Counted says whether the hits of the rules, where they are shown, may be others now.
func (v *View) Counted(env *view.Env) bool {
	return v.part == rulesPart && v.rules.Wide && detail.FreshHits(env, v.hits)
}
