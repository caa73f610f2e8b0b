package verdict

import (
	"net/netip"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// View is the input of verdicts from policies.
type View struct {
	Cluster *model.Cluster
	// Pods is the index of the same cluster, made when nil.
	Pods *selectors.PodIndex
	Options
}

// Options say how OVN-Kubernetes is set up, and the facts it knows beyond the objects: the
// same ones that the cluster's policies are compiled with.
type Options struct {
	// IPv4 and IPv6 are the cluster's families.
	IPv4, IPv6 bool
	// Defaults are the hairpin and node rows, Multicast those of multicast, AllowICMP lets
	// ICMP to isolated pods: whether there are such rows.
	Defaults, Multicast, AllowICMP bool
	// Stateless lets the annotation for stateless rules count.
	Stateless bool
	// LegacyIsolation lets the isolation annotation of 2016 count, as the OVN-Kubernetes of
	// that time did (older-forms.md#the-isolation-annotation-of-2016).
	LegacyIsolation bool
	// ClusterSubnets are the subnets that EgressFirewalls' networks leave out. NodeSubnets
	// says that they are only the ones the nodes name: of other pods it is not known whether
	// they are left out.
	ClusterSubnets []netip.Prefix
	NodeSubnets    bool
	// HostNetworkNamespace stands for the nodes as a peer.
	HostNetworkNamespace string
	// DNS are the addresses of EgressFirewalls' names; a rule with another name may match
	// anything.
	DNS map[string][]string
	// Hairpin are the addresses, IPv4 and IPv6, that hairpin traffic comes from; not valid for OVN-Kubernetes' defaults.
	Hairpin [2]netip.Addr
	// Network is the network that is asked about, nil for the default one.
	Network *network.Network
	// NoRows has the policies that are not enforced, with the reason.
	NoRows map[model.PolicyKey]*model.NoRows
	// Precedence is how policies are asked; nil is Stages.
	Precedence *Precedence
}

func (o *Options) IsEnforced(p *model.Policy) bool { return o.NoRows[p.Key] == nil }

// HairpinAddr returns the address that a pod is seen with when it reaches itself through a Service
// (ovn-kubernetes.md#hairpin-and-node-rows).
func (o *Options) HairpinAddr(f Family) netip.Addr {
	if a := o.Hairpin[f.Index()]; a.IsValid() {
		return a
	}
	return hairpinAddrs[f.Index()]
}

// hairpinAddrs are OVN-Kubernetes' defaults.
var hairpinAddrs = [2]netip.Addr{netip.MustParseAddr(match.Hairpin4), netip.MustParseAddr(match.Hairpin6)}

// hasFamily says whether the cluster has a family.
func (o *Options) hasFamily(f Family) bool {
	if f == IPv6 {
		return o.IPv6
	}
	return o.IPv4
}
