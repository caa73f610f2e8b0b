package revision

import (
	"cmp"
	"maps"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
	"rung/system"
)

// Verdicts returns the verdicts of connections by the policies of this revision.
func (r *Revision) Verdicts() *verdict.Index {
	return r.shared.verdicts.Get(func() *verdict.Index {
		v := verdict.View{Cluster: r.JudgedCluster(), Pods: r.PodIndex(), Options: r.VerdictOptions()}
		if r.changed != nil { // both revisions have the same pods
			return r.changed.base.Verdicts().WithView(v)
		}
		return verdict.NewIndex(v)
	})
}

type altVerdicts struct {
	withCNPs    Once[*verdict.Index] // with ClusterNetworkPolicies that have no rows, nil if none
	without2016 Once[*verdict.Index] // without the isolation of 2016
}

// VerdictsWithCNPs returns the verdicts as if ClusterNetworkPolicies had rows, which OVN-Kubernetes does not write. It
// is nil if their rows are compiled, or if none can be.
func VerdictsWithCNPs(r *Revision) *verdict.Index {
	return SharedValue[altVerdicts](r).withCNPs.Get(func() *verdict.Index {
		if !r.System.HasFeature(system.Rows) || r.Desired.Options().CNP {
			return nil
		}
		would := map[model.PolicyKey]bool{}
		for p := range r.Cluster.Policies(model.KindCNP) {
			if compiler.WhyNotCNP(r.Cluster, p, r.Desired.Options()) == nil {
				would[p.Key] = true
			}
		}
		if len(would) == 0 {
			return nil
		}
		o := r.VerdictOptions()
		maps.DeleteFunc(o.NoRows, func(k model.PolicyKey, _ *model.NoRows) bool { return would[k] })
		return r.Verdicts().WithView(verdict.View{Cluster: r.JudgedCluster(), Pods: r.PodIndex(), Options: o})
	})
}

// VerdictsToday returns the verdicts on a cluster of today, which does not know the isolation annotation of
// 2016. Its rows follow from these.
func VerdictsToday(r *Revision) *verdict.Index {
	if !r.Flags.LegacyIsolation {
		return r.Verdicts()
	}
	return SharedValue[altVerdicts](r).without2016.Get(func() *verdict.Index {
		o := r.VerdictOptions()
		o.LegacyIsolation = false
		return verdict.NewIndex(verdict.View{Cluster: r.JudgedCluster(), Pods: r.PodIndex(), Options: o})
	})
}

// VerdictsForCluster returns the verdicts for another cluster by the options of a revision. Every possible end must
// have a node and an address.
func VerdictsForCluster(r *Revision, c *model.Cluster) *verdict.Index {
	pods := selectors.NewPodIndex(c, nil)
	pods.SetFamilies(r.Desired.Families())
	return verdict.NewIndex(verdict.View{Cluster: c, Pods: pods, Options: r.VerdictOptions()})
}

// NoRowsOf2016 replaces the state of a policy's rows if the isolation annotation of 2016 applies
// (older-forms.md#the-isolation-annotation-of-2016).
const NoRowsOf2016 = "decides by the document of 2016; no rows"

// VerdictOptions returns the options that verdicts depend on in addition to the objects.
func (r *Revision) VerdictOptions() verdict.Options {
	if !r.System.HasFeature(system.Rows) {
		return verdict.Options{IPv4: true, IPv6: true, Precedence: r.System.Precedence}
	}
	o := r.Desired.Options()
	subnets, name, host := o.ClusterSubnets, "", cmp.Or(o.HostNetworkNamespace, compiler.DefaultHostNetworkNamespace)
	if r.Network != nil { // no namespace represents the nodes there
		subnets, name, host = r.Network.Subnets, r.Network.Name, ""
	}
	return verdict.Options{
		Network: r.Network, IPv4: o.IPv4, IPv6: o.IPv6, AllowICMP: o.AllowICMP, Stateless: o.Stateless, ClusterSubnets: subnets,
		NodeSubnets: o.NodeSubnets, DNS: WholeRevision(r).Desired.Options().DNS,
		Defaults:             r.IsCompiled(model.Key{Kind: model.KindNetpolDefault, Name: nb.NameHairpin, Network: name}),
		Multicast:            r.IsCompiled(model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastDeny, Network: name}),
		Hairpin:              o.HairpinAddrs(),
		HostNetworkNamespace: host,
		LegacyIsolation:      r.Flags.LegacyIsolation,
		NoRows:               unenforcedPolicies(r),
		Precedence:           r.System.Precedence,
	}
}

// unenforcedPolicies returns the policies that decide nothing here, with the reason: those without rows, and
// on the default network those programmed on another.
func unenforcedPolicies(r *Revision) map[model.PolicyKey]*model.NoRows {
	out := compiler.Unenforced(r.AllCompiled())
	if r.Network != nil { // EgressFirewalls, and policies without a network, are compiled with the whole cluster
		for p := range r.Cluster.Policies(model.KindEF, model.KindMNP) {
			if c := WholeDesired(r.whole).Policy(p.Key); c != nil && c.WhyNoRows != nil && c.Key.Network == "" {
				out[p.Key] = c.WhyNoRows
			}
		}
		return out
	}
	t := r.Desired.Networks()
	for p := range r.Cluster.Policies(model.KindNP, model.KindMNP, model.KindEF) {
		if on := t.NetworksOfPolicy(p); len(on) > 0 {
			out[p.Key] = &model.NoRows{Code: model.OtherNetwork, Message: "it is programmed on " + words.ListFew(on, 3)}
		}
	}
	return out
}

// CompiledDatabase returns the compiled rows of a node's zone, as its database would hold them.
func CompiledDatabase(r *Revision, node string) *nb.DB {
	return ZoneDatabase(WholeRevision(r).Desired, node)
}

// OtherRows returns the rows of a node's zone that belong to no compiled unit.
func OtherRows(r *Revision, node string) (groups []*nb.PortGroup, acls []*nb.ACL) {
	return UnownedRows(WholeRevision(r).Desired, node)
}

// CompiledZone returns the compiled rows of a node's zone, to judge connections by; nil for an unknown node.
func CompiledZone(r *Revision, node string, m *verdict.MatchCache) *verdict.Zone {
	if r.Cluster.Node(node) == nil {
		return nil
	}
	if r.whole != nil {
		return CompiledZone(r.whole, node, m)
	}
	d := r.Desired
	if r.changed != nil {
		d = r.shared.wholeRows.Get(func() *compiler.Desired { return compiler.Compile(r.Cluster, r.Desired.Options()) })
	}
	return verdict.NewZone(node, ZoneDatabase(d, node), m, nil)
}
