package compiler

import "rung/model"

// refuseCNP says why a ClusterNetworkPolicy has no rows: OVN-Kubernetes has no controller
// for it, and where rows are asked for all the same, its ANPs know no domainNames
// (ovn-kubernetes.md#clusternetworkpolicy).
func (c *Compiler) refuseCNP(p *model.Policy) *model.NoRows {
	if p.Kind != model.KindCNP {
		return nil
	}
	if !c.requested.CNP {
		return &model.NoRows{Code: model.NoController, Message: "OVN-Kubernetes has no controller for ClusterNetworkPolicy"}
	}
	for r := range p.AllRules() {
		for i := range r.Peers {
			if r.Peers[i].Kind == model.PeerDNS {
				return &model.NoRows{Code: "profile", Message: r.Label() + " names domainNames, which OVN-Kubernetes does not know"}
			}
		}
	}
	return nil
}

// WhyNotCNP says why a ClusterNetworkPolicy would have no rows if they were compiled; nil where
// it would have some. It is for saying what an idle one would do.
func WhyNotCNP(cluster *model.Cluster, p *model.Policy, o Options) *model.NoRows {
	o.CNP = true
	c := &Compiler{requested: o, cluster: cluster}
	_, none := c.refuse(p)
	return none
}
