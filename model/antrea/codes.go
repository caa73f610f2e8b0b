package antrea

import (
	"strings"

	"rung/model"
)

// Codes of things that Antrea's documentation forbids, advises against, or says have no
// effect (antrea.md#findings). Codes of references that stand for nothing are beside
// Reason.
const (
	TierTaken    = "antrea-tier-priority-taken"
	TierReserved = "antrea-tier-priority-reserved"
	TierStatic   = "antrea-tier-static-changed"
	TierMissing  = "antrea-tier-missing"
	TierDeleted  = "antrea-tier-deleted"
	TierLimit    = "antrea-tiers-limit"
	TiersMany    = "antrea-tiers-many"

	PriorityRange   = "antrea-priority-range"
	PriorityHigh    = "antrea-priority-high"
	PriorityTie     = "antrea-priority-tie"
	PrioritiesLimit = "antrea-priorities-limit"
	ActionDeny      = "antrea-action-deny"

	BaselinePass  = "antrea-baseline-pass"
	BaselineAllow = "antrea-baseline-allow"
	BaselineLimit = "antrea-baseline-limit"

	AppliedToBoth  = "antrea-applied-to-both"
	AppliedToSome  = "antrea-applied-to-some"
	AppliedToBlock = "antrea-applied-to-ipblock"
	AppliedToForms = "antrea-applied-to-forms"

	GroupForms   = "antrea-group-forms"
	GroupBlock   = "antrea-group-ipblock"
	AccountAlone = "antrea-account-alone"
	AccountLabel = "antrea-account-label"

	ServiceAlone  = "antrea-service-alone"
	ServiceMixed  = "antrea-service-mixed"
	ServiceEgress = "antrea-service-egress"
	ServicePeers  = "antrea-service-peers"
	ServiceType   = "antrea-service-type"

	PeerForms          = "antrea-peer-forms"
	NamespacesSelector = "antrea-namespaces-with-selector"
	NamespacesANNP     = "antrea-namespaces-in-annp"
	SameLabelsNobody   = "antrea-same-labels-nobody"
	IPBlockExcept      = "antrea-ipblock-except"
	FQDNIngress        = "antrea-fqdn-ingress"
	FQDNDrop           = "antrea-fqdn-drop"
	FQDNService        = "antrea-fqdn-service"
	FQDNPass           = "antrea-fqdn-pass"
	FQDNFallback       = "antrea-fqdn-fallback"
	FQDNKubernetes     = "antrea-fqdn-kubernetes"
	IPBlockPods        = "antrea-ipblock-pods"
	NameLabel          = "antrea-name-label"

	ToServicesMixed    = "antrea-to-services-mixed"
	ToServicesIngress  = "antrea-to-services-ingress"
	ToServicesHeadless = "antrea-to-services-headless"
	ToServicesMissing  = "antrea-to-services-missing"

	EndPort          = "antrea-end-port"
	IGMPAlone        = "antrea-igmp-alone"
	IGMPType         = "antrea-igmp-type"
	IGMPGroup        = "antrea-igmp-group"
	MulticastAction  = "antrea-multicast-action"
	MulticastIngress = "antrea-multicast-ingress"
	RuleNames        = "antrea-rule-names"

	// NotJudged is no mistake: Antrea does what the field says, and Rung does not know what that is.
	NotJudged = "antrea-not-judged"
)

// SaysExcept is said of an ipBlock of a group with except.
const SaysExcept = "a block of a group has no except: write an ipBlock in the rule"

// DocumentedRule is a sentence of Antrea's documentation, with the code of the finding for
// objects that do otherwise.
type DocumentedRule struct {
	Code     string
	Severity model.Severity
	Says     string
}

const (
	refused = model.SeverityError
	doubt   = model.SeverityWarning
	advice  = model.SeverityInfo
)

