package compiler

import (
	"cmp"
	"iter"

	"rung/model"
)

// refusals returns the Judge for policies on this network.
func (c *networkCompiler) refusals() Judge {
	return Judge{MaxPriority: cmp.Or(max(c.requested.MaxPriority, 0), model.MaxPriority), CNP: c.requested.CNP,
		NoMultiPolicies: c.requested.MultiPolicies == Off, Cluster: c.cluster, Networks: c.table, On: c.network}
}

// WhyNotCNP returns why a ClusterNetworkPolicy would have no rows if CNPs were compiled; nil if it would have
// some. It serves to tell what an idle policy would do.
func WhyNotCNP(cluster *model.Cluster, p *model.Policy, o Options) *model.NoRows {
	o.CNP = true
	c := &networkCompiler{requested: o, cluster: cluster}
	_, none := c.refusals().WhyAdmin(p)
	return none
}

// Unenforced returns the units without desired rows, with the reason.
func Unenforced(units iter.Seq[*CompiledUnit]) map[model.PolicyKey]*model.NoRows {
	out := map[model.PolicyKey]*model.NoRows{}
	for c := range units {
		if c.WhyNoRows != nil && c.Policy != nil {
			out[c.Policy.Key] = c.WhyNoRows
		}
	}
	return out
}
