package antrea

import (
	"cmp"
	"slices"
	"strings"

	"rung/model"
)

// ExceptMessage is the message about except in an ipBlock of a group.
const ExceptMessage = "groups do not support except: use an ipBlock in the rule"

// DocumentedRule is a sentence of Antrea's documentation, with the code of findings that break it.
type DocumentedRule struct {
	Code     string
	Severity model.Severity
	Meaning  string
}

const (
	rejected = model.SeverityError
	warning  = model.SeverityWarning
	advice   = model.SeverityInfo
)

// DocumentedRules has all documented rules, in the order of the documentation.
var DocumentedRules []DocumentedRule

// documented adds a sentence and returns its code.
func documented(code string, severity model.Severity, says string) string {
	DocumentedRules = append(DocumentedRules, DocumentedRule{code, severity, says})
	return code
}

// Codes of what Antrea's documentation forbids, advises against, or calls ineffective (antrea.md#findings),
// and of references that select nothing, or less than is written.
var (
	TierMissing  = documented("antrea-tier-missing", rejected, "A Tier must exist before an Antrea-native policy can reference it.")
	TierDeleted  = documented("antrea-tier-deleted", rejected, "Deleting a Tier with existing references from policies is not allowed.")
	TierTaken    = documented("antrea-tier-priority-taken", rejected, "No two Tiers can be created with the same priority.")
	TierReserved = documented("antrea-tier-priority-reserved", rejected,
		"Custom Tiers cannot have priorities of 250 and above, nor those of static Tiers.")
	TierStatic = documented("antrea-tier-static-changed", rejected,
		"The static Tiers are read-only, and updating a Tier's priority is unsupported.")
	TierLimit     = documented("antrea-tiers-limit", warning, "There is a soft limit of 20 Tiers.")
	TiersMany     = documented("antrea-tiers-many", advice, "For optimal performance use 10 Tiers or fewer.")
	BaselinePass  = documented("antrea-baseline-pass", rejected, "Pass does not make sense in the baseline Tier; admission rejects it.")
	BaselineAllow = documented("antrea-baseline-allow", advice,
		"Allow generally makes no sense in the baseline Tier: it cannot lift the isolation of a NetworkPolicy.")
	BaselineLimit = documented("antrea-baseline-limit", warning, "The baseline Tier supports 150 unique rule priorities.")
	PriorityRange = documented("antrea-priority-range", rejected, "Priority values range from 1.0 to 10000.0.")
	PriorityHigh  = documented("antrea-priority-high", advice,
		"It is recommended to have priorities within 1.0 to 100.0, to reduce the churn in the agents.")
	PriorityTie = documented("antrea-priority-tie", warning,
		"If conflicting rules have the same Tier, priority and number, which one wins is undefined.")
	PrioritiesLimit = documented("antrea-priorities-limit", warning,
		"All Tiers except the baseline together support 10,000 unique policy priorities and 50,000 rule priorities.")
	ActionDeny = documented("antrea-action-deny", warning,
		"The actions are Allow, Drop, Reject and Pass. (The documentation's own examples write Deny.)")
	AppliedToBoth = documented("antrea-applied-to-both", rejected,
		"appliedTo of rules cannot be set along with appliedTo of the policy.")
	AppliedToSome = documented("antrea-applied-to-some", rejected, "If used, appliedTo must be set for all rules of the policy.")
	// AppliedToNothing: neither policy nor rule has appliedTo
	AppliedToNothing = documented("antrea-applied-to-nothing", rejected,
		"appliedTo specifies the Pods a policy applies to, at the policy or at each rule.")
	AppliedToBlock = documented("antrea-applied-to-ipblock", rejected, "ipBlock cannot be set in appliedTo.")
	AppliedToForms = documented("antrea-applied-to-forms", rejected,
		"An element of appliedTo has one form: selectors, group, serviceAccount, service or nodeSelector.")
	// AppliedToNetworks: appliedTo a group of ipBlocks
	AppliedToNetworks = documented("antrea-applied-to-networks", warning, "A group of ipBlocks in appliedTo is ignored.")
	// AppliedToNamespaces: an ANNP is applied to a group with a namespaceSelector
	AppliedToNamespaces = documented("antrea-applied-to-namespaces", rejected,
		"appliedTo of an Antrea NetworkPolicy cannot have a namespaceSelector, or a Group with one (NetworkPolicyAppliedToUnsupportedGroup).")
	AccountAlone = documented("antrea-account-alone", rejected, "serviceAccount cannot be used with any other field.")
	AccountLabel = documented("antrea-account-label", warning, "The label internal.antrea.io/service-account is reserved.")
	PeerForms    = documented("antrea-peer-forms", rejected,
		"A peer has one form: selectors, group, serviceAccount, ipBlock, nodeSelector or fqdn.")
	NamespacesSelector = documented("antrea-namespaces-with-selector", rejected, "namespaces cannot be set with namespaceSelector.")
	NamespacesANNP     = documented("antrea-namespaces-in-annp", rejected,
		"An Antrea NetworkPolicy does not support namespaces in a peer.")
	SameLabelsNoMatch = documented("antrea-same-labels-nobody", advice,
		"sameLabels is a no-op on namespaces that do not have all the labels.")
	IPBlockExcept = documented("antrea-ipblock-except", rejected, "except must be inside its ipBlock; groups do not support except.")
	IPBlockPods   = documented("antrea-ipblock-pods", advice,
		"The CIDRs of ipBlock should be outside the cluster, since addresses of Pods change.")
	FQDNIngress = documented("antrea-fqdn-ingress", rejected, "fqdn is applicable to the to section of egress rules only.")
	FQDNDrop    = documented("antrea-fqdn-drop", warning,
		"fqdn is recommended with Allow only: an address that was cached may still be reached.")
	FQDNPass       = documented("antrea-fqdn-pass", warning, "Allow, Drop and Reject are the actions of rules with fqdn.")
	FQDNFallback   = documented("antrea-fqdn-fallback", advice, "An Allow with fqdn needs a Drop or Reject of other traffic.")
	FQDNService    = documented("antrea-fqdn-service", warning, "fqdn does not work for DNS names of Services, except headless ones.")
	FQDNKubernetes = documented("antrea-fqdn-kubernetes", advice,
		"fqdn is not recommended for DNS names of Kubernetes.")
	NameLabel = documented("antrea-name-label", warning,
		"Namespaces have the label antrea.io/metadata.name only if its webhook is configured.")
	EndPort = documented("antrea-end-port", rejected,
		"endPort can only be set when a numerical port is set, as the end of its range.")
	IGMPAlone = documented("antrea-igmp-alone", rejected, "IGMP cannot be used with ICMP, from, to, ports or toServices.")
	IGMPType  = documented("antrea-igmp-type", rejected,
		"igmpType is 0x11 (query) in ingress, 0x12, 0x16 or 0x22 (reports) in egress.")
	IGMPGroup        = documented("antrea-igmp-group", rejected, "The group address of IGMP queries can only be 224.0.0.1.")
	MulticastAction  = documented("antrea-multicast-action", rejected, "Pass and Reject are not supported for multicast traffic.")
	MulticastIngress = documented("antrea-multicast-ingress", rejected, "Multicast data traffic is not supported in ingress rules.")
	RuleNames        = documented("antrea-rule-names", rejected,
		"Rule names are unique within a policy, including generated ones.")
	ToServicesMixed    = documented("antrea-to-services-mixed", rejected, "toServices cannot be used with to or ports in one rule.")
	ToServicesIngress  = documented("antrea-to-services-ingress", rejected, "toServices is for egress rules only.")
	ToServicesHeadless = documented("antrea-to-services-headless", warning, "toServices does not support headless Services.")
	ToServicesMissing  = documented("antrea-to-services-missing", warning,
		"toServices matches cluster IP and ports of existing Services.")
	ServiceAlone = documented("antrea-service-alone", rejected, "service cannot be used with any other field of appliedTo.")
	ServiceMixed = documented("antrea-service-mixed", rejected,
		"A policy or rule cannot apply to a NodePort Service and to others at once.")
	ServiceEgress = documented("antrea-service-egress", rejected, "A policy for a NodePort Service can only have ingress rules.")
	ServicePeers  = documented("antrea-service-peers", rejected,
		"An ingress rule of a NodePort Service can only have ipBlock in from.")
	ServiceType = documented("antrea-service-type", rejected, "Only a NodePort Service can be referred to by service.")
	GroupForms  = documented("antrea-group-forms", rejected,
		"At most one of podSelector, serviceReference, ipBlock, ipBlocks or childGroups can be set for a group.")
	GroupBlock   = documented("antrea-group-ipblock", advice, "ipBlock of a group will be deprecated for ipBlocks.")
	GroupMissing = documented("antrea-group-missing", rejected,
		"A group must exist before another group can list it as a child, and cannot be deleted while one does.")
	// GroupNested: a child has children
	GroupNested = documented("antrea-group-nested", rejected,
		"A group with childGroups cannot be a child: groups nest one level.")
	// GroupCycle: a child leads back to the group
	GroupCycle = documented("antrea-group-cycle", rejected, "A group cannot be its own child, directly or indirectly.")
	// ServiceSelectorless: the Service of a serviceReference selects no pods
	ServiceSelectorless = documented("antrea-service-selectorless", warning, "Services without selectors are ignored in serviceReference.")
	// ServiceMissing: the Service of a serviceReference does not exist
	ServiceMissing = documented("antrea-service-missing", warning, "A group with serviceReference has the Pods that the Service selects.")
	// NotJudged is not a fault: Antrea does what the field says, but Rung does not model it.
	NotJudged = documented("antrea-not-judged", warning,
		"externalEntitySelector, scope ClusterSet, sourcePort and sourceEndPort are valid; "+
			"Rung does not judge policies and groups that have them.")
	// GroupRefused: admission would reject the group
	GroupRefused = documented("antrea-group-refused", rejected, "A rejected group selects nothing in the policies that use it.")
)

// codeSeverity returns the severity of a code, error for an unknown code.
func codeSeverity(code string) model.Severity {
	if i := slices.IndexFunc(DocumentedRules, func(d DocumentedRule) bool { return d.Code == code }); i >= 0 {
		return DocumentedRules[i].Severity
	}
	return model.SeverityError
}

// ShortCode returns a code in two or three words.
func ShortCode(code string) string {
	return cmp.Or(shortCodes[code], strings.ReplaceAll(strings.TrimPrefix(code, "antrea-"), "-", " "))
}

var shortCodes = map[string]string{
	PriorityTie: "tie", ActionDeny: "Deny", TierMissing: "no tier", TierDeleted: "tier deleted",
	FQDNDrop: "fqdn Drop", ToServicesMissing: "no Service", GroupMissing: "no group", PriorityRange: "priority",
	AppliedToNothing: "no pods", AppliedToNetworks: "no pods", AppliedToNamespaces: "appliedTo", AppliedToBoth: "appliedTo",
	AppliedToSome: "appliedTo", SameLabelsNoMatch: "no namespace",
	ServiceMissing: "no Service", RuleNames: "rule names", BaselinePass: "invalid Pass", BaselineAllow: "no-op Allow",
}
