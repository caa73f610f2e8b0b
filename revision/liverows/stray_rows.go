package liverows

import (
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/revision"
)

// StrayRowsAt names the live rows that decide at a priority of AdminNetworkPolicies
// although no policy stands there: old ones of policies that are not enforced as they are,
// and those of another form, of an owner that is gone or of none. Rows of but are left out.
func StrayRowsAt(r *revision.Revision, priority int32, but model.PolicyKey) []string {
	var out []string
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if k != but && k.Kind == model.KindANP && p.LiveACLs > 0 && p.LivePriority == priority && r.None(k) != nil {
				out = append(out, k.Label()+" (frozen)")
			}
		}
	}
	first := ladder.PriorityAdmin - ladder.PriorityAdminStep*int(priority)
	now := r
	for now.Base() != nil {
		now = now.Base() // the zones are the same, and its rows are at hand
	}
	for _, g := range FindLadderRows(now).Of(model.TierAdmin, "") {
		if g.Priority > first-ladder.PriorityAdminStep && g.Last <= first {
			name := g.Label
			if g.Examples && r.Mode.Sandbox {
				name += " (sandbox example)"
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
