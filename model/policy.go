package model

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Policy is any policy in normal form: a tier, a priority if the kind has one, a subject and ordered rules.
type Policy struct {
	Meta
	Tier int
	// Priority of an AdminNetworkPolicy, or of a ClusterNetworkPolicy in its tier; 0 decides first. Other
	// kinds have 0.
	Priority int32
	Subject  Subject
	Ingress  []Rule
	Egress   []Rule
	// IsolatesIngress and IsolatesEgress are a NetworkPolicy's policyTypes: what no rule allows is denied in
	// that direction. OVN-Kubernetes compiles the rules of both directions anyway
	// (ovn-kubernetes.md#rule-rows).
	IsolatesIngress, IsolatesEgress bool
	// Tiered holds the extra parts of policies in a plugin's own tiers, or nil for others. Such a policy's
	// Subject selects nothing: see TieredPolicy.AppliedTo and TieredRule.AppliedTo.
	Tiered *TieredPolicy
	// Logging is the raw annotation k8s.ovn.org/acl-logging; HasLogging reports whether it exists.
	Logging    string
	HasLogging bool
	Conditions []Condition
	// APIVersion is set for a policy of an older API than today's: see model/legacy.
	APIVersion string
	// Older describes the parts in a form that today's API lacks, or is nil.
	Older *OlderForm
	// Represents is a Tier or a group that is changed in the form of a policy, without rules; else nil.
	Represents Object
	// Original is the typed API object: *v1alpha1.AdminNetworkPolicy, *v1alpha1.BaselineAdminNetworkPolicy,
	// *v1alpha2.ClusterNetworkPolicy, *networkingv1.NetworkPolicy or *unstructured.Unstructured. It must not
	// be changed.
	Original any
	// YAML is the object's text exactly as its author wrote it, or generated text. Clean it with
	// words.CleanBlock before showing it.
	YAML string
	// Digested are the policy's Digests if its reader computed them, else zero. A copy with a different
	// Original or YAML must clear them unless the meaning is the same.
	Digested PolicyDigests
	// Invalid lists what OVN-Kubernetes cannot accept (the profile gate); such a policy cannot be applied. See
	// IsRejected for a policy that others applied.
	Invalid []Broken
}

// OlderForm describes a policy in an older form of its API, by today's API.
type OlderForm struct {
	// Upgrade is the text of today's equivalent object, empty if none exists; Reasons say why.
	Upgrade string
	// Changes are the differences between the upgrade and the policy as written.
	Changes []string
	Reasons []string
}

// Codes in Policy.Invalid of faults that others report, too.
const (
	InvalidCIDR     = "cidr"       // no CIDR
	InvalidSelector = "selector"   // no label selector
	InvalidCIDRForm = "cidr-form"  // a CIDR that OVN-Kubernetes accepts and others do not
	InvalidOlder    = "older-form" // a field of an older form, which the server drops
	// InvalidProtocolEmpty is a tcp, udp or sctp of a ClusterNetworkPolicy without a port.
	InvalidProtocolEmpty = "cnp-empty-protocol"
	InvalidProtocol      = "protocol"   // a protocol whose row OVN cannot use (ovn-kubernetes.md#unknown-protocol)
	InvalidPortRange     = "port-range" // a range that ends before it begins, whose row never matches
)

// tolerated are the codes in Policy.Invalid for which OVN-Kubernetes still programs the policy's other rows.
var tolerated = []string{InvalidProtocol, InvalidPortRange, InvalidCIDRForm}

// IsTolerated reports whether OVN-Kubernetes programs a policy in spite of this fault.
func (b Broken) IsTolerated() bool { return slices.Contains(tolerated, b.Code) }

// IsRejected reports whether a fault in the rules or the subject keeps OVN-Kubernetes from programming the
// policy (ovn-kubernetes.md#invalid-policies). An unknown protocol, a range that ends before it begins, or an
// odd CIDR that it accepts does not: other rows still decide.
func (p *Policy) IsRejected() bool {
	return slices.ContainsFunc(p.Invalid, func(b Broken) bool { return !b.IsTolerated() })
}