// Sentences are all of them, in the order of the documentation.
var Sentences = []DocumentedRule{
	{TierMissing, refused, "A Tier must exist before an Antrea-native policy can reference it."},
	{TierDeleted, refused, "Deleting a Tier with existing references from policies is not allowed."},
	{TierTaken, refused, "No two Tiers can be created with the same priority."},
	{TierReserved, refused, "Priority values greater than or equal to 250 are not allowed for custom Tiers, nor are those of the static ones."},
	{TierStatic, refused, "The static Tiers are read-only, and updating a Tier's priority is unsupported."},
	{TierLimit, doubt, "There is a soft limit of 20 Tiers."},
	{TiersMany, advice, "For optimal performance there should be 10 Tiers or less."},
	{BaselinePass, refused, "Pass does not make sense in the baseline Tier; admission rejects it."},
	{BaselineAllow, advice, "It generally does not make sense to Allow in the baseline Tier: it cannot lift the isolation of a NetworkPolicy."},
	{BaselineLimit, doubt, "The baseline Tier has 150 unique priorities of rules."},
	{PriorityRange, refused, "Priority values range from 1.0 to 10000.0."},
	{PriorityHigh, advice, "It is recommended to have priorities within 1.0 to 100.0, to reduce the churn in the agents."},
	{PriorityTie, doubt, "Rules of policies with the same Tier and priority and the same place that conflict are nondeterministic."},
	{PrioritiesLimit, doubt, "There are up to 10,000 unique priorities of policies and 50,000 of rules outside the baseline Tier."},
	{ActionDeny, doubt, "The actions are Allow, Drop, Reject and Pass. (The documentation's own examples write Deny.)"},
	{AppliedToBoth, refused, "appliedTo of rules cannot be set along with appliedTo of the policy."},
	{AppliedToSome, refused, "If used, appliedTo must be set for all rules of the policy."},
	{AppliedToNothing, refused, "appliedTo specifies the Pods a policy applies to, at the policy or at each rule."},
	{AppliedToBlock, refused, "ipBlock cannot be set in appliedTo."},
	{AppliedToForms, refused, "One element of appliedTo is of one form: selectors, group, serviceAccount, service or nodeSelector."},
	{AppliedToNetworks, doubt, "A group of ipBlocks in appliedTo is ignored."},
	{AppliedToNamespaces, refused, "In appliedTo of an Antrea NetworkPolicy a namespaceSelector is forbidden, in a Group as well (NetworkPolicyAppliedToUnsupportedGroup)."},
	{AccountAlone, refused, "serviceAccount cannot be used with any other field."},
	{AccountLabel, doubt, "The label internal.antrea.io/service-account is reserved."},
	{PeerForms, refused, "A peer has one form: selectors, group, serviceAccount, ipBlock, nodeSelector or fqdn."},
	{NamespacesSelector, refused, "namespaces cannot be set with namespaceSelector."},
	{NamespacesANNP, refused, "An Antrea NetworkPolicy does not support namespaces in a peer."},
	{SameLabelsNobody, advice, "sameLabels is a no-op on namespaces that do not have all the labels."},
	{IPBlockExcept, refused, "except is a part of its ipBlock; blocks of groups have none."},
	{IPBlockPods, advice, "The CIDRs of ipBlock should be outside the cluster, since addresses of Pods change."},
	{FQDNIngress, refused, "fqdn is applicable to the to section of egress rules only."},
	{FQDNDrop, doubt, "fqdn is recommended with Allow only: an address that was cached may still be reached."},
	{FQDNPass, doubt, "Allow, Drop and Reject are the actions of rules with fqdn."},
	{FQDNFallback, advice, "fqdn with Allow wants some Drop or Reject of the rest beside it."},
	{FQDNService, doubt, "fqdn does not work for DNS names of Services, except headless ones."},
	{FQDNKubernetes, advice, "It is not recommended to use fqdn for DNS names that Kubernetes makes."},
	{NameLabel, doubt, "Namespaces have the label antrea.io/metadata.name only where the webhook for it is configured."},
	{EndPort, refused, "endPort can only be set when a numerical port is set, as the end of its range."},
	{IGMPAlone, refused, "IGMP cannot be used with ICMP, from, to, ports or toServices."},
	{IGMPType, refused, "igmpType is 0x11 (query) in ingress, 0x12, 0x16 or 0x22 (reports) in egress."},
	{IGMPGroup, refused, "The group address of IGMP queries can only be 224.0.0.1."},
	{MulticastAction, refused, "Pass and Reject are not supported for multicast traffic."},
	{MulticastIngress, refused, "Multicast data traffic is not supported in ingress rules."},
	{RuleNames, refused, "Names of rules are unique within a policy, those Antrea makes among them."},
	{ToServicesMixed, refused, "toServices cannot be used with to or ports in one rule."},
	{ToServicesIngress, refused, "toServices is of egress rules."},
	{ToServicesHeadless, doubt, "toServices does not support headless Services."},
	{ToServicesMissing, doubt, "toServices matches the cluster IP and ports of Services that are there."},
	{ServiceAlone, refused, "service cannot be used with any other field of appliedTo."},
	{ServiceMixed, refused, "A policy or rule cannot apply to a NodePort Service and to others at once."},
	{ServiceEgress, refused, "What applies to a NodePort Service can only have ingress rules."},
	{ServicePeers, refused, "An ingress rule of a NodePort Service can only have ipBlock in from."},
	{ServiceType, refused, "Only a NodePort Service can be referred to by service."},
	{GroupForms, refused, "At most one of podSelector, serviceReference, ipBlock, ipBlocks or childGroups can be set for a group."},
	{GroupBlock, advice, "ipBlock of a group will be deprecated for ipBlocks."},
	{GroupMissing, refused, "A group must exist before another group can list it as a child, and cannot be deleted while one does."},
	{GroupNested, refused, "A group that has childGroups cannot be the child of another: there is one level."},
	{GroupCycle, refused, "A group that is its own child would need more than one level."},
	{ServiceSelectorless, doubt, "Services without selectors are ignored in serviceReference."},
	{ServiceMissing, doubt, "A group with serviceReference has the Pods that the Service selects."},
	{NotJudged, doubt, "externalEntitySelector, scope ClusterSet, sourcePort and sourceEndPort are valid; Rung does not judge policies and groups that have them."},
	{GroupRefused, refused, "A policy that refers to a group that is refused selects nothing by it."},
}

// severityOf returns the severity of a code, error for one that is not in the table.
func severityOf(code string) model.Severity {
	for i := range Sentences {
		if Sentences[i].Code == code {
			return Sentences[i].Severity
		}
	}
	return model.SeverityError
}

// ShortCode is a code in two or three words.
func ShortCode(code string) string {
	if short := shorts[code]; short != "" {
		return short
	}
	return strings.ReplaceAll(strings.TrimPrefix(code, "antrea-"), "-", " ")
}

// shorts are the codes that are not short already.
var shorts = map[string]string{
	PriorityTie: "tie", ActionDeny: "Deny", TierMissing: "no tier", TierDeleted: "tier deleted",
	FQDNDrop: "fqdn Drop", ToServicesMissing: "no Service", GroupMissing: "no group", PriorityRange: "priority",
	AppliedToNothing: "no pods", AppliedToNetworks: "no pods", AppliedToNamespaces: "appliedTo", AppliedToBoth: "appliedTo",
	AppliedToSome: "appliedTo", SameLabelsNobody: "no namespace",
	ServiceMissing: "no Service", RuleNames: "rule names", BaselinePass: "idle Pass", BaselineAllow: "idle Allow",
}
