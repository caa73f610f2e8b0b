package model

import (
	"fmt"
	"strings"

	"rung/model/words"
)

// PolicySystem is the network plugin whose rules of precedence hold in a cluster.
type PolicySystem string

// The systems.
const (
	SystemOVN    PolicySystem = "ovn-kubernetes"
	SystemAntrea PolicySystem = "antrea"
)

// Kinds of Antrea (crd.antrea.io), spelled with their group, since Kubernetes has kinds of the same names.
const (
	KindTier         Kind = "Tier.crd.antrea.io"
	KindACNP         Kind = "ClusterNetworkPolicy.crd.antrea.io"
	KindANNP         Kind = "NetworkPolicy.crd.antrea.io"
	KindClusterGroup Kind = "ClusterGroup.crd.antrea.io"
	KindGroup        Kind = "Group.crd.antrea.io"
)

// IsTiered reports whether objects of the kind are policies in their plugin's own tiers.
func (k Kind) IsTiered() bool { return k == KindACNP || k == KindANNP }

// IsReferenced reports whether objects of the kind only take effect when policies name them: Tiers and groups.
func (k Kind) IsReferenced() bool { return k == KindTier || k == KindClusterGroup || k == KindGroup }

// CanMove reports whether policies of the kind have a priority that can change.
func (k Kind) CanMove() bool { return k.HasPriority() || k.IsTiered() }

// PlaceText returns the place of a policy with a priority, for people: "34", "securityops 5.05".
func (p *Policy) PlaceText() string {
	if p.Tiered != nil {
		return PlaceText(p.Tiered.Tier, p.Tiered.Priority)
	}
	return PlaceText("", float64(p.Priority))
}

// PlaceText returns a place for people: the tier, if any, and the priority.
func PlaceText(tier string, priority float64) string {
	return strings.TrimSpace(tier + " " + words.Number(priority))
}

// Title returns the kind for people, distinct from Kubernetes' kinds: "Antrea ClusterNetworkPolicy", "Tier".
func (k Kind) Title() string {
	word, _, _ := strings.Cut(string(k), ".")
	if k.IsTiered() {
		return "Antrea " + word
	}
	return word
}

// Tier is a Tier of Antrea (antrea.md#tiers). Policies of the tier with the lowest priority decide first.
type Tier struct {
	Meta
	Priority    int32
	Description string
	// Static reports that the plugin creates the tier itself; it exists without an object.
	Static bool
	Written
}

// Written is an object as written: its tree, and its own text or a generated one.
type Written struct {
	Original any
	YAML     string
}

// Group is a ClusterGroup (no Namespace) or Group; one of its forms is set.
type Group struct {
	Meta
	// Select marks the form of Namespaces and Pods, which must both match. A Group without namespaceSelector
	// selects pods of its own namespace.
	Select           bool
	Namespaces, Pods Selector
	HasNamespaces    bool // namespaceSelector is set
	Networks         []string
	OldBlock         bool // ipBlock is set instead of ipBlocks
	Service          *Key // of KindService
	Children         []string
	Written
	Invalid []Broken
}

// TieredPolicy has the extra parts of policies in their plugin's own tiers.
type TieredPolicy struct {
	// Tier is the name of the tier, "application" by default.
	Tier string
	// Priority is 1.0 to 10000.0; the lowest decides first within a tier.
	Priority float64
	// AppliedTo selects the policy's pods, joined by or; empty if every rule has its own.
	AppliedTo []AppliedTo
	// Phase, NodesRealized and NodesDesired are the policy's status, as reported.
	Phase                       string // Pending, Realizing, Realized, Failed
	NodesRealized, NodesDesired int32
}

// AppliedTo is one element of appliedTo; one of its forms is set.
type AppliedTo struct {
	// Select or Entities is set if Namespaces and Pods are the form. Both must match the pods, or with
	// Entities the machines outside the cluster.
	Select, Entities bool
	Namespaces, Pods Selector
	Group            string // ClusterGroup of an ACNP, Group of an ANNP's namespace
	ServiceAccount   *ServiceAccount
	Service          *Key      // a NodePort Service: clients from outside
	Nodes            *Selector // the nodes themselves
}

// ServiceAccount identifies a service account.
type ServiceAccount struct{ Namespace, Name string }

