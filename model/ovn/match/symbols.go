package match

import "fmt"

// symbol is a field, subfield or predicate of OVN's language.
type symbol struct {
	name  string
	width int // in bits; 0 for a string
	low   int // of a subfield: its lowest bit in the field
	// nominal fields may only be tested for equality; nominal predicates must not be negated.
	nominal bool
	prereq  Expr // implied by every comparison; may be nil
	body    Expr // definition of a predicate; nil for a field

	source       fieldSource // where a packet has the value
	missingError *JudgeError
}

// symbols has the fields and predicates that Rung knows, from ovn-sb(5) and OVN's code. Predicates are defined
// as in OVN.
var symbols = newSymbols()

// symbolTable is a table of symbols under construction. Definitions use symbols defined before.
type symbolTable map[string]*symbol

func newSymbols() symbolTable {
	t := make(symbolTable)
	t.addMetadata()
	t.addEthernet()
	t.addIP()
	t.addTransport()
	t.addICMP()
	t.addNeighbours()
	return t
}

func (t symbolTable) add(s symbol) {
	s.missingError = &JudgeError{Field: s.name}
	t[s.name] = &s
}

// readDefinition parses a definition; nil for an empty one.
func (t symbolTable) readDefinition(text string) Expr {
	if text == "" {
		return nil
	}
	e, err := parseWith(text, t)
	if err != nil {
		return nil
	}
	return e
}

// addField adds a field of which every single bit can be tested.
func (t symbolTable) addField(name string, width int, prereq string, from fieldSource) {
	t.add(symbol{name: name, width: width, prereq: t.readDefinition(prereq), source: from})
}

// addNominal adds a field that can only be tested as a whole.
func (t symbolTable) addNominal(name string, width int, prereq string, from fieldSource) {
	t.add(symbol{name: name, width: width, prereq: t.readDefinition(prereq), source: from, nominal: true})
}

// addSubfield adds a name for the bits low to high of a field.
func (t symbolTable) addSubfield(name string, low, high int, prereq string, from fieldSource) {
	t.add(symbol{name: name, width: high - low + 1, low: low, prereq: t.readDefinition(prereq), source: from})
}

func (t symbolTable) addPredicate(name, body string) {
	e := t.readDefinition(body)
	t.add(symbol{name: name, width: 1, body: e, nominal: nominalBody(e)})
}

// addMetadata adds OVN's metadata of a packet. A Packet does not have its registers and marks.
func (t symbolTable) addMetadata() {
	t.addNominal("inport", 0, "", fromInPort)
	t.addNominal("outport", 0, "", fromOutPort)

	for i, name := range []string{"reg", "xreg", "xxreg"} {
		for n := range 10 >> i {
			t.addField(fmt.Sprint(name, n), 32<<i, "", fromNone)
		}
	}
	for _, name := range []string{"flags", "pkt.mark", "ct_mark", "ct_label.label", "ct_state"} {
		t.addField(name, 32, "", fromNone)
	}
	t.addField("flags.loopback", 1, "", fromNone)
	t.addField("ct_mark.blocked", 1, "", fromNone)
	t.addField("ct_label", 128, "", fromNone)
	// A Packet is always the first of its connection.
	t.addField("ct.trk", 1, "", fromTrue)
	t.addField("ct.new", 1, "ct.trk", fromTrue)
	for _, name := range []string{"est", "rel", "rpl", "inv"} {
		t.addField("ct."+name, 1, "ct.trk", fromFalse)
	}
	t.addField("ct.snat", 1, "ct.trk", fromNone)
	t.addField("ct.dnat", 1, "ct.trk", fromNone)
}

func (t symbolTable) addEthernet() {
	t.addField("eth.src", 48, "", fromEthSrc)
	t.addField("eth.dst", 48, "", fromEthDst)
	t.addNominal("eth.type", 16, "", fromEthType)
	t.addPredicate("eth.bcast", "eth.dst == ff:ff:ff:ff:ff:ff")
	t.addSubfield("eth.mcast", 40, 40, "", fromEthDst)
	t.addPredicate("eth.mcastv6", "eth.dst[32..47] == 0x3333")

	t.addField("vlan.tci", 16, "", fromVLAN)
	t.addPredicate("vlan.present", "vlan.tci[12]")
	t.addSubfield("vlan.pcp", 13, 15, "vlan.present", fromVLAN)
	t.addSubfield("vlan.vid", 0, 11, "vlan.present", fromVLAN)

	t.addPredicate("ip4", "eth.type == 0x800")
	t.addPredicate("ip6", "eth.type == 0x86dd")
	t.addPredicate("ip", "ip4 || ip6")
	t.addPredicate("arp", "eth.type == 0x806")
	t.addPredicate("rarp", "eth.type == 0x8035")
}