// WhyRejected returns the first fault of a rejected policy and who rejects it: a system with that title
// "rejects", or for a warning, of a valid policy, "Rung does not judge".
func (p *Policy) WhyRejected(title string) (by string, b Broken) {
	i := slices.IndexFunc(p.Invalid, func(b Broken) bool { return !b.IsTolerated() && b.IsError() })
	if i >= 0 {
		return title + " rejects", p.Invalid[i]
	}
	i = slices.IndexFunc(p.Invalid, func(b Broken) bool { return !b.IsTolerated() })
	return "Rung does not judge", p.Invalid[i]
}

// Rules returns the rules of one direction.
func (p *Policy) Rules(d Direction) []Rule {
	if d == Ingress {
		return p.Ingress
	}
	return p.Egress
}

// Directions are both directions, in the order in which people and rows list rules.
var Directions = [...]Direction{Ingress, Egress}

// AllRules yields the rules of both directions, ingress before egress.
func (p *Policy) AllRules() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for _, d := range Directions {
			for i := range p.Rules(d) {
				if !yield(&p.Rules(d)[i]) {
					return
				}
			}
		}
	}
}

// IsolatesDirection reports whether a NetworkPolicy isolates its pods in a direction. A policy with a fault
// other than InvalidCIDRForm does not.
func (p *Policy) IsolatesDirection(d Direction) bool {
	return p.HasType(d) && !slices.ContainsFunc(p.Invalid, func(b Broken) bool { return b.Code != InvalidCIDRForm })
}

// Rule returns one rule by direction and index or nil.
func (p *Policy) Rule(d Direction, i int) *Rule {
	if rs := p.Rules(d); i >= 0 && i < len(rs) {
		return &rs[i]
	}
	return nil
}

// HasType reports whether the policyTypes of a NetworkPolicy include a direction: without an Allow, its pods'
// traffic there is dropped.
func (p *Policy) HasType(d Direction) bool {
	return d == Ingress && p.IsolatesIngress || d == Egress && p.IsolatesEgress
}

// IsolatedDirections returns the directions in its policyTypes, for people; empty for none.
func (p *Policy) IsolatedDirections() []string {
	var out []string
	for _, d := range Directions {
		if p.HasType(d) {
			out = append(out, d.Lower())
		}
	}
	return out
}

// Subject selects the pods a policy applies to: Namespaces and Pods must both match. AllPods reports that the
// subject was written as namespaces only.
type Subject struct {
	Namespaces Selector
	Pods       Selector
	AllPods    bool
	// Namespace restricts to one namespace by name (NetworkPolicy, EgressFirewall); empty otherwise.
	Namespace string
}

// Rule is one rule; Index counts from 0 within its direction.
type Rule struct {
	Direction Direction
	Index     int
	Name      string
	Action    Action
	Peers     []Peer
	Ports     []Port
	// AnyPeer marks rules of NetworkPolicies and tiered policies without peers: everything matches.
	AnyPeer bool
	// Tiered holds the extra parts of rules of tiered policies, or nil for others.
	Tiered *TieredRule
}

// PeerTexts returns the rule's peers for people: "everything" for a rule without peers.
func (r *Rule) PeerTexts() []string {
	if r.AnyPeer {
		return []string{"everything"}
	}
	out := make([]string, len(r.Peers))
	for i := range r.Peers {
		out[i] = r.Peers[i].String()
	}
	if r.Tiered != nil {
		for _, s := range r.Tiered.ToServices {
			out = append(out, "Service: "+s.Namespace+"/"+s.Name)
		}
	}
	return out
}

// PortTexts returns the rule's ports for people; empty for any port.
func (r *Rule) PortTexts() []string {
	out := make([]string, len(r.Ports))
	for i, p := range r.Ports {
		out[i] = p.String()
	}
	if r.Tiered != nil {
		for _, p := range r.Tiered.Protocols {
			out = append(out, p.Text())
		}
		out = append(out, r.Tiered.L7...)
	}
	return out
}

// PeerKind is the field that is set in a peer.
type PeerKind string

