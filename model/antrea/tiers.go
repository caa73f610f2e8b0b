package antrea

import (
	"cmp"
	"fmt"
	"slices"

	"rung/model"
)

// Priorities of tiers (antrea.md#tiers). A lower one decides first.
const (
	PriorityAdminCNP    = 220 // ClusterNetworkPolicies of policy.networking.k8s.io in their Admin tier
	PriorityApplication = 250 // custom tiers are below
	PriorityANP         = 251
	PriorityNetwork     = 252 // NetworkPolicies of Kubernetes; Antrea prints no number for them
	PriorityBaseline    = 253
	PriorityBANP        = 254
)

// Names of tiers with a special meaning.
const (
	Application = "application" // of policies that name none
	Baseline    = "baseline"    // decides after the NetworkPolicies of Kubernetes
)

// static has the tiers that Antrea makes itself (antrea.md#tiers).
var static = []model.Tier{
	staticTier("emergency", 50), staticTier("securityops", 100), staticTier("networkops", 150),
	staticTier("platform", 200), staticTier(Application, PriorityApplication), staticTier(Baseline, PriorityBaseline),
}

func staticTier(name string, priority int32) model.Tier {
	return model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: name}}, Priority: priority, Static: true}
}

// StaticPriority returns the priority of a tier that Antrea makes itself; ok is false for custom tiers.
func StaticPriority(name string) (priority int32, ok bool) {
	if i := slices.IndexFunc(static, func(t model.Tier) bool { return t.Name == name }); i >= 0 {
		return static[i].Priority, true
	}
	return 0, false
}

// refusedTiers returns the custom tiers that admission rejects, by name. Of two with one priority the newer is
// rejected, or both if their age is unknown.
func refusedTiers(all []*model.Tier) map[string]EmptyReason {
	out := map[string]EmptyReason{}
	by := map[int32][]*model.Tier{}
	for _, t := range all {
		switch _, own := StaticPriority(t.Name); {
		case own:
		case t.Priority >= PriorityApplication || slices.ContainsFunc(static, func(s model.Tier) bool { return s.Priority == t.Priority }):
			out[t.Name] = EmptyReason{TierReserved, fmt.Sprintf("priority %d is reserved: a custom tier needs one below %d that no static tier has",
				t.Priority, PriorityApplication)}
		default:
			by[t.Priority] = append(by[t.Priority], t)
		}
	}
	for priority, tiers := range by {
		for _, t := range tiers {
			for _, o := range tiers {
				older := !t.Created.IsZero() && !o.Created.IsZero() && t.Created.Before(o.Created)
				if o != t && !older {
					out[t.Name] = EmptyReason{TierTaken, fmt.Sprintf("priority %d is already used by tier %s", priority, o.Name)}
					break
				}
			}
		}
	}
	return out
}

// TiersInOrder returns the static tiers and the cluster's tiers in the order in which they decide, then by
// name. A static tier has its own priority, whatever its object says.
func TiersInOrder(c *model.Cluster) []*model.Tier {
	var out []*model.Tier
	for i := range static {
		t := static[i]
		if o, ok := c.Get(t.Key).(*model.Tier); ok {
			t.Meta, t.Description = o.Meta, o.Description
		}
		out = append(out, &t)
	}
	for t := range c.Tiers() {
		if _, ok := StaticPriority(t.Name); !ok {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *model.Tier) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Name, b.Name))
	})
	return out
}
