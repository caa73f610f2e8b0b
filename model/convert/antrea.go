package convert

import "rung/model"

// FromAntrea says a cluster's policies of Antrea in AdminNetworkPolicies and one
// BaselineAdminNetworkPolicy (to is model.KindANP), or in ClusterNetworkPolicies
// (model.KindCNP).
func FromAntrea(c *model.Cluster, to model.Kind) Result {
	m := newMaker()
	var given []*model.Policy
	for p := range c.AllPolicies() {
		if p.Kind.IsAntrea() {
			given = append(given, p)
			m.leave(p, "no priority is left for it")
		}
	}
	return m.done(given)
}

// ToAntrea says the AdminNetworkPolicies, ClusterNetworkPolicies and the
// BaselineAdminNetworkPolicy of a cluster in Antrea's ClusterNetworkPolicies.
func ToAntrea(c *model.Cluster) Result {
	m := newMaker()
	given := admin(allPolicies(c))
	for _, p := range given {
		m.leave(p, "no priority is left for it")
	}
	return m.done(given)
}

func allPolicies(c *model.Cluster) (out []*model.Policy) {
	for p := range c.AllPolicies() {
		out = append(out, p)
	}
	return out
}
