package match

import (
	"slices"
	"strconv"
	"strings"
)

// Direction is the direction of a rule, spelled as in model.Direction (which converts to it) and external_ids.
type Direction string

// The directions.
const (
	Ingress Direction = "Ingress"
	Egress  Direction = "Egress"
)

// PeerSide returns the end of a connection where a rule's peers are: "src" for ingress, "dst" for egress
// (ovn-kubernetes.md#direction-and-action).
func PeerSide(d Direction) string {
	if d == Ingress {
		return "src"
	}
	return "dst"
}

// RuleMatch writes the matches of the ACLs of one ANP or BANP rule. The names of port group and address sets
// are hashes of their ids (ovn-kubernetes.md#hashed-names); V4 and V6 are the cluster's families.
type RuleMatch struct {
	Direction  Direction
	PortGroup  string
	Set4, Set6 string
	V4, V6     bool
}

// PortlessMatch returns the match of a rule without ports (ovn-kubernetes.md#acl-match, "None ACL").
func (r RuleMatch) PortlessMatch() string {
	return LPort(r.Direction, r.PortGroup) + " && " + L3(PeerSide(r.Direction), r.Set4, r.Set6, r.V4, r.V6)
}

// NumericMatch returns the match of the rule's numbered ports of one protocol (ovn-kubernetes.md#acl-match,
// "numeric ACL").
func (r RuleMatch) NumericMatch(proto string, ports []PortTerm) string {
	return r.PortlessMatch() + " && " + L4(proto, ports)
}

// NamedPortMatch returns the match of the rule's resolved named ports of one protocol. An ingress match has no
// port group and an egress match no address set (ovn-kubernetes.md#acl-match).
func (r RuleMatch) NamedPortMatch(proto string, items []NamedItem) string {
	if r.Direction == Ingress {
		return L3(PeerSide(Ingress), r.Set4, r.Set6, r.V4, r.V6) + " && " + NamedMatch(proto, items)
	}
	return LPort(r.Direction, r.PortGroup) + " && " + NamedMatch(proto, items)
}

// LPort returns the port-group term (ovn-kubernetes.md#acl-match, "lport").
func LPort(d Direction, portGroup string) string {
	if d == Ingress {
		return "outport == @" + portGroup
	}
	return "inport == @" + portGroup
}

// L3 returns the address-set term, always in double parentheses (ovn-kubernetes.md#acl-match, "l3"). side is
// "src" or "dst". It is empty without families.
func L3(side, set4, set6 string, v4, v6 bool) string {
	if !v4 && !v6 {
		return ""
	}
	return "((" + alternatives(v4, v6, "ip4."+side+" == $"+set4, "ip6."+side+" == $"+set6) + "))"
}

// PortTerm is one port (Lo and Hi equal) or a range of ports, both ends included.
type PortTerm struct{ Lo, Hi int32 }

// IsSingle reports whether the term is one port.
func (t PortTerm) IsSingle() bool { return t.Lo == t.Hi }

// String returns "80" or "100-200".
func (t PortTerm) String() string {
	if t.IsSingle() {
		return strconv.Itoa(int(t.Lo))
	}
	return strconv.Itoa(int(t.Lo)) + "-" + strconv.Itoa(int(t.Hi))
}

// L4 returns the protocol and its ports (ovn-kubernetes.md#acl-match, "l4"). Single ports, and ranges of one
// port, come first in one term, then the ranges, neither sorted nor deduplicated. proto is tcp, udp or sctp;
// an empty one gives the invalid text that OVN-Kubernetes writes. Without ports it is the protocol alone.
func L4(proto string, ports []PortTerm) string {
	if len(ports) == 0 {
		return proto
	}
	var singles, terms []string
	for _, p := range ports {
		if p.IsSingle() {
			singles = append(singles, p.String())
		} else {
			terms = append(terms, strconv.Itoa(int(p.Lo))+"<="+proto+".dst<="+strconv.Itoa(int(p.Hi)))
		}
	}
	switch len(singles) {
	case 0:
	case 1:
		terms = slices.Insert(terms, 0, proto+".dst=="+singles[0])
	default:
		terms = slices.Insert(terms, 0, proto+".dst=={"+strings.Join(singles, ",")+"}")
	}
	if len(terms) == 1 {
		return proto + " && " + terms[0]
	}
	return proto + " && (" + strings.Join(terms, " || ") + ")"
}

// NamedItem is one resolved named port: a pod's address in canonical text and the container port.
type NamedItem struct {
	IP   string
	Port int32
}

// IsIPv6 reports whether the item's address is an IPv6 address.
func (n NamedItem) IsIPv6() bool { return strings.IndexByte(n.IP, ':') >= 0 }

// NamedMatch returns the protocol and the resolved named ports (ovn-kubernetes.md#acl-match, "nm"), in the
// given order. items must not be empty: a rule whose named ports do not resolve has no ACL
// (ovn-kubernetes.md#acls-of-a-rule).
func NamedMatch(proto string, items []NamedItem) string {
	var b strings.Builder
	var port [11]byte
	b.Grow(len(proto) + 6 + 64*len(items))
	b.WriteString(proto)
	b.WriteString(" && (")
	for i, n := range items {
		if i > 0 {
			b.WriteString(" || ")
		}
		if n.IsIPv6() {
			b.WriteString("(ip6.dst == ")
		} else {
			b.WriteString("(ip4.dst == ")
		}
		b.WriteString(n.IP)
		b.WriteString(" && ")
		b.WriteString(proto)
		b.WriteString(".dst == ")
		b.Write(strconv.AppendInt(port[:0], int64(n.Port), 10))
		b.WriteByte(')')
	}
	b.WriteByte(')')
	return b.String()
}

// ParseNamedMatch parses the end of a match that NamedMatch wrote: the resolved named ports of the protocol, and the
// text before them. Parse would be too slow for pairs of thousands of pods.
func ParseNamedMatch(text, proto string) (items []NamedItem, before string, ok bool) {
	before, list, _ := strings.Cut(text, " && "+proto+" && (")
	items = make([]NamedItem, 0, 1+strings.Count(list, " || "))
	port := " && " + proto + ".dst == "
	for pair := range strings.SplitSeq(list, " || ") {
		ip, port, _ := strings.Cut(pair, port)
		_, ip, _ = strings.Cut(ip, ".dst == ")
		n, _ := strconv.ParseInt(strings.TrimRight(port, ")"), 10, 32)
		items = append(items, NamedItem{ip, int32(n)})
	}
	if rest, found := strings.CutPrefix(text[len(before):], " && "); !found || rest != NamedMatch(proto, items) {
		return nil, "", false
	}
	return items, before, true
}

// ComparedPorts returns the port numbers that the expression compares destination ports of TCP, UDP or SCTP
// with, sorted. All ports between two neighbours, and beyond the ends, give the same result.
func ComparedPorts(e Expr) (out []uint16) {
	add := func(f Field, values ...Const) {
		if f.Name != "tcp.dst" && f.Name != "udp.dst" && f.Name != "sctp.dst" {
			return
		}
		for _, v := range values {
			if n, ok := v.Number(); ok && n <= 0xffff {
				out = append(out, uint16(n))
			}
		}
	}
	hasLeafWhere(e, func(l Expr) bool {
		switch l := l.(type) {
		case *Cmp:
			add(l.Field, l.Values...)
		case *Range:
			add(l.Field, l.Lo, l.Hi)
		}
		return false
	})
	slices.Sort(out)
	return slices.Compact(out)
}
