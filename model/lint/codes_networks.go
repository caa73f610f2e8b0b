package lint

import "rung/model"

// The kinds of findings about other networks than the default, most important first.
var (
	NamespaceWaits = newKind(Kind{Code: "namespace-without-network", Severity: model.SeverityError, Short: "no network",
		Meaning: "A namespace has the label for primary networks but no primary network: its NetworkPolicies and EgressFirewall are not " +
			"programmed. A warning if it has neither.",
		Remedy: "create the network: a UserDefinedNetwork in the namespace, or a ClusterUserDefinedNetwork that selects it"})
	NamespaceUnlabeled = newKind(Kind{Code: "namespace-without-network-label", Severity: model.SeverityError, Short: "no label",
		Meaning: "A namespace has a primary network but lacks the label for it: its NetworkPolicies are not programmed, and its EgressFirewall " +
			"applies on the default network. A warning if it has neither.",
		Remedy: "recreate the namespace with the label " + model.LabelPrimaryUDN + ", or give the network the role secondary"})
	PolicyForNothing = newKind(Kind{Code: "policy-for-no-network", Severity: model.SeverityError, Short: "no network",
		Meaning: "A MultiNetworkPolicy names networks that do not exist or are not secondary, and is not programmed there. " +
			"A warning if it also names valid ones.",
		Remedy: "name NetworkAttachmentDefinitions of secondary networks in the annotation " + model.AnnotationPolicyFor})
	SelectorPeers = newKind(Kind{Code: "selectors-without-addresses", Severity: model.SeverityError, Short: "rejected",
		Meaning: "A MultiNetworkPolicy has peers that select pods, and is for a network without addresses: the whole policy is rejected there, " +
			"and programmed on its other networks.",
		Remedy: "use ipBlock peers there, in a MultiNetworkPolicy of its own, and restart the zones' ovnkube-node pods if it had such " +
			"peers before"})
	NetworkUnreadable = newKind(Kind{Code: "network-unreadable", Severity: model.SeverityError, Short: "bad network",
		Meaning: "An object does not describe a valid network: the network does not exist, and its policies have no rows.",
		Remedy:  "correct it: a network needs a name and a topology, and a primary one is of layer 3 or layer 2"})
	NetworkNoSubnets = newKind(Kind{Code: "network-without-subnets", Severity: model.SeverityError, Short: "no subnets",
		Meaning: "A layer 3 or primary network has no subnets: it is not programmed.",
		Remedy:  "give it subnets"})
	NetworkUnlabeled = newKind(Kind{Code: "network-without-namespace-label", Severity: model.SeverityError, Short: "rejected",
		Meaning: "A primary UserDefinedNetwork or ClusterUserDefinedNetwork is for a namespace without the label for it: OVN-Kubernetes " +
			"rejects the network there. The pods and their policies stay on the default network.",
		Remedy: "recreate the namespace with the label " + model.LabelPrimaryUDN + ": it cannot be added later"})
	NetworkContradicts = newKind(Kind{Code: "network-contradicts", Severity: model.SeverityError, Short: "two forms",
		Meaning: "Two objects describe one network differently.",
		Remedy:  "give both the same configuration, or rename one of the networks"})
	NetworkSecondPrimary = newKind(Kind{Code: "network-second-primary", Severity: model.SeverityError, Short: "2nd primary",
		Meaning: "A namespace has two primary networks.",
		Remedy:  "delete one of them, or give it the role secondary"})
	NetworkOverlaps = newKind(Kind{Code: "network-subnets-overlap", Severity: model.SeverityWarning, Short: "overlap",
		Meaning: "Subnets of one network overlap each other.",
		Remedy:  "give it subnets that do not overlap"})
	SetsFrozen = newKind(Kind{Code: "sets-frozen", Severity: model.SeverityWarning, Short: "frozen sets",
		Meaning: "A pod's annotation is unreadable: address sets of other networks that select the pod are frozen, and new ones stay empty, " +
			"until it is corrected.",
		Remedy: "correct the annotation"})
	NoPolicyTypes = newKind(Kind{Code: "policytypes-missing", Severity: model.SeverityWarning, Short: "no isolation",
		Meaning: "A MultiNetworkPolicy has no policyTypes: its rules allow, but it isolates nothing. Unlike in a NetworkPolicy, policyTypes " +
			"has no default.",
		Remedy: "name Ingress, Egress or both in policyTypes"})
	IPv6Denied = newKind(Kind{Code: "no-addresses-ipv6-denied", Severity: model.SeverityWarning, Short: "IPv6 denied",
		Meaning: "A rule without peers, on a network without addresses, allows IPv4 only: IPv6 stays denied.",
		Remedy:  "name 0.0.0.0/0 and ::/0 as ipBlock peers"})
	FirewallInside = newKind(Kind{Code: "egressfirewall-inside-network", Severity: model.SeverityInfo, Short: "own network",
		Meaning: "An EgressFirewall rule is for addresses of the namespace's own network, which its rows exclude: it never matches.",
		Remedy:  "use a NetworkPolicy for pods of the network"})
	FirewallDefault = newKind(Kind{Code: "egressfirewall-default-network", Severity: model.SeverityInfo, Short: "cluster pods",
		Meaning: "In a namespace on its own network, an EgressFirewall rule for addresses of the default network does match: rows exclude the " +
			"own network only.",
		Remedy: "keep it if intended: other EgressFirewalls exclude these addresses"})
	PodNetworkUnknown = newKind(Kind{Code: "pod-network-unknown", Severity: model.SeverityWarning, Short: "no network",
		Meaning: "Pod annotations name a missing NetworkAttachmentDefinition.",
		Remedy:  "create it, or correct the annotation; Rung must read NetworkAttachmentDefinitions to know it"})
)
