package logline

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"rung/model"
)

// Line is one acl_log line of ovn-controller (ovn-kubernetes.md#log-line), or of an agent's np.log
// (antrea.md#logging). Text is clean. Missing fields are zero.
type Line struct {
	At   time.Time // UTC, to the millisecond, by the node's clock
	Zone string    // of the ovn-controller; set by the reader, unless the line names a node
	// Pod is the pod that wrote the log, if a prefix of the line names it: "ovnkube-node-x", or with its
	// namespace "ovn-kubernetes/ovnkube-node-x".
	Pod string
	Seq uint64 // ovn-controller's message counter, restarts with it
	// Name is the ACL's name, unescaped. If the ACL has none, it is empty and Unnamed is set. Rows of one rule
	// share a name (ovn-kubernetes.md#acl-names).
	Name    string
	Unnamed bool
	Verdict string // allow, drop, reject, pass
	// Severity is the ACL's: alert, warning, notice, info, debug.
	Severity  string
	Direction string // nb.FromLport, nb.ToLport; empty from older builds
	// Proto is tcp, udp, sctp, icmp or icmp6 for either family; for other packets the flow keyword: arp, ip,
	// ipv6, …
	Proto              string
	Src, Dst           netip.Addr
	SrcPort, DstPort   uint16
	TCPFlags           string // "psh|ack"
	ICMPType, ICMPCode int    // of icmp and icmp6
	Raw                string // the whole line as read, without line end
	// Named has the other fields of an np.log line; nil for an acl_log line. Name is then the policy as
	// written there, and Direction the one an OVN ACL would have: to-lport for ingress.
	Named *NamedLine
}

// MaxACLName is the length to which ACL names are cut, in characters (ovn-kubernetes.md#acl-names).
const MaxACLName = 63

// RuleRef is the rule behind an ACL, as far as the ACL's name tells.
type RuleRef struct {
	// Policy has an empty Name for the default deny of a namespace's NetworkPolicies. If Exact is false,
	// Namespace and Name may be cut on the right.
	Policy    model.PolicyKey
	Direction model.Direction // empty if cut off
	Rule      int             // index in its direction; -1 for no rule, or unknown
	// Exact is true if nothing was cut that matters. Otherwise the candidates are the rules whose ACLName is
	// the name.
	Exact bool
}

// ACLName returns the name that OVN-Kubernetes gives the ACLs of a rule, cut to MaxACLName characters
// (ovn-kubernetes.md#acl-names):
//
//	ANP:policy:Direction:rule            also with BANP and CNP (ovn-kubernetes.md#clusternetworkpolicy)
//	NP:namespace:policy:Direction:rule   also of a MultiNetworkPolicy
//	NP:namespace:Direction               for a NetworkPolicy key without a name
//	EF:namespace:rule
//
// It is empty for other kinds, whose rows have no name.
func ACLName(p model.PolicyKey, d model.Direction, rule int) string {
	var s string
	switch i := strconv.Itoa(rule); p.Kind {
	case model.KindANP, model.KindBANP, model.KindCNP:
		s = p.Kind.Abbreviation() + ":" + p.Name + ":" + string(d) + ":" + i
	case model.KindNP, model.KindMNP:
		s = "NP:" + p.Namespace + ":"
		if p.Name != "" {
			s += p.Name + ":" + string(d) + ":" + i
		} else {
			s += string(d)
		}
	case model.KindEF:
		s = "EF:" + p.Namespace + ":" + i
	}
	if len(s) > MaxACLName {
		s = s[:MaxACLName]
	}
	return s
}

// egressFirewallName is the only name an EgressFirewall may have (ovn-kubernetes.md#firewall-rows).
const egressFirewallName = "default"

// DecodeName parses an ACL's name. ok is false for a name that OVN-Kubernetes would not give a policy's ACL. A
// name of MaxACLName characters may have been cut anywhere after its prefix.
func DecodeName(name string) (ref RuleRef, ok bool) {
	prefix, rest, found := strings.Cut(name, ":")
	if !found || len(name) > MaxACLName {
		return RuleRef{}, false
	}
	d := nameDecoder{parts: strings.Split(rest, ":"), full: len(name) == MaxACLName}
	ref.Rule = -1
	switch prefix {
	case "ANP", "BANP", "CNP":
		ref.Policy.Kind = map[string]model.Kind{"ANP": model.KindANP, "BANP": model.KindBANP, "CNP": model.KindCNP}[prefix]
		ref.Policy.Name = d.nextWord()
		ref.Direction = d.nextDirection()
		ref.Rule = d.nextIndex(2) // at most 100 rules (ovn-kubernetes.md#api-limits)
	case "NP":
		ref.Policy.Kind = model.KindNP
		ref.Policy.Namespace = d.nextWord()
		// Kubernetes names are lower case, so a capital begins a direction.
		if next := d.peekPart(); next != "" && next[0] >= 'A' && next[0] <= 'Z' {
			ref.Direction = d.nextDirection()
			break
		}
		ref.Policy.Name = d.nextWord()
		ref.Direction = d.nextDirection()
		ref.Rule = d.nextIndex(0)
	case "EF":
		ref.Policy.Kind = model.KindEF
		ref.Policy.Name = egressFirewallName
		ref.Direction = model.Egress
		ref.Policy.Namespace = d.nextWord()
		ref.Rule = d.nextIndex(4) // indexes end at 8000 (ovn-kubernetes.md#firewall-rows)
	default:
		return RuleRef{}, false
	}
	if d.bad || len(d.parts) > 0 {
		return RuleRef{}, false
	}
	ref.Exact = !d.cut
	return ref, true
}

