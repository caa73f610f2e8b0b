package ladder

import (
	"rung/ui/detail"
	"rung/ui/view"
)

// hitsOf says how much the rules of a line's policy are hit.
func (v *ladderPage) hitsOf(it *item) string {
	if v.hits == nil || v.frame.rev == nil || it.kind != policy || it.broken != nil {
		return ""
	}
	p := v.frame.rev.Cluster.Policy(it.key)
	if p == nil {
		return ""
	}
	return v.hits.OfPolicy(p).Short()
}

// Counted says whether the hits, where they are shown, may be others now.
func (v *ladderPage) Counted(env *view.Env) bool {
	return v.table.Wide && detail.FreshHits(env, v.hits)
}
