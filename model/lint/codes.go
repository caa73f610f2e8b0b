package lint

import (
	"slices"

	"rung/model"
	"rung/model/antrea"
)

// Kind defines a kind of finding with its fixed texts. A new finding needs an entry here, a check in package
// lint and an example in revision. Broken objects and policies that OVN-Kubernetes rejects have the code of
// their error instead.
type Kind struct {
	Code     string         // stable, in kebab-case
	Severity model.Severity // a check may give another
	Short    string         // two or three words, for narrow columns
	Verdicts bool           // needs the verdict of every connection (lint.WithVerdicts)
	Meaning  string         // meaning, as a sentence of docs/findings.md
	Remedy   string         // what to do; a check may be more specific
}

// Kinds has all kinds of findings in the order of declaration.
var Kinds []*Kind

func newKind(k Kind) *Kind {
	Kinds = append(Kinds, &k)
	return &k
}

// The kinds of findings, most important first: rules that open or close the cluster, rows unlike the written
// rules, rules with unintended effect, pods out of reach.
var (
	OpenToAll = newKind(Kind{Code: "open-to-all", Severity: model.SeverityError, Short: "allows all", Verdicts: true,
		Meaning: "A rule allows everything between all pods, or all outside system namespaces, above rules that decide differently.",
		Remedy:  "allow only the intended namespaces and ports, or move it below the rules that should apply"})
	ClosedToAll = newKind(Kind{Code: "closed-to-all", Severity: model.SeverityError, Short: "blocks all", Verdicts: true,
		Meaning: "A rule denies everything between all pods, or all outside system namespaces, so AdminNetworkPolicies below it never allow or " +
			"pass. A warning if there are none, but pairs of pods are blocked. A subject of every pod has its own finding.",
		Remedy: "move it below the rules that allow, or make it the baseline"})
	DNSNotAllowed = newKind(Kind{Code: "dns-not-allowed", Severity: model.SeverityError, Short: "no DNS",
		Meaning: "A Deny, or the isolation by NetworkPolicies, denies DNS queries. A note if rules above decide all queries now.",
		Remedy:  "allow DNS (UDP and TCP) in a rule above"})
	PriorityConflict = newKind(Kind{Code: "priority-conflict", Severity: model.SeverityError, Short: "conflict",
		Meaning: "Rules of equal priority and number conflict for connections of present pods: which one wins is undefined. " +
			"A note if earlier rules mask them now.",
		Remedy: "give the two policies different priorities: rung plan"})
	PriorityUnsupported = newKind(Kind{Code: "priority-unsupported", Severity: model.SeverityError, Short: "too large",
		Meaning: "The priority is above 99, the largest that OVN-Kubernetes enforces."})
	CNPNotEnforced = newKind(Kind{Code: "cnp-not-enforced", Severity: model.SeverityWarning, Short: "not enforced",
		Meaning: "A ClusterNetworkPolicy is shown but not enforced: OVN-Kubernetes has no controller for it.",
		Remedy:  "write it as an AdminNetworkPolicy or BaselineAdminNetworkPolicy; --compile-cnp shows what it would do"})
	CNPMight = newKind(Kind{Code: "cnp-as-ovn-kubernetes-might", Severity: model.SeverityWarning, Short: "OVN-K might",
		Meaning: "A ClusterNetworkPolicy has rows because `--compile-cnp` asks for them.",
		Remedy:  "to have it enforced, write it as an AdminNetworkPolicy or BaselineAdminNetworkPolicy"})
	LoggingInvalid = newKind(Kind{Code: "logging-annotation-invalid", Severity: model.SeverityError, Short: "bad logging",
		Meaning: "An invalid logging annotation keeps the whole policy from being programmed."})
	CNPPruned = newKind(Kind{Code: "cnp-ports-dropped", Severity: model.SeverityError, Short: "ports lost",
		Meaning: "A ClusterNetworkPolicy was applied with the ports of v1alpha1, which the API server drops: the rule matches every port.",
		Remedy:  "write protocols instead: [{tcp: {destinationPort: {number: …}}}]"})
	CNPRules = newKind(Kind{Code: "cnp-too-many-rules", Severity: model.SeverityError, Short: "excess rule",
		Meaning: "A direction of a ClusterNetworkPolicy has more than 25 rules.",
		Remedy:  "split the policy in two with different priorities, or join rules"})
	CNPDomains = newKind(Kind{Code: "cnp-domains-not-accepted", Severity: model.SeverityError, Short: "domains",
		Meaning: "A Deny or Pass of a ClusterNetworkPolicy names domains, which the API supports with Accept only.",
		Remedy:  "accept the intended domains, and deny the rest in a rule below"})
	NamespaceLogging = newKind(Kind{Code: "namespace-logging-invalid", Severity: model.SeverityWarning, Short: "bad logging",
		Meaning: "Levels in a namespace's logging annotation are invalid and stay off."})
	FirewallName = newKind(Kind{Code: "egressfirewall-name", Severity: model.SeverityError, Short: "bad name",
		Meaning: "An EgressFirewall is not named default.",
		Remedy:  "name it default; a namespace has one"})
	FirewallTooLong = newKind(Kind{Code: "egressfirewall-too-long", Severity: model.SeverityError, Short: "too long",
		Meaning: "An EgressFirewall has more rules than OVN has priorities for them."})
	RuleOutOfRange = newKind(Kind{Code: "rule-beyond-range", Severity: model.SeverityInfo, Short: "excess rule",
		Meaning: "A direction has more than 100 rules: the excess rules get OVN priorities of other policies.",
		Remedy:  "split the policy in two with different priorities, or join rules"})
	CIDR = newKind(Kind{Code: "cidr", Severity: model.SeverityError, Short: "bad CIDR",
		Meaning: "A network is an invalid CIDR for OVN-Kubernetes.",
		Remedy:  "write address/length, and IPv4 not mapped into IPv6"})
	HostCIDRs = newKind(Kind{Code: "host-cidrs-malformed", Severity: model.SeverityError, Short: "host CIDRs",
		Meaning: "The annotation with a node's addresses cannot be read.",
		Remedy:  "correct the node's annotation; OVN-Kubernetes writes it"})
	NetpolPortLost = newKind(Kind{Code: "netpol-port-lost", Severity: model.SeverityWarning, Short: "lost port",
		Meaning: "A port entry without a number is lost if its protocol also has numbers.",
		Remedy:  "move it to its own rule; write a named port as its number"})
	NetpolNamedPort = newKind(Kind{Code: "netpol-named-port-opens-protocol", Severity: model.SeverityWarning, Short: "wide port",
		Meaning: "A named port of a NetworkPolicy opens the whole protocol.",
		Remedy:  "use the port's number"})
	NetpolDirection = newKind(Kind{Code: "netpol-rules-outside-policytypes", Severity: model.SeverityInfo, Short: "unused rule",
		Meaning: "Rules of a direction that policyTypes omits still allow connections."})
	FirewallOverrules = newKind(Kind{Code: "egressfirewall-overrules-allow", Severity: model.SeverityWarning, Short: "beats Allow",
		Meaning: "An EgressFirewall denies connections that an AdminNetworkPolicy allows.",
		Remedy:  "allow it in a rule of the EgressFirewall above this one"})
	FirewallPods = newKind(Kind{Code: "egressfirewall-leaves-pods", Severity: model.SeverityInfo, Short: "skips pods",
		Meaning: "OVN-Kubernetes excludes the cluster's pods from an EgressFirewall rule.",
		Remedy:  "use a NetworkPolicy or an AdminNetworkPolicy for pods"})
	FirewallSubnets = newKind(Kind{Code: "egressfirewall-subnets-unknown", Severity: model.SeverityWarning, Short: "no subnets",
		Meaning: "The pod subnets, which EgressFirewall rows exclude, are unknown.",
		Remedy:  "give the subnets: --cluster-subnets CIDR,…"})
	NetpolEmptyList = newKind(Kind{Code: "networkpolicy-2016-empty-list", Severity: model.SeverityWarning, Short: "empty list",
		Meaning: "A rule of a NetworkPolicy of 2016 has an empty list of peers or ports: nothing then, everything today.",
		Remedy:  "remove the rule to match nothing, or the list to match everything"})
	NetpolNoEffect = newKind(Kind{Code: "networkpolicy-2016-not-isolated", Severity: model.SeverityWarning, Short: "no effect",
		Meaning: "With --legacy-isolation, a NetworkPolicy of 2016 is in a namespace that its annotation does not isolate.",
		Remedy:  "isolate the namespace, or delete the policy"})
	IsolationInvalid = newKind(Kind{Code: "isolation-annotation-invalid", Severity: model.SeverityWarning, Short: "bad value",
		Meaning: "The isolation annotation of 2016 cannot be read, or says something other than DefaultDeny: it isolated nothing.",
		Remedy:  `write {"ingress": {"isolation": "DefaultDeny"}}, or remove the annotation`})
	IsolationIgnored = newKind(Kind{Code: "isolation-annotation-ignored", Severity: model.SeverityWarning, Short: "not isolated",
		Meaning: "A namespace has the isolation annotation of 2016, which nothing reads today ([older-forms.md](older-forms.md)).",
		Remedy:  "rung convert --to networkpolicy writes today's equivalent; --legacy-isolation shows what it meant"})
	NetpolOlderAPI = newKind(Kind{Code: "networkpolicy-older-api", Severity: model.SeverityWarning, Short: "older API",
		Meaning: "A NetworkPolicy uses extensions/v1beta1, which Kubernetes removed in 1.16.",
		Remedy:  "rung convert --to networkpolicy writes today's equivalent"})
	IsolationBoth = newKind(Kind{Code: "isolation-annotation-and-networkpolicy", Severity: model.SeverityInfo, Short: "both ways",
		Meaning: "A namespace has the isolation annotation of 2016 and NetworkPolicies of today that isolate.",
		Remedy:  "remove the annotation once NetworkPolicies isolate what it meant"})
	NamedPortFamily = newKind(Kind{Code: "named-port-family", Severity: model.SeverityInfo, Short: "port family",
		Meaning: "Rows of a named port have addresses of a family that the cluster lacks.",
		Remedy:  "use the port's number"})
	NamedPortUnmatched = newKind(Kind{Code: "named-port-unmatched", Severity: model.SeverityInfo, Short: "port name",
		Meaning: "No receiving pod of the rule declares its named port.",
		Remedy:  "use the port's number, or name the port in the containers"})
	NamedPortPeers = newKind(Kind{Code: "named-port-reaches-peers", Severity: model.SeverityWarning, Short: "peer ports",
		Meaning: "Rows of a named port in an ingress rule also decide about connections between peers.",
		Remedy:  "use the port's number"})
	RuleShadowed = newKind(Kind{Code: "rule-shadowed", Severity: model.SeverityInfo, Short: "shadowed",
		Meaning: "Earlier rules of the same policy cover all peers and ports of the rule, whatever pods exist.",
		Remedy:  "move it above, or remove it"})
	DecidesFirst = newKind(Kind{Code: "decides-first", Severity: model.SeverityInfo, Short: "shadows", Verdicts: true,
		Meaning: "One rule shadows several others, each listed below it as `rule-never-decides`.",
		Remedy:  "move it below them, or remove the rules no longer needed"})
	RuleNeverDecides = newKind(Kind{Code: "rule-never-decides", Severity: model.SeverityInfo, Short: "overridden", Verdicts: true,
		Meaning: "A rule matches connections but decides none: rules of this or other policies and tiers decide first."})
	DNSTCPNotAllowed = newKind(Kind{Code: "dns-tcp-not-allowed", Severity: model.SeverityWarning, Short: "no TCP DNS",
		Meaning: "DNS is allowed over UDP but not over TCP.",
		Remedy:  "allow TCP too: long answers need it"})
	APINotAllowed = newKind(Kind{Code: "api-not-allowed", Severity: model.SeverityWarning, Short: "no API", Verdicts: true,
		Meaning: "An EgressFirewall or the isolation by NetworkPolicies cuts pods off from the API server. A note for isolation, unless a rule " +
			"tries to allow it by the Service's address or port."})
	WebhookCut = newKind(Kind{Code: "webhook-cut", Severity: model.SeverityWarning, Short: "no webhook", Verdicts: true,
		Meaning: "The API server cannot reach a Service on port 443 whose name suggests a webhook."})
	DenyAllNetworks = newKind(Kind{Code: "deny-all-networks", Severity: model.SeverityInfo, Short: "denies all",
		Meaning: "An egress Deny of every address denies all connections that no rule above decides.",
		Remedy:  "allow DNS (UDP and TCP), the API server and other needs in rules above"})
	EmptySelectorDeny = newKind(Kind{Code: "subject-empty-selector-with-deny", Severity: model.SeverityWarning, Short: "every pod",
		Meaning: "The subject is every pod, including system namespaces, and a rule denies.",
		Remedy:  "select the namespaces you mean, or exclude the system's"})
	SelectsSystem = newKind(Kind{Code: "subject-selects-system", Severity: model.SeverityInfo, Short: "system pods",
		Meaning: "The subject selects system namespaces.",
		Remedy:  "exclude them from the subject: label kubernetes.io/metadata.name with NotIn"})
	NetworkHostBits = newKind(Kind{Code: "network-host-bits", Severity: model.SeverityWarning, Short: "host bits",
		Meaning: "A network is written with host bits, which are cleared.",
		Remedy:  "write the network you mean, or a /32 (/128) for one address"})
	NetworkCoversPods = newKind(Kind{Code: "network-covers-pods", Severity: model.SeverityInfo, Short: "pod network",
		Meaning: "A network covers pods, which it matches by address."})
	NetworkCoversNodes = newKind(Kind{Code: "network-covers-nodes", Severity: model.SeverityWarning, Short: "node network",
		Meaning: "A network of an ingress rule covers node addresses that nodes do not use to reach pods.",
		Remedy:  "name the management addresses of the nodes, or select the namespace that represents them"})
	NameCut = newKind(Kind{Code: "name-cut", Severity: model.SeverityInfo, Short: "long name",
		Meaning: "The name is too long: OVN cuts the ACL names."})
	PriorityDuplicate = newKind(Kind{Code: "priority-duplicate", Severity: model.SeverityInfo, Short: "tie",
		Meaning: "Several policies share a priority.",
		Remedy:  "give it a priority of its own: rung plan"})
	SubjectNothing = newKind(Kind{Code: "subject-matches-nothing", Severity: model.SeverityWarning, Short: "no pods",
		Meaning: "The subject matches no pod.",
		Remedy:  "check the labels of the subject's selectors"})
	PeerNothing = newKind(Kind{Code: "peer-matches-nothing", Severity: model.SeverityInfo, Short: "empty peer",
		Meaning: "A peer matches no pod or node.",
		Remedy:  "check the labels of the peer's selectors"})
	PeerService = newKind(Kind{Code: "peer-service-address", Severity: model.SeverityWarning, Short: "Service IP",
		Meaning: "A rule names the address of a Service, which it never matches: load balancing comes first.",
		Remedy:  "name the endpoints of the Service and the port they listen on"})
	FirewallDNS = newKind(Kind{Code: "egressfirewall-dns", Severity: model.SeverityInfo, Short: "DNS name",
		Meaning: "EgressFirewall rules use DNS names.",
		Remedy:  "if the addresses are fixed, name them as networks"})
	PassNothing = newKind(Kind{Code: "pass-nothing-decides", Severity: model.SeverityInfo, Short: "no-op Pass", Verdicts: true,
		Meaning: "A Pass defers connections to lower tiers, where no NetworkPolicy or baseline rule decides them: they are allowed.",
		Remedy:  "use Allow if intended, or add the NetworkPolicy that should decide"})
	AllowChangesNothing = newKind(Kind{Code: "allow-changes-nothing", Severity: model.SeverityInfo, Short: "no-op Allow", Verdicts: true,
		Meaning: "A policy only allows connections that are allowed anyway. Unlike a NetworkPolicy it denies nothing by itself.",
		Remedy:  "add the intended Deny, or keep it as a guard against future NetworkPolicies"})
	RuleRedundant = newKind(Kind{Code: "rule-redundant", Severity: model.SeverityInfo, Short: "redundant", Verdicts: true,
		Meaning: "Without the rule, another rule of its tier decides the same.",
		Remedy:  "remove the rule, or keep it for future pods"})
	AllowOverNetpol = newKind(Kind{Code: "allow-overrides-netpol", Severity: model.SeverityInfo, Short: "beats NPs", Verdicts: true,
		Meaning: "An Allow of an AdminNetworkPolicy overrides NetworkPolicies that would deny.",
		Remedy:  "use Pass to defer to NetworkPolicies; keep Allow where it must override them"})
	DenyOverAllow = newKind(Kind{Code: "deny-overrides-allow", Severity: model.SeverityInfo, Short: "stops Allow", Verdicts: true,
		Meaning: "A Deny of an AdminNetworkPolicy overrides an Allow of a NetworkPolicy or an EgressFirewall.",
		Remedy:  "put a Pass above it to defer to them, or remove the ineffective Allow"})
	DenyLeavesOutside = newKind(Kind{Code: "ingress-deny-leaves-outside", Severity: model.SeverityInfo, Short: "pods only", Verdicts: true,
		Meaning: "An ingress Deny of every pod does not match nodes and sources outside the cluster.",
		Remedy:  "ingress rules name pods only; block other sources at the edge, or with NetworkPolicies"})
	PriorityNoGap = newKind(Kind{Code: "priority-no-gap", Severity: model.SeverityInfo, Short: "no gap",
		Meaning: "Priorities are taken without a gap, or to an end of the range: none is free between them, or beyond.",
		Remedy:  "leave gaps, in a range such as 30–70: rung plan --step 5 spreads them in the same order"})
	PoliciesMany = newKind(Kind{Code: "policies-many", Severity: model.SeverityInfo, Short: "many ANPs",
		Meaning: "The cluster has more AdminNetworkPolicies than the 30 to 50 that OVN-Kubernetes expects.",
		Remedy:  "join policies with the same subject: one holds up to 100 rules per direction"})
	ConversionNewValue = newKind(Kind{Code: "conversion-new-value", Severity: model.SeverityWarning, Short: "new value",
		Meaning: "A policy of Antrea was converted to one policy for each namespace or label value, and none of them covers a newer namespace."})
	TenantPolicies = newKind(Kind{Code: "policy-per-tenant", Severity: model.SeverityInfo, Short: "per tenant",
		Meaning: "Each tenant has its own policy: a new tenant needs another.",
		Remedy:  "create a policy with each new tenant's first namespace"})
	SetsOverlap = newKind(Kind{Code: "sets-overlap", Severity: model.SeverityInfo, Short: "shared sets",
		Meaning: "Rules of one direction share many pods: ovn-controller recomputes all flows when such a pod comes or goes.",
		Remedy:  "avoid overlapping peers for pods that come and go often"})
	NamedPortMany = newKind(Kind{Code: "named-port-many-pods", Severity: model.SeverityInfo, Short: "many names",
		Meaning: "A named port is looked up in the containers of very many pods (500 or more).",
		Remedy:  "use the port's number"})
	NegativeMany = newKind(Kind{Code: "negative-selector-many-pods", Severity: model.SeverityInfo, Short: "wide NotIn",
		Meaning: "A selector matches very many pods (500 or more) because they lack a label, and all future pods without it.",
		Remedy:  "select by a label the intended pods have"})
	PeerHost = newKind(Kind{Code: "peer-hostnetwork", Severity: model.SeverityInfo, Short: "host peers",
		Meaning: "Pods of a peer are host-networked: the rule does not match them.",
		Remedy:  "for egress, name their nodes as peers"})
	VerdictsTooLarge = newKind(Kind{Code: "verdicts-too-large", Severity: model.SeverityInfo, Short: "not checked", Verdicts: true,
		Meaning: "The cluster is too large to judge every connection: findings that need it are left out.",
		Remedy:  "ask for single connections: rung trace"})
	PrimaryUDN = newKind(Kind{Code: "primary-udn", Severity: model.SeverityInfo, Short: "UDN pods",
		Meaning: "Pods of the subject have a primary user-defined network, where the policy is not enforced.",
		Remedy:  "use NetworkPolicies in the namespaces of these pods"})
	HostNetwork = newKind(Kind{Code: "hostnetwork-selected", Severity: model.SeverityInfo, Short: "host network",
		Meaning: "Pods of the subject are host-networked: no AdminNetworkPolicy applies to them.",
		Remedy:  "protect host-networked pods by other means, such as a host firewall"})
)

// OtherSystem is the kind for policies that the cluster's network plugin ignores.
var OtherSystem = &Kind{Code: "policy-of-other-system", Severity: model.SeverityWarning, Short: "not here"}

// KindOfCode returns the kind with a code; nil for unreadable objects and for a plugin's own codes.
func KindOfCode(code string) *Kind {
	if i := rankOfCode(code); i < len(Kinds) {
		return Kinds[i]
	}
	return nil
}

// ShortCode returns a code in two or three words. Codes of unreadable objects already are words.
func ShortCode(code string) string {
	if k := KindOfCode(code); k != nil {
		return k.Short
	}
	if code == OtherSystem.Code {
		return OtherSystem.Short
	}
	return antrea.ShortCode(code)
}

// CompareRank orders codes of one severity, most important first. Unreadable objects come before all.
func CompareRank(a, b string) int {
	return (rankOfCode(a)+1)%(len(Kinds)+1) - (rankOfCode(b)+1)%(len(Kinds)+1)
}

// rankOfCode returns the index of a code in Kinds, or their number if it is not in them.
func rankOfCode(code string) int {
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Code == code })
	if i < 0 {
		return len(Kinds)
	}
	return i
}
