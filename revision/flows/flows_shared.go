package flows

import (
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict/walk"
	"rung/model/words"
	"rung/revision"
	"rung/revision/liverows"
)

// sharersNamed is how many of the ACLs that share a flow are named.
const sharersNamed = 2

// Shared says with which other ACLs the flow of one is shared, and which is the first of
// them; empty where it is the ACL's own.
func Shared(r *revision.Revision, a *nb.ACL, x *flow.Flow) (text string, first *nb.ACL) {
	switch {
	case len(x.With) > 1:
		names := make([]string, 0, len(x.With)) // many may share one: those that are named are looked up
		for _, o := range x.With {
			switch {
			case o.UUID == a.UUID:
				continue
			case first == nil:
				first = o
			}
			name := ""
			if len(names) < sharersNamed {
				name = nameOf(r, o)
			}
			names = append(names, name)
		}
		return "shared with " + words.List(names, sharersNamed), first
	case x.Twin != "":
		return "northd made it for an ACL that is gone (" + x.Twin + "…) and keeps it for this one", nil
	}
	return "", nil
}

// nameOf is the rule of an ACL, or what stands for one.
func nameOf(r *revision.Revision, a *nb.ACL) string {
	d := walk.RowDecider(a)
	if p := r.Cluster.Policy(d.Policy); p != nil {
		if rule := p.Rule(d.Direction, d.Rule); rule != nil {
			d.RuleName = rule.Name
		}
	}
	return liverows.DeciderText(&d)
}
