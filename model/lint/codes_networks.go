package lint

import "rung/model"

// The kinds of findings about other networks than the default, most important first.
var (
	NamespaceWaits = newKind(Kind{Code: "namespace-without-network", Severity: model.SeverityError, Short: "no network",
		Says: "A namespace has the label of primary networks and no primary network: nobody programs its NetworkPolicies and its " +
			"EgressFirewall. A warning where it has none.",
		Remedy: "make the network: a UserDefinedNetwork in the namespace, or a ClusterUserDefinedNetwork that selects it"})
	NamespaceUnlabeled = newKind(Kind{Code: "namespace-without-network-label", Severity: model.SeverityError, Short: "no label",
		Says: "A namespace has a primary network and lacks the label for it: nobody programs its NetworkPolicies, and its EgressFirewall is " +
			"programmed on the default network. A warning where it has none.",
		Remedy: "make the namespace with the label " + model.LabelPrimaryUDN + ", or give the network the role secondary"})
	PolicyForNothing = newKind(Kind{Code: "policy-for-no-network", Severity: model.SeverityError, Short: "no network",
		Says: "A MultiNetworkPolicy is for no secondary network that there is: nobody programs it. A warning where only some of those it " +
			"names are none.",
		Remedy: "name NetworkAttachmentDefinitions of secondary networks in the annotation " + model.AnnotationPolicyFor})
	SelectorPeers = newKind(Kind{Code: "selectors-without-addresses", Severity: model.SeverityError, Short: "refused",
		Says: "A MultiNetworkPolicy has peers that select pods, and is for a network that gives no addresses: there it is refused as a " +
			"whole, and programmed on its others.",
		Remedy: "use ipBlock peers there, in a MultiNetworkPolicy of its own, and restart the zones' ovnkube-node pods if it had such " +
			"peers before"})
	NetworkUnreadable = newKind(Kind{Code: "network-unreadable", Severity: model.SeverityError, Short: "bad network",
		Says:   "An object describes what no network can be: there is no such network, and what is for it has no rows.",
		Remedy: "correct it: a network needs a name and a topology, and a primary one is of layer 3 or layer 2"})
	NetworkNoSubnets = newKind(Kind{Code: "network-without-subnets", Severity: model.SeverityError, Short: "no subnets",
		Says:   "A network of layer 3, or a primary one, has no subnets: it is not programmed.",
		Remedy: "give it subnets"})
	NetworkUnlabeled = newKind(Kind{Code: "network-without-namespace-label", Severity: model.SeverityError, Short: "refused",
		Says: "A primary UserDefinedNetwork or ClusterUserDefinedNetwork is for a namespace without the label for it: OVN-Kubernetes refuses " +
			"the network there. The pods stay on the default network, and the policies hold there.",
		Remedy: "make the namespace anew with the label " + model.LabelPrimaryUDN + ": it cannot be added later"})
	NetworkContradicts = newKind(Kind{Code: "network-contradicts", Severity: model.SeverityError, Short: "two forms",
		Says:   "Two objects describe one network, and not alike.",
		Remedy: "give both the same configuration, or one of them another name of the network"})
	NetworkSecondPrimary = newKind(Kind{Code: "network-second-primary", Severity: model.SeverityError, Short: "2nd primary",
		Says:   "A namespace has two primary networks.",
		Remedy: "delete one of them, or give it the role secondary"})
	NetworkOverlaps = newKind(Kind{Code: "network-subnets-overlap", Severity: model.SeverityWarning, Short: "overlap",
		Says:   "Subnets of one network overlap each other.",
		Remedy: "give it subnets that do not overlap"})
	SetsFrozen = newKind(Kind{Code: "sets-frozen", Severity: model.SeverityWarning, Short: "frozen sets",
		Says: "An annotation of a pod cannot be read: address sets of other networks whose selectors match it keep the members they have, " +
			"and new ones stay empty, until it is corrected.",
		Remedy: "correct the annotation"})
	NoPolicyTypes = newKind(Kind{Code: "policytypes-missing", Severity: model.SeverityWarning, Short: "no isolation",
		Says: "A MultiNetworkPolicy has no policyTypes: its rules allow, and it isolates nothing. Other than those of a NetworkPolicy they " +
			"have no default.",
		Remedy: "name Ingress, Egress or both in policyTypes"})
	IPv6Denied = newKind(Kind{Code: "no-addresses-ipv6-denied", Severity: model.SeverityWarning, Short: "IPv6 denied",
		Says:   "A rule without peers, on a network that gives no addresses, lets IPv4 through and nothing else: IPv6 stays denied.",
		Remedy: "name 0.0.0.0/0 and ::/0 as ipBlock peers"})
	FirewallInside = newKind(Kind{Code: "egressfirewall-inside-network", Severity: model.SeverityInfo, Short: "own network",
		Says:   "A rule of an EgressFirewall is for addresses of the namespace's own network, which its rows leave out: it never matches.",
		Remedy: "use a NetworkPolicy for pods of the network"})
	FirewallDefault = newKind(Kind{Code: "egressfirewall-default-network", Severity: model.SeverityInfo, Short: "cluster pods",
		Says: "In a namespace on its own network, a rule of an EgressFirewall for addresses of the default network does match: only the " +
			"network's own are left out.",
		Remedy: "keep it if that is meant: other EgressFirewalls leave these addresses out"})
	PodNetworkUnknown = newKind(Kind{Code: "pod-network-unknown", Severity: model.SeverityWarning, Short: "no network",
		Says:   "Annotations of pods name a NetworkAttachmentDefinition that there is not.",
		Remedy: "make it, or correct the annotation; Rung has to read NetworkAttachmentDefinitions to know"})
)
