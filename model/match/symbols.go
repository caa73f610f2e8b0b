package match

// symbol is a field or predicate of OVN's language.
type symbol struct {
	name  string
	width int // in bits; 0 for a string
	// nominal fields may only be tested for equality; nominal predicates must
	// not be negated.
	nominal bool
	prereq  Expr // implied by every comparison; nil for none
	body    Expr // what a predicate stands for; nil for a field

	source source // where a packet says the value
	unsaid *JudgeError
}

// symbols are the fields and predicates Rung knows. Predicates stand for what
// OVN defines them to be, but for two things a Packet does not say: that a
// multicast destination has a multicast MAC address, and that neighbour
// discovery comes with a hop limit of 255; both are taken for granted.
var symbols = newSymbols()

func newSymbols() map[string]*symbol {
	t := make(map[string]*symbol)
	add := func(s symbol) {
		s.unsaid = &JudgeError{Field: s.name}
		t[s.name] = &s
	}
	// expr reads a definition by the symbols defined before; nil is "none".
	expr := func(text string) Expr {
		if text == "" {
			return nil
		}
		e, err := parse(text, t)
		if err != nil {
			return nil
		}
		return e
	}
	field := func(name string, width int, prereq string, from source) {
		add(symbol{name: name, width: width, prereq: expr(prereq), source: from})
	}
	nominal := func(name string, width int, prereq string, from source) {
		add(symbol{name: name, width: width, prereq: expr(prereq), source: from, nominal: true})
	}
	predicate := func(name, body string) {
		e := expr(body)
		add(symbol{name: name, width: 1, body: e, nominal: nominalBody(e)})
	}

	nominal("inport", 0, "", fromInPort)
	nominal("outport", 0, "", fromOutPort)

	field("eth.src", 48, "", fromNowhere)
	field("eth.dst", 48, "", fromNowhere)
	nominal("eth.type", 16, "", fromEthType)
	predicate("ip4", "eth.type == 0x800")
	predicate("ip6", "eth.type == 0x86dd")
	predicate("ip", "ip4 || ip6")
	predicate("arp", "eth.type == 0x806")
	predicate("rarp", "eth.type == 0x8035")

	nominal("ip.proto", 8, "ip", fromProto)
	field("ip.dscp", 6, "ip", fromNowhere)
	field("ip.ecn", 2, "ip", fromNowhere)
	field("ip.ttl", 8, "ip", fromNowhere)
	field("ip.frag", 2, "ip", fromNowhere)

	field("ip4.src", 32, "ip4", fromSrc)
	field("ip4.dst", 32, "ip4", fromDst)
	field("ip6.src", 128, "ip6", fromSrc)
	field("ip6.dst", 128, "ip6", fromDst)
	predicate("ip4.src_mcast", "ip4.src[28..31] == 0xe")
	predicate("ip4.mcast", "ip4.dst[28..31] == 0xe")
	predicate("ip6.mcast", "ip6.dst[120..127] == 0xff")

	for _, l4 := range []struct{ name, number string }{{"tcp", "6"}, {"udp", "17"}, {"sctp", "132"}} {
		predicate(l4.name, "ip.proto == "+l4.number)
		field(l4.name+".src", 16, l4.name, fromSrcPort)
		field(l4.name+".dst", 16, l4.name, fromDstPort)
	}
	field("tcp.flags", 12, "tcp", fromNowhere)

	predicate("icmp4", "ip4 && ip.proto == 1")
	predicate("icmp6", "ip6 && ip.proto == 58")
	predicate("icmp", "icmp4 || icmp6")
	for _, name := range []string{"icmp4", "icmp6"} {
		nominal(name+".type", 8, name, fromICMPType)
		nominal(name+".code", 8, name, fromICMPCode)
	}
	predicate("igmp", "ip4.mcast && ip.proto == 2")
	predicate("mldv1", "ip6.src == fe80::/10 && icmp6.type == {130, 131, 132}")
	predicate("mldv2", "ip6.dst == ff02::16 && icmp6.type == 143")

	predicate("nd", "icmp6.type == {135, 136} && icmp6.code == 0")
	predicate("nd_ns", "icmp6.type == 135 && icmp6.code == 0")
	predicate("nd_na", "icmp6.type == 136 && icmp6.code == 0")
	predicate("nd_rs", "icmp6.type == 133 && icmp6.code == 0")
	predicate("nd_ra", "icmp6.type == 134 && icmp6.code == 0")
	field("nd.target", 128, "nd", fromNowhere)
	field("nd.sll", 48, "nd_ns", fromNowhere)
	field("nd.tll", 48, "nd_na", fromNowhere)

	nominal("arp.op", 16, "arp", fromNowhere)
	field("arp.sha", 48, "arp", fromNowhere)
	field("arp.tha", 48, "arp", fromNowhere)
	field("arp.spa", 32, "arp", fromSrc)
	field("arp.tpa", 32, "arp", fromDst)

	// A Packet is the first of its connection.
	field("ct.trk", 1, "", fromTrue)
	field("ct.new", 1, "ct.trk", fromTrue)
	for _, name := range []string{"est", "rel", "rpl", "inv"} {
		field("ct."+name, 1, "ct.trk", fromFalse)
	}
	field("ct.snat", 1, "ct.trk", fromNowhere)
	field("ct.dnat", 1, "ct.trk", fromNowhere)
	return t
}

// nominalBody says whether a predicate with that body is nominal: whether any
// symbol it names is.
func nominalBody(e Expr) (nominal bool) {
	eachField(e, func(f Field) {
		if f.sym != nil && f.sym.nominal {
			nominal = true
		}
	})
	return nominal
}

// unsaidBy is the error for a field the packet does not tell.
func (f Field) unsaidBy() error {
	if f.sym == nil {
		return &JudgeError{Field: f.Name, Unknown: true}
	}
	return f.sym.unsaid
}