// defaultDenies maps the endings of old names of default denies to directions.
var defaultDenies = map[string]model.Direction{"ingressDefaultDeny": model.Ingress, "egressDefaultDeny": model.Egress}

// DecodeOldName parses an ACL's name of OVN-Kubernetes before 2023, when only NetworkPolicies had names:
// NAMESPACE_POLICY, NAMESPACE_POLICY_RULE, NAMESPACE_ingressDefaultDeny and NAMESPACE_egressDefaultDeny. A
// policy's name tells no direction. ok is false for names that may have been cut.
func DecodeOldName(name string) (ref RuleRef, ok bool) {
	parts := strings.Split(name, "_")
	if len(name) >= MaxACLName || len(parts) < 2 || len(parts) > 3 || !isObjectName(parts[0]) {
		return RuleRef{}, false
	}
	ref = RuleRef{Policy: model.PolicyKey{Kind: model.KindNP, Namespace: parts[0]}, Rule: -1, Exact: true}
	if d := defaultDenies[parts[1]]; d != "" && len(parts) == 2 {
		ref.Direction = d
		return ref, true
	}
	if !isObjectName(parts[1]) {
		return RuleRef{}, false
	}
	ref.Policy.Name = parts[1]
	if len(parts) == 3 {
		d := nameDecoder{parts: parts[2:]}
		ref.Rule = d.nextIndex(0)
		if d.bad || ref.Rule < 0 {
			return RuleRef{}, false
		}
	}
	return ref, true
}

// isObjectName reports whether a text may be the name of a namespace or policy.
func isObjectName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && strings.Trim(s, "-.") == s
}

// nameDecoder takes the parts of a name one by one. full is true if the name has the maximum length: then its
// last part, and missing ones, may have been cut. cut is true if one was.
type nameDecoder struct {
	parts          []string
	full, cut, bad bool
}

func (d *nameDecoder) peekPart() string {
	if len(d.parts) == 0 {
		return ""
	}
	return d.parts[0]
}

// nextPart returns the next part. If more parts follow, the part was not cut, and whole is true.
func (d *nameDecoder) nextPart() (part string, whole bool) {
	if len(d.parts) == 0 {
		d.noteMissing()
		return "", false
	}
	part, d.parts = d.parts[0], d.parts[1:]
	return part, len(d.parts) > 0
}

// noteMissing records a missing or incomplete part: valid only in a full name.
func (d *nameDecoder) noteMissing() {
	if d.full {
		d.cut = true
	} else {
		d.bad = true
	}
}

func (d *nameDecoder) nextWord() string {
	s, whole := d.nextPart()
	if s == "" && whole {
		d.bad = true
	} else if !whole {
		d.noteMissing()
	}
	return s
}

func (d *nameDecoder) nextDirection() model.Direction {
	s, _ := d.nextPart()
	if s == "" {
		d.noteMissing()
		return ""
	}
	for _, whole := range model.Directions {
		if strings.HasPrefix(string(whole), s) {
			if s != string(whole) {
				d.noteMissing()
			}
			return whole
		}
	}
	d.bad = true
	return ""
}

// nextIndex parses the rule's index of at most digits digits (0: any number). In a full name digits may have
// been cut off, unless digits is reached or the index is 0, which no digit can follow.
func (d *nameDecoder) nextIndex(digits int) int {
	s, _ := d.nextPart()
	if s == "" {
		d.noteMissing()
		return -1
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || len(s) > 1 && s[0] == '0' {
		d.bad = true
		return -1
	}
	if d.full && s != "0" && (digits == 0 || len(s) < digits) {
		d.cut = true
		return -1
	}
	return int(n)
}

// NamedLine has the fields of an np.log line that an acl_log line lacks. A field written as <nil>, or absent
// in an older layout, is zero.
type NamedLine struct {
	Table string // of Open vSwitch, by the agent's name: IngressDefaultRule
	// Policy is taken from the line; an empty Name means the default drop of NetworkPolicies.
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      string // the rule's own name, generated if it has none
	Priority  int    // of the OpenFlow flow
	AppliedTo string // pod to which the policy applied, with its namespace
	Length    int    // of the packet
	Label     string // the rule's logLabel
	// Packets is more than 1 if the agent counted equal lines within Over as one.
	Packets int
	Over    time.Duration
}
