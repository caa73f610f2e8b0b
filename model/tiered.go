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

// Kinds of Antrea (crd.antrea.io), spelled with their group, since Kubernetes has kinds
// of the same names.
const (
	KindTier         Kind = "Tier.crd.antrea.io"
	KindACNP         Kind = "ClusterNetworkPolicy.crd.antrea.io"
	KindANNP         Kind = "NetworkPolicy.crd.antrea.io"
	KindClusterGroup Kind = "ClusterGroup.crd.antrea.io"
	KindGroup        Kind = "Group.crd.antrea.io"
)

// IsTiered says whether objects of the kind are policies in tiers of their plugin's own.
func (k Kind) IsTiered() bool { return k == KindACNP || k == KindANNP }

// IsNamed says whether objects of the kind decide nothing by themselves, and policies name them:
// Tiers and groups.
func (k Kind) IsNamed() bool { return k == KindTier || k == KindClusterGroup || k == KindGroup }

// CanMove says whether policies of the kind stand at a priority that can be another.
func (k Kind) CanMove() bool { return k.HasPriority() || k.IsTiered() }

// PlaceText is where a policy with a priority stands, for people: "34", "securityops 5.05".
func (p *Policy) PlaceText() string {
	if p.Tiered != nil {
		return PlaceText(p.Tiered.Tier, p.Tiered.Priority)
	}
	return PlaceText("", float64(p.Priority))
}

// PlaceText is a place for people: the tier, where there is one, and the priority.
func PlaceText(tier string, priority float64) string {
	return strings.TrimSpace(tier + " " + words.Number(priority))
}

// Title is a kind for people, told from those of Kubernetes: "Antrea ClusterNetworkPolicy",
// "Tier".
func (k Kind) Title() string {
	word, _, _ := strings.Cut(string(k), ".")
	if k.IsTiered() {
		return "Antrea " + word
	}
	return word
}

// Tier is a Tier of Antrea (antrea.md#tiers): policies of the one with the lowest
// priority decide first.
type Tier struct {
	Meta
	Priority    int32
	Description string
	// Static says that the plugin makes the tier itself; it is there without an object.
	Static bool
	Written
}

// Written is an object as it was written: its tree, and its own text or one made of the tree.
type Written struct {
	Original any
	YAML     string
}

// Group is a ClusterGroup (no Namespace) or Group: one of its forms is set.
type Group struct {
	Meta
	// Select says that Namespaces and Pods are the form: both must match. Of a Group
	// without a namespaceSelector, the pods are those of its namespace.
	Select           bool
	Namespaces, Pods Selector
	HasNamespaces    bool // a namespaceSelector is written
	Networks         []string
	OldBlock         bool // ipBlock is written, not ipBlocks
	Service          *Key // of KindService
	Children         []string
	Written
	Invalid []Broken
}

// TieredPolicy is the part of a policy that only policies in tiers of their plugin's
// own have.
type TieredPolicy struct {
	// Tier is the name of the tier, "application" where none is written.
	Tier string
	// Priority is 1.0 to 10000.0; the lowest decides first within a tier.
	Priority float64
	// AppliedTo are the pods the policy is about, joined by or; empty where every rule
	// has its own.
	AppliedTo []AppliedTo
	// Phase, NodesRealized and NodesDesired are the policy's status, as reported.
	Phase                       string // Pending, Realizing, Realized, Failed
	NodesRealized, NodesDesired int32
}

// AppliedTo is one element of appliedTo: one of its forms is set.
type AppliedTo struct {
	// Select or Entities says that Namespaces and Pods are the form. Both must match pods, or machines outside the cluster.
	Select, Entities bool
	Namespaces, Pods Selector
	Group            string // ClusterGroup of an ACNP, Group of an ANNP's namespace
	ServiceAccount   *ServiceAccount
	Service          *Key      // a NodePort Service: clients from outside
	Nodes            *Selector // the nodes themselves
}

// ServiceAccount names one.
type ServiceAccount struct{ Namespace, Name string }

// TieredRule is the part of a rule that only rules of tiered policies have. Rule.Action is Deny
// for Drop and Reject.
type TieredRule struct {
	// Action is the API's word: Allow, Drop, Reject, Pass.
	Action    string
	Generated bool // Rule.Name was not written, but made
	AppliedTo []AppliedTo
	Protocols []RuleProtocol
	// L7 are the layer 7 protocols, for people, cleaned; traffic that matches is
	// decided by them.
	L7 []string
	// ToServices are Services whose cluster IP and ports the rule is about.
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

// NamespaceMatch says which namespaces a peer of an ACNP is about, seen from the
// namespace of the pod the rule applies to.
type NamespaceMatch struct {
	// Self: the same namespace. Else those with the same values of all SameLabels; where
	// a namespace lacks one of them, the rule is not there for its pods.
	Self       bool
	SameLabels []string
}

// String is namespace/name.
func (a ServiceAccount) String() string { return a.Namespace + "/" + a.Name }

// peerText is a peer that stands for other namespaces by the pod it applies to.
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

// String is the element for people, like a subject: "pods: role=db", "group: web",
// "service account: ns-1/sa-1", "NodePort Service: ns-1/web", "nodes: all".
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

// AppliedText is appliedTo for people: its elements, "each rule has its own", or
// "nothing".
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

// AppliedText is a list of appliedTo for people; namespace is that of a namespaced
// policy, whose selectors are about its own pods.
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

// Text is the element for people: "icmp type 8 code 0", "igmp type 0x11 group 224.0.0.1".
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

// ActionText returns the rule's action in the API's word: Drop or Reject where Action
// is Deny for both.
func (r *Rule) ActionText() string {
	if r.Tiered != nil {
		return r.Tiered.Action
	}
	return string(r.Action)
}