// TieredRule has the extra parts of rules of tiered policies. Rule.Action is Deny for Drop and Reject.
type TieredRule struct {
	// Action is the API's word: Allow, Drop, Reject, Pass.
	Action    string
	Generated bool // Rule.Name was generated, not written
	AppliedTo []AppliedTo
	Protocols []RuleProtocol
	// L7 are the layer 7 protocols, for people, cleaned; they decide about matching traffic.
	L7 []string
	// ToServices are Services whose cluster IP and ports the rule matches.
	ToServices []Key
	Logging    bool
	LogLabel   string
}

// RuleProtocol is one element of protocols: ICMP or IGMP.
type RuleProtocol struct {
	Protocol string // ICMP, IGMP
	// Type and Code of ICMP, Type of IGMP; nil for any.
	Type, Code *int32
	Group      string // of IGMP
}

// NamespaceMatch selects the namespaces of an ACNP's peer relative to the namespace of the subject pod.
type NamespaceMatch struct {
	// Self selects the same namespace. Otherwise the values of all SameLabels must be equal; the rule does not
	// apply to pods of a namespace that lacks one of these labels.
	Self       bool
	SameLabels []string
}

// String returns namespace/name.
func (a ServiceAccount) String() string { return a.Namespace + "/" + a.Name }

// peerText returns the text of a peer relative to the subject pod's namespace.
func (m *NamespaceMatch) peerText(pods Selector) string {
	where := "its own namespace"
	if !m.Self {
		where = "namespaces with its " + strings.Join(m.SameLabels, ", ")
	}
	if pods.MatchesEverything() {
		return "pods in " + where
	}
	return "pods: " + pods.String() + " in " + where
}

// String returns the element for people, like a subject: "pods: role=db", "group: web", "service account:
// ns-1/sa-1", "NodePort Service: ns-1/web", "nodes: all".
func (a AppliedTo) String() string {
	switch {
	case a.Group != "":
		return "group: " + a.Group
	case a.ServiceAccount != nil:
		return "service account: " + a.ServiceAccount.String()
	case a.Service != nil:
		return "NodePort Service: " + a.Service.Namespace + "/" + a.Service.Name
	case a.Nodes != nil:
		return "nodes: " + a.Nodes.String()
	case a.Entities:
		return Peer{Kind: PeerEntities, Namespaces: a.Namespaces, Pods: a.Pods}.String()
	case a.Select:
		return podsText(a.Namespaces, a.Pods)
	}
	return "nothing"
}

// AppliedText returns appliedTo for people: its elements, "each rule has its own", or "nothing".
func (p *Policy) AppliedText() string {
	if p.Tiered == nil {
		return ""
	}
	if len(p.Tiered.AppliedTo) == 0 {
		for r := range p.AllRules() {
			if r.Tiered != nil && len(r.Tiered.AppliedTo) > 0 {
				return "each rule has its own"
			}
		}
	}
	return AppliedText(p.Tiered.AppliedTo, p.Namespace)
}

// AppliedText returns a list of appliedTo for people. namespace is the policy's namespace, to which its
// selectors are limited; empty for a cluster-scoped policy.
func AppliedText(list []AppliedTo, namespace string) string {
	if len(list) == 0 {
		return "nothing"
	}
	var out []string
	for _, a := range list {
		if namespace != "" && a.Select {
			out = append(out, Subject{Namespace: namespace, Pods: a.Pods}.String())
			continue
		}
		out = append(out, a.String())
	}
	return strings.Join(out, " or ")
}

// SubjectText returns the pods that the policy applies to, for people.
func (p *Policy) SubjectText() string {
	if p.Tiered != nil {
		return p.AppliedText()
	}
	return p.Subject.String()
}

// Text returns the element for people: "icmp type 8 code 0", "igmp type 0x11 group 224.0.0.1".
func (p RuleProtocol) Text() string {
	text := strings.ToLower(p.Protocol)
	if p.Type != nil && p.Protocol == "IGMP" {
		text += fmt.Sprintf(" type 0x%x", *p.Type)
	} else if p.Type != nil {
		text += fmt.Sprintf(" type %d", *p.Type)
	}
	if p.Code != nil {
		text += fmt.Sprintf(" code %d", *p.Code)
	}
	if p.Group != "" {
		text += " group " + p.Group
	}
	return text
}

// ActionText returns the rule's action in the API's word: Drop or Reject if Action is Deny for both.
func (r *Rule) ActionText() string {
	if r.Tiered != nil {
		return r.Tiered.Action
	}
	return string(r.Action)
}