// The kinds of peer.
const (
	PeerNamespaces PeerKind = "namespaces"
	PeerPods       PeerKind = "pods"
	PeerNodes      PeerKind = "nodes"
	PeerNetworks   PeerKind = "networks"
	PeerDNS        PeerKind = "dnsName"
	// Tiered policies only.
	PeerGroup          PeerKind = "group"
	PeerServiceAccount PeerKind = "serviceAccount"
	PeerEntities       PeerKind = "externalEntities" // machines outside the cluster, which Rung does not judge
)

// Peer is an element of from or to.
type Peer struct {
	Kind       PeerKind
	Namespaces Selector // namespaces, pods and external entities peers
	Pods       Selector // pods and external entities peers; SelectEverything for namespaces peers
	Nodes      Selector // nodes peers
	// Namespace restricts to one namespace by name (NetworkPolicy peers without namespaceSelector).
	Namespace string
	// Networks are the CIDRs as written. For ANP and BANP a form that only OVN-Kubernetes accepts is replaced
	// by the common one. Except are the exceptions (NetworkPolicy ipBlock only).
	Networks []string
	Except   []string
	DNSName  string // dnsName; with wildcards in tiered policies
	// Tiered policies only: the group's name; the account; the namespaces relative to the subject's, nil if
	// selectors name them.
	Group          string
	ServiceAccount *ServiceAccount
	Match          *NamespaceMatch
}

// Port is an element of a rule's ports. Exactly one form is set: Name, or Start and End (equal for a single
// port), or neither for a whole protocol (NetworkPolicy only).
type Port struct {
	Protocol   string // TCP, UDP, SCTP; empty with Name
	Name       string
	Start, End int32
	// Range reports that the port was written as a range.
	Range bool
}

// KnowsProtocol reports whether OVN-Kubernetes knows a protocol: it accepts capitals only.
func KnowsProtocol(p string) bool { return p == "TCP" || p == "UDP" || p == "SCTP" }

// IsBroken reports that the port's row matches nothing. Either OVN cannot use the row, as OVN-Kubernetes does
// not know the protocol (ovn-kubernetes.md#unknown-protocol), or the range ends before it begins.
func (p *Port) IsBroken() bool { return p.Name == "" && !KnowsProtocol(p.Protocol) || p.IsReversed() }

// IsReversed reports a range that ends before it begins.
func (p *Port) IsReversed() bool { return p.Range && p.End < p.Start }

// MatchesNothing reports that the rule matches nothing, whatever its peers: all its ports are broken. A rule
// without ports matches any port.
func (r *Rule) MatchesNothing() bool {
	return len(r.Ports) > 0 && !slices.ContainsFunc(r.Ports, func(p Port) bool { return !p.IsBroken() })
}

// BrokenPortsText returns for people which ports of the rule match nothing: those with a protocol unknown to
// OVN-Kubernetes, and ranges that end before they begin. It is empty if all ports work.
func (r *Rule) BrokenPortsText() string {
	var protocols, ranges []string
	for i := range r.Ports {
		p := &r.Ports[i]
		switch name := strconv.Quote(p.Protocol); {
		case p.IsReversed():
			ranges = append(ranges, p.String())
		case p.IsBroken() && !slices.Contains(protocols, name):
			protocols = append(protocols, name)
		}
	}
	text := ""
	switch {
	case len(ranges) > 0 && r.MatchesNothing() && len(protocols) == 0:
		text = "it matches nothing: " + strings.Join(ranges, ", ") + " ends before it begins"
	case len(ranges) > 0:
		text = strings.Join(ranges, ", ") + " matches nothing: it ends before it begins"
	}
	if len(protocols) == 0 {
		return text
	}
	if text != "" {
		text = "; " + text
	}
	what := "its ports of protocol " + strings.Join(protocols, ", ") + " match nothing: OVN-Kubernetes does not know "
	if r.MatchesNothing() {
		what = "it matches nothing: OVN-Kubernetes does not know protocol " + strings.Join(protocols, ", ")
	} else if len(protocols) == 1 {
		what += "it"
	} else {
		what += "them"
	}
	return what + ", so OVN cannot use the row" + text
}
