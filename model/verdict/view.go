package verdict

import (
	"cmp"
	"net/netip"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// View is the input of verdicts from policies.
type View struct {
	Cluster *model.Cluster
	// Pods is the index of the same cluster; nil to make one.
	Pods *selectors.PodIndex
	Options
}

// Options are OVN-Kubernetes' settings, and its facts beyond the objects. They must equal those used to
// compile the cluster's policies.
type Options struct {
	// IPv4 and IPv6 are the cluster's families.
	IPv4, IPv6 bool
	// Defaults, Multicast and AllowICMP say whether these rows exist: hairpin and node rows, rows of
	// multicast, and rows that allow ICMP to isolated pods.
	Defaults, Multicast, AllowICMP bool
	// Stateless lets the annotation for stateless rules count.
	Stateless bool
	// LegacyIsolation makes the isolation annotation of 2016 count, as in the OVN-Kubernetes of that time
	// (older-forms.md#the-isolation-annotation-of-2016).
	LegacyIsolation bool
	// ClusterSubnets are the subnets excepted from EgressFirewalls' networks. NodeSubnets reports that only
	// nodes name them: whether other pods are excepted is unknown.
	ClusterSubnets []netip.Prefix
	NodeSubnets    bool
	// HostNetworkNamespace stands for the nodes as a peer.
	HostNetworkNamespace string
	// DNS are the addresses of EgressFirewalls' names; a rule with another name may match anything.
	DNS map[string][]string
	// Hairpin are the source addresses, IPv4 and IPv6, of hairpin traffic, else defaults.
	Hairpin [2]netip.Addr
	// Network is the network to judge on; nil means the default one.
	Network *network.Network
	// NoRows has the policies that are not enforced, with the reason.
	NoRows map[model.PolicyKey]*model.NoRows
	// Precedence is how policies apply; nil is Stages.
	Precedence *Precedence
}

func (o *Options) IsEnforced(p *model.Policy) bool { return o.NoRows[p.Key] == nil }

// HairpinAddr returns the source address of a pod that reaches itself through a Service
// (ovn-kubernetes.md#hairpin-and-node-rows).
func (o *Options) HairpinAddr(f Family) netip.Addr {
	return cmp.Or(o.Hairpin[f.Index()], hairpinAddrs[f.Index()])
}

// hairpinAddrs are OVN-Kubernetes' defaults.
var hairpinAddrs = [2]netip.Addr{netip.MustParseAddr(match.Hairpin4), netip.MustParseAddr(match.Hairpin6)}

// hasFamily reports whether the cluster has a family.
func (o *Options) hasFamily(f Family) bool {
	if f == IPv6 {
		return o.IPv6
	}
	return o.IPv4
}
