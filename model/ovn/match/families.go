package match

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Matches of NetworkPolicy (ovn-kubernetes.md#rule-rows), EgressFirewall (ovn-kubernetes.md#firewall-match)
// and multicast (ovn-kubernetes.md#multicast). Blocks, addresses and names are written unchanged; the caller
// has cleaned them.

// NetpolSelectors returns the address term of a NetworkPolicy rule's selector peers. It has one set for each
// peer, sorted by name, always in braces (ovn-kubernetes.md#rule-rows). A family without sets is left out.
func NetpolSelectors(d Direction, sets4, sets6 []string, v4, v6 bool) string {
	side := PeerSide(d)
	return familiesTerm(v4 && len(sets4) > 0, v6 && len(sets6) > 0,
		"ip4."+side+" == "+setList(sets4), "ip6."+side+" == "+setList(sets6))
}

// setList returns "{$a, $b}", sorted.
func setList(names []string) string {
	return "{$" + strings.Join(slices.Sorted(slices.Values(names)), ", $") + "}"
}

// familiesTerm returns the term of the enabled families: a single one bare, both as "(four || six)".
func familiesTerm(v4, v6 bool, four, six string) string {
	if v4 && v6 {
		return "(" + alternatives(v4, v6, four, six) + ")"
	}
	return alternatives(v4, v6, four, six)
}

// alternatives returns the terms of the enabled families, without parentheses.
func alternatives(v4, v6 bool, four, six string) string {
	switch {
	case v4 && v6:
		return four + " || " + six
	case v4:
		return four
	case v6:
		return six
	}
	return ""
}

// NetpolAny returns the address term of a NetworkPolicy rule without peers: the cluster's families
// (ovn-kubernetes.md#rule-rows).
func NetpolAny(v4, v6 bool) string {
	v4, v6 = AnyFamilies(v4, v6)
	return familiesTerm(v4, v6, "ip4", "ip6")
}

// AnyFamilies returns the families of a rule without peers, given the network's families: IPv4 if the network
// has no subnets (networks.md#multinetworkpolicy).
func AnyFamilies(v4, v6 bool) (four, six bool) { return v4 || !v6, v6 }

// IPBlock is an ipBlock peer as written in its object.
type IPBlock struct {
	CIDR   string
	Except []string
}

// NetpolBlocks returns the address term of a NetworkPolicy rule's ipBlock peers, in their order, regardless of
// the cluster's families (ovn-kubernetes.md#ip-blocks).
func NetpolBlocks(d Direction, blocks []IPBlock) string {
	terms := make([]string, len(blocks))
	for i, b := range blocks {
		terms[i] = NetpolBlock(d, b)
		if len(b.Except) > 0 {
			terms[i] = "(" + terms[i] + ")"
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return "(" + strings.Join(terms, " || ") + ")"
}

// NetpolBlock returns the address term of one ipBlock peer. Releases before the merge of a rule's blocks wrote
// a row for each (ovn-kubernetes.md#older-forms).
func NetpolBlock(d Direction, b IPBlock) string {
	field := addressFamily(b.CIDR) + "." + PeerSide(d)
	term := field + " == " + b.CIDR
	if len(b.Except) > 0 {
		term += " && " + field + " != {" + strings.Join(b.Except, ", ") + "}"
	}
	return term
}

// addressFamily returns "ip6" for an IPv6 address or CIDR and "ip4" for everything else, as OVN-Kubernetes decides.
// It takes an IPv4 address mapped into IPv6 as IPv4.
func addressFamily(text string) string {
	plain, _, _ := strings.Cut(text, "/")
	if a, err := netip.ParseAddr(plain); err == nil && a.Is6() && !a.Is4In6() {
		return "ip6"
	}
	return "ip4"
}

// NetpolMatch returns the match of a NetworkPolicy rule's ACL (ovn-kubernetes.md#rule-rows). Unlike in
// RuleMatch, the port group comes last. l4 is from L4, or empty without ports.
func NetpolMatch(d Direction, l3, l4, portGroup string) string {
	if l4 != "" {
		l4 += " && "
	}
	return l3 + " && " + l4 + LPort(d, portGroup)
}

// DenyMatch returns the match of a namespace's defaultDeny ACL (ovn-kubernetes.md#default-deny).
func DenyMatch(d Direction, portGroup string) string { return LPort(d, portGroup) }

// ARPMatch returns the match of a namespace's arpAllow ACL (ovn-kubernetes.md#default-deny).
func ARPMatch(d Direction, portGroup string) string { return LPort(d, portGroup) + " && (arp || nd)" }

// ICMPMatch returns the match of a namespace's icmpAllow ACL (ovn-kubernetes.md#default-deny).
func ICMPMatch(d Direction, portGroup string) string {
	return LPort(d, portGroup) + " && (icmp || icmp6)"
}

// HairpinMatch returns the match of the ACLs that let a pod reach itself through a Service. from4 and from6
// are the source addresses of these connections: the fifth address of the masquerade subnet, or empty for the
// default (ovn-kubernetes.md#hairpin-and-node-rows).
func HairpinMatch(v4, v6 bool, from4, from6 string) string {
	return familiesTerm(v4, v6, "ip4.src == "+cmp.Or(from4, Hairpin4), "ip6.src == "+cmp.Or(from6, Hairpin6))
}

// Sources of a pod's connections to itself through a Service, with default masquerade subnets: the fifth
// address of each (ovn-kubernetes.md#hairpin-and-node-rows).
const (
	Hairpin4 = "169.254.169.5"
	Hairpin6 = "fd69::5"
)

// NodeMatch returns the match of the ACL that lets a node reach its pods; ip belongs to its management port.
// It has no spaces around "==" (ovn-kubernetes.md#hairpin-and-node-rows).
func NodeMatch(ip string) string { return addressFamily(ip) + ".src==" + ip }

// EFNetwork returns the destination of an EgressFirewall rule's cidrSelector. It excludes the cluster's
// subnets that overlap with it, joined without spaces (ovn-kubernetes.md#firewall-match).
func EFNetwork(cidr string, subnets []netip.Prefix) string {
	family := addressFamily(cidr)
	match := family + ".dst == " + cidr
	network, ok := ParseCIDR(cidr)
	if !ok {
		return match
	}
	sep := " && "
	for _, s := range subnets {
		if s.Overlaps(network) {
			match += sep + family + ".dst != " + s.Masked().String()
			sep = "&&"
		}
	}
	return match
}

// ParseCIDR parses a CIDR as OVN-Kubernetes does, by Go's net.ParseCIDR: the prefix length may have leading
// zeros, and an IPv4-mapped network becomes IPv4 if its length permits. Host bits are kept.
func ParseCIDR(cidr string) (p netip.Prefix, ok bool) {
	plain, length, _ := strings.Cut(cidr, "/")
	a, err := netip.ParseAddr(plain)
	if err != nil || a.Zone() != "" {
		return p, false
	}
	bits, err := strconv.ParseUint(length, 10, 64)
	if err != nil || bits > uint64(a.BitLen()) {
		return p, false
	}
	n := int(bits)
	if mapped := a.BitLen() - 32; a.Is4In6() && n >= mapped {
		a, n = a.Unmap(), n-mapped
	}
	return netip.PrefixFrom(a, n), true
}

// EFNodes returns the destination of an EgressFirewall rule's nodeSelector: the addresses of all selected
// nodes, sorted as text (ovn-kubernetes.md#firewall-match).
func EFNodes(ips []string) string {
	terms := slices.Sorted(slices.Values(ips))
	for i, ip := range terms {
		terms[i] = addressFamily(ip) + ".dst == " + ip
	}
	return strings.Join(terms, " || ")
}

// EFDNS returns the destination of an EgressFirewall rule's dnsName; the sets have the addresses of the name
// (ovn-kubernetes.md#firewall-match). EFMatch adds the parentheses.
func EFDNS(set4, set6 string, v4, v6 bool) string {
	return alternatives(v4, v6, "ip4.dst == $"+set4, "ip6.dst == $"+set6)
}

// EFPort is a port of an EgressFirewall rule; Port 0 means the whole protocol. Protocol is udp, tcp or sctp in
// any case.
type EFPort struct {
	Protocol string
	Port     int32
}

// EFL4 returns the ports term of an EgressFirewall rule: protocols in a fixed order, ports in the rule's order
// (ovn-kubernetes.md#firewall-match). It is empty without ports.
func EFL4(ports []EFPort) string {
	if len(ports) == 0 {
		return ""
	}
	var groups []string
	for _, proto := range []string{"udp", "tcp", "sctp"} {
		var terms []string
		whole := false
		for _, p := range ports {
			if strings.EqualFold(p.Protocol, proto) {
				whole = whole || p.Port == 0
				terms = append(terms, proto+".dst == "+strconv.Itoa(int(p.Port)))
			}
		}
		switch {
		case whole:
			groups = append(groups, "("+proto+")")
		case terms != nil:
			groups = append(groups, "("+proto+" && ( "+strings.Join(terms, " || ")+" ))")
		}
	}
	return "(" + strings.Join(groups, " || ") + ")"
}

// EFMatch returns the match of an EgressFirewall rule's ACL: its destination, the namespace's port group, and
// any ports (ovn-kubernetes.md#firewall-match). The ACL tests inport although it is to-lport.
func EFMatch(dst, portGroup, l4 string) string {
	match := "(" + dst + ") && inport == @" + portGroup
	if l4 != "" {
		match += " && " + l4
	}
	return match
}

// Parts of multicast matches (ovn-kubernetes.md#multicast). The IPv6 groups are the transient ones: bit 116 is
// the T flag.
const (
	multicast6 = "(ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
	mldOr      = "mldv1 || mldv2 || "
)

// MulticastAny returns the match of all multicast except IGMP (ovn-kubernetes.md#multicast, "M").
func MulticastAny() string { return "(ip4.mcast || " + mldOr + multicast6 + ")" }

// MulticastInterNode returns the match of the ACLs that let multicast pass between nodes; the port group has
// the cluster router's ports (ovn-kubernetes.md#multicast).
func MulticastInterNode(d Direction, rtrPortGroup string) string {
	return LPort(d, rtrPortGroup) + " && " + MulticastAny()
}

// MulticastNS returns the match of the ACLs for multicast between the pods of a namespace; the sets have these
// pods (ovn-kubernetes.md#multicast, "E" and "I").
func MulticastNS(d Direction, portGroup, set4, set6 string, v4, v6 bool) string {
	four, six := "ip4.mcast", "("+mldOr+multicast6+")"
	if d == Ingress {
		four = "(igmp || (ip4.src == $" + set4 + " && ip4.mcast))"
		six = "(" + mldOr + "(ip6.src == $" + set6 + " && " + multicast6 + "))"
	}
	return LPort(d, portGroup) + " && " + familiesTerm(v4, v6, four, six)
}