func (t symbolTable) addIP() {
	t.addNominal("ip.proto", 8, "ip", fromProto)
	t.addNominal("ip.dscp", 6, "ip", fromNone)
	t.addNominal("ip.ecn", 2, "ip", fromNone)
	t.addNominal("ip.ttl", 8, "ip", fromTTL)
	t.addField("ip.frag", 2, "ip", fromNone)
	t.addPredicate("ip.is_frag", "ip.frag[0]")
	t.addPredicate("ip.later_frag", "ip.frag[1]")
	t.addPredicate("ip.first_frag", "ip.is_frag && !ip.later_frag")

	t.addField("ip4.src", 32, "ip4", fromSrc)
	t.addField("ip4.dst", 32, "ip4", fromDst)
	t.addPredicate("ip4.src_mcast", "ip4.src[28..31] == 0xe")
	t.addPredicate("ip4.mcast", "eth.mcast && ip4.dst[28..31] == 0xe")

	t.addField("ip6.src", 128, "ip6", fromSrc)
	t.addField("ip6.dst", 128, "ip6", fromDst)
	t.addField("ip6.label", 20, "ip6", fromNone)
	t.addPredicate("ip6.mcast_rsvd", "ip6.dst[116..127] == 0xff0 && ip6.dst[0..111] == 0x0")
	t.addPredicate("ip6.mcast_all_nodes", "ip6.dst == ff01::1 || ip6.dst == ff02::1")
	t.addPredicate("ip6.mcast_all_rtrs", "ip6.dst == ff01::2 || ip6.dst == ff02::2 || ip6.dst == ff05::2")
	t.addPredicate("ip6.mcast_sol_node", "ip6.dst == ff02::1:ff00:0000/104")
	t.addPredicate("ip6.mcast_flood",
		"eth.mcastv6 && (ip6.mcast_rsvd || ip6.mcast_all_nodes || ip6.mcast_all_rtrs || ip6.mcast_sol_node)")
	t.addPredicate("ip6.mcast", "eth.mcastv6 && ip6.dst[120..127] == 0xff")
}

func (t symbolTable) addTransport() {
	for _, l4 := range []struct{ name, number string }{{"tcp", "6"}, {"udp", "17"}, {"sctp", "132"}} {
		t.addPredicate(l4.name, "ip.proto == "+l4.number)
		t.addField(l4.name+".src", 16, l4.name, fromSrcPort)
		t.addField(l4.name+".dst", 16, l4.name, fromDstPort)
	}
	t.addField("tcp.flags", 12, "tcp", fromTCPFlags)
}

func (t symbolTable) addICMP() {
	t.addPredicate("icmp4", "ip4 && ip.proto == 1")
	t.addPredicate("icmp6", "ip6 && ip.proto == 58")
	t.addPredicate("icmp", "icmp4 || icmp6")
	for _, name := range []string{"icmp4", "icmp6"} {
		t.addNominal(name+".type", 8, name, fromICMPType)
		t.addNominal(name+".code", 8, name, fromICMPCode)
	}
	t.addPredicate("igmp", "ip4.mcast && ip.proto == 2")
	t.addPredicate("mldv1", "eth.mcastv6 && ip6.src == fe80::/10 && icmp6.type == {130, 131, 132}")
	t.addPredicate("mldv2", "eth.mcastv6 && ip6.dst == ff02::16 && icmp6.type == 143")
}

// addNeighbours adds ARP, RARP and IPv6 neighbour discovery.
func (t symbolTable) addNeighbours() {
	for _, name := range []string{"arp", "rarp"} {
		t.addNominal(name+".op", 16, name, fromARPOp)
		t.addField(name+".spa", 32, name, fromSrc)
		t.addField(name+".sha", 48, name, fromNone)
		t.addField(name+".tpa", 32, name, fromDst)
		t.addField(name+".tha", 48, name, fromNone)
	}
	t.addPredicate("nd", "icmp6.type == {135, 136} && icmp6.code == 0 && ip.ttl == 255")
	t.addPredicate("nd_ns_mcast", "ip6.mcast && icmp6.type == 135 && icmp6.code == 0 && ip.ttl == 255")
	for i, name := range []string{"nd_rs", "nd_ra", "nd_ns", "nd_na"} {
		t.addPredicate(name, fmt.Sprintf("icmp6.type == %d && icmp6.code == 0 && ip.ttl == 255", ndFirst+i))
	}
	t.addField("nd.target", 128, "nd", fromTarget)
	t.addField("nd.sll", 48, "nd_ns", fromNone)
	t.addField("nd.tll", 48, "nd_na", fromNone)
}

// nominalBody reports whether a predicate with that body is nominal: any symbol in it is.
func nominalBody(e Expr) bool {
	return hasLeafWhere(e, func(l Expr) bool {
		f, _ := testedField(l)
		return f.sym != nil && f.sym.nominal
	})
}

// testedField returns the field that a Pred, Cmp or Range tests.
func testedField(l Expr) (f Field, ok bool) {
	switch l := l.(type) {
	case *Pred:
		return l.Field, true
	case *Cmp:
		return l.Field, true
	case *Range:
		return l.Field, true
	}
	return Field{}, false
}

// missingValueError returns the error for a field that the packet does not have.
func (f Field) missingValueError() error {
	if f.sym == nil {
		return &JudgeError{Field: f.Name, Unknown: true}
	}
	return f.sym.missingError
}
