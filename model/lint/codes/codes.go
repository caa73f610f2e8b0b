package codes

// The codes of findings. Broken objects and policies that OVN-Kubernetes cannot
// take carry the code of their error instead.
const (
	PriorityUnsupported = "priority-unsupported"
	PriorityDuplicate   = "priority-duplicate"
	PriorityConflict    = "priority-conflict"
	LoggingInvalid      = "logging-annotation-invalid"
	SelectsSystem       = "subject-selects-system"
	OtherSystem         = "policy-of-other-system" // it decides nothing in this cluster
	EmptySelectorDeny   = "subject-empty-selector-with-deny"
	SubjectNothing      = "subject-matches-nothing"
	PrimaryUDN          = "primary-udn"
	HostNetwork         = "hostnetwork-selected"
	NameCut             = "name-cut"
	DenyAllNetworks     = "deny-all-networks"
	DNSNotAllowed       = "dns-not-allowed"
	DNSTCPNotAllowed    = "dns-tcp-not-allowed"
	NetworkHostBits     = "network-host-bits"
	NetworkCoversPods   = "network-covers-pods"
	CIDR                = "cidr"
	NamedPortUnmatched  = "named-port-unmatched"
	PeerNothing         = "peer-matches-nothing"
	HostCIDRs           = "host-cidrs-malformed"
	RuleShadowed        = "rule-shadowed"
	RuleBeyondRange     = "rule-beyond-range"
	NamedPortPeers      = "named-port-reaches-peers"
	NamedPortFamily     = "named-port-family"
	NetpolNamedPort     = "netpol-named-port-opens-protocol"
	NetpolPortLost      = "netpol-port-lost"
	NetpolDirection     = "netpol-rules-outside-policytypes"
	NamespaceLogging    = "namespace-logging-invalid"
	FirewallName        = "egressfirewall-name"
	FirewallTooLong     = "egressfirewall-too-long"
	FirewallPods        = "egressfirewall-leaves-pods"
	FirewallSubnets     = "egressfirewall-subnets-unknown"
	FirewallDNS         = "egressfirewall-dns"
	FirewallOverrules   = "egressfirewall-overrules-allow"

	// Policies in older forms (older-forms.md).
	IsolationInvalid = "isolation-annotation-invalid"
	IsolationIgnored = "isolation-annotation-ignored"
	IsolationBoth    = "isolation-annotation-and-networkpolicy"
	NetpolOlderAPI   = "networkpolicy-older-api"
	NetpolNoEffect   = "networkpolicy-2016-not-isolated"
	NetpolEmptyList  = "networkpolicy-2016-empty-list"

	// Of ClusterNetworkPolicies. An empty tcp, udp or sctp is model.InvalidProtocolEmpty.
	CNPNotEnforced = "cnp-not-enforced"
	CNPMight       = "cnp-as-ovn-kubernetes-might"
	CNPRules       = "cnp-too-many-rules"
	CNPDomains     = "cnp-domains-not-accepted"
	CNPPruned      = "cnp-ports-dropped"

	// What a cluster pays for, and what leaves no room for what comes.
	PriorityNoGap  = "priority-no-gap"
	PoliciesMany   = "policies-many"
	SetsOverlap    = "sets-overlap"
	NamedPortMany  = "named-port-many-pods"
	NegativeMany   = "negative-selector-many-pods"
	PeerHost       = "peer-hostnetwork"
	TenantPolicies = "policy-per-tenant"

	// A set made from a template (model/template) misses a policy.
	TemplateIncomplete = "template-incomplete"
	// Policies that one was converted to, one for each value (model/convert), lack one.
	ConversionNewValue = "conversion-new-value"

	// What the verdicts of the whole ladder say (WithVerdicts).
	OpenToAll           = "open-to-all"
	ClosedToAll         = "closed-to-all"
	DecidesFirst        = "decides-first"
	RuleNeverDecides    = "rule-never-decides"
	RuleRedundant       = "rule-redundant"
	PassNothing         = "pass-nothing-decides"
	AllowOverNetpol     = "allow-overrides-netpol"
	DenyOverAllow       = "deny-overrides-allow"
	DenyLeavesOutside   = "ingress-deny-leaves-outside"
	AllowChangesNothing = "allow-changes-nothing"
	VerdictsTooLarge    = "verdicts-too-large"
)
