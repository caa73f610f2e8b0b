package match

import "fmt"

// symbol is a field, subfield or predicate of OVN's language.
type symbol struct {
	name  string
	width int // in bits; 0 for a string
	low   int // of a subfield: the field's bit that is its lowest
	// nominal fields may only be tested for equality; nominal predicates must
	// not be negated.
	nominal bool
	prereq  Expr // implied by every comparison; nil for none
	body    Expr // what a predicate stands for; nil for a field

	source source // where a packet says the value
	unsaid *JudgeError
}

// symbols are the fields and predicates Rung knows: those of ovn-sb(5), and
// others that OVN has and ACLs may use. Predicates stand for what OVN defines
// them to be.
var symbols = newSymbols()

// symtab is a table of symbols in the making. A definition is read by the
// symbols defined before it.
type symtab map[string]*symbol

func newSymbols() symtab {
	t := make(symtab)
	t.metadata()
	t.ethernet()
	t.ip()
	t.transport()
	t.icmp()
	t.neighbours()
	return t
}

func (t symtab) add(s symbol) {
	s.unsaid = &JudgeError{Field: s.name}
	t[s.name] = &s
}

// expr reads a definition; nil is "none".
func (t symtab) expr(text string) Expr {
	if text == "" {
		return nil
	}
	e, err := parse(text, t)
	if err != nil {
		return nil
	}
	return e
}

// field adds a field of which every bit can be tested.
func (t symtab) field(name string, width int, prereq string, from source) {
	t.add(symbol{name: name, width: width, prereq: t.expr(prereq), source: from})
}

// nominal adds a field that can only be tested as a whole.
func (t symtab) nominal(name string, width int, prereq string, from source) {
	t.add(symbol{name: name, width: width, prereq: t.expr(prereq), source: from, nominal: true})
}

// subfield adds a name for the bits low to high of a field.
func (t symtab) subfield(name string, low, high int, prereq string, from source) {
	t.add(symbol{name: name, width: high - low + 1, low: low, prereq: t.expr(prereq), source: from})
}

func (t symtab) predicate(name, body string) {
	e := t.expr(body)
	t.add(symbol{name: name, width: 1, body: e, nominal: nominalBody(e)})
}

// metadata adds what OVN keeps beside the packet. Of its registers and marks a
// Packet says nothing.
func (t symtab) metadata() {
	t.nominal("inport", 0, "", fromInPort)
	t.nominal("outport", 0, "", fromOutPort)

	for i := range 10 {
		t.field(fmt.Sprintf("reg%d", i), 32, "", fromNowhere)
	}
	for i := range 5 {
		t.field(fmt.Sprintf("xreg%d", i), 64, "", fromNowhere)
	}
	for i := range 2 {
		t.field(fmt.Sprintf("xxreg%d", i), 128, "", fromNowhere)
	}
	t.field("flags", 32, "", fromNowhere)
	t.field("flags.loopback", 1, "", fromNowhere)
	t.field("pkt.mark", 32, "", fromNowhere)

	t.field("ct_mark", 32, "", fromNowhere)
	t.field("ct_mark.blocked", 1, "", fromNowhere)
	t.field("ct_label", 128, "", fromNowhere)
	t.field("ct_label.label", 32, "", fromNowhere)
	t.field("ct_state", 32, "", fromNowhere)
	// A Packet is the first of its connection.
	t.field("ct.trk", 1, "", fromTrue)
	t.field("ct.new", 1, "ct.trk", fromTrue)
	for _, name := range []string{"est", "rel", "rpl", "inv"} {
		t.field("ct."+name, 1, "ct.trk", fromFalse)
	}
	t.field("ct.snat", 1, "ct.trk", fromNowhere)
	t.field("ct.dnat", 1, "ct.trk", fromNowhere)
}

func (t symtab) ethernet() {
	t.field("eth.src", 48, "", fromEthSrc)
	t.field("eth.dst", 48, "", fromEthDst)
	t.nominal("eth.type", 16, "", fromEthType)
	t.predicate("eth.bcast", "eth.dst == ff:ff:ff:ff:ff:ff")
	t.subfield("eth.mcast", 40, 40, "", fromEthDst)
	t.predicate("eth.mcastv6", "eth.dst[32..47] == 0x3333")

	t.field("vlan.tci", 16, "", fromVLAN)
	t.predicate("vlan.present", "vlan.tci[12]")
	t.subfield("vlan.pcp", 13, 15, "vlan.present", fromVLAN)
	t.subfield("vlan.vid", 0, 11, "vlan.present", fromVLAN)

	t.predicate("ip4", "eth.type == 0x800")
	t.predicate("ip6", "eth.type == 0x86dd")
	t.predicate("ip", "ip4 || ip6")
	t.predicate("arp", "eth.type == 0x806")
	t.predicate("rarp", "eth.type == 0x8035")
}

func (t symtab) ip() {
	t.nominal("ip.proto", 8, "ip", fromProto)
	t.nominal("ip.dscp", 6, "ip", fromNowhere)
	t.nominal("ip.ecn", 2, "ip", fromNowhere)
	t.nominal("ip.ttl", 8, "ip", fromTTL)
	t.field("ip.frag", 2, "ip", fromNowhere)
	t.predicate("ip.is_frag", "ip.frag[0]")
	t.predicate("ip.later_frag", "ip.frag[1]")
	t.predicate("ip.first_frag", "ip.is_frag && !ip.later_frag")

	t.field("ip4.src", 32, "ip4", fromSrc)
	t.field("ip4.dst", 32, "ip4", fromDst)
	t.predicate("ip4.src_mcast", "ip4.src[28..31] == 0xe")
	t.predicate("ip4.mcast", "eth.mcast && ip4.dst[28..31] == 0xe")

	t.field("ip6.src", 128, "ip6", fromSrc)
	t.field("ip6.dst", 128, "ip6", fromDst)
	t.field("ip6.label", 20, "ip6", fromNowhere)
	t.predicate("ip6.mcast_rsvd", "ip6.dst[116..127] == 0xff0 && ip6.dst[0..111] == 0x0")
	t.predicate("ip6.mcast_all_nodes", "ip6.dst == ff01::1 || ip6.dst == ff02::1")
	t.predicate("ip6.mcast_all_rtrs", "ip6.dst == ff01::2 || ip6.dst == ff02::2 || ip6.dst == ff05::2")
	t.predicate("ip6.mcast_sol_node", "ip6.dst == ff02::1:ff00:0000/104")
	t.predicate("ip6.mcast_flood",
		"eth.mcastv6 && (ip6.mcast_rsvd || ip6.mcast_all_nodes || ip6.mcast_all_rtrs || ip6.mcast_sol_node)")
	t.predicate("ip6.mcast", "eth.mcastv6 && ip6.dst[120..127] == 0xff")
}

func (t symtab) transport() {
	for _, l4 := range []struct{ name, number string }{{"tcp", "6"}, {"udp", "17"}, {"sctp", "132"}} {
		t.predicate(l4.name, "ip.proto == "+l4.number)
		t.field(l4.name+".src", 16, l4.name, fromSrcPort)
		t.field(l4.name+".dst", 16, l4.name, fromDstPort)
	}
	t.field("tcp.flags", 12, "tcp", fromTCPFlags)
}

func (t symtab) icmp() {
	t.predicate("icmp4", "ip4 && ip.proto == 1")
	t.predicate("icmp6", "ip6 && ip.proto == 58")
	t.predicate("icmp", "icmp4 || icmp6")
	for _, name := range []string{"icmp4", "icmp6"} {
		t.nominal(name+".type", 8, name, fromICMPType)
		t.nominal(name+".code", 8, name, fromICMPCode)
	}
	t.predicate("igmp", "ip4.mcast && ip.proto == 2")
	t.predicate("mldv1", "eth.mcastv6 && ip6.src == fe80::/10 && icmp6.type == {130, 131, 132}")
	t.predicate("mldv2", "eth.mcastv6 && ip6.dst == ff02::16 && icmp6.type == 143")
}

// neighbours adds what finds neighbours: ARP, RARP and IPv6 neighbour discovery.
func (t symtab) neighbours() {
	for _, name := range []string{"arp", "rarp"} {
		t.nominal(name+".op", 16, name, fromARPOp)
		t.field(name+".spa", 32, name, fromSrc)
		t.field(name+".sha", 48, name, fromNowhere)
		t.field(name+".tpa", 32, name, fromDst)
		t.field(name+".tha", 48, name, fromNowhere)
	}
	t.predicate("nd", "icmp6.type == {135, 136} && icmp6.code == 0 && ip.ttl == 255")
	t.predicate("nd_ns", "icmp6.type == 135 && icmp6.code == 0 && ip.ttl == 255")
	t.predicate("nd_ns_mcast", "ip6.mcast && icmp6.type == 135 && icmp6.code == 0 && ip.ttl == 255")
	t.predicate("nd_na", "icmp6.type == 136 && icmp6.code == 0 && ip.ttl == 255")
	t.predicate("nd_rs", "icmp6.type == 133 && icmp6.code == 0 && ip.ttl == 255")
	t.predicate("nd_ra", "icmp6.type == 134 && icmp6.code == 0 && ip.ttl == 255")
	t.field("nd.target", 128, "nd", fromTarget)
	t.field("nd.sll", 48, "nd_ns", fromNowhere)
	t.field("nd.tll", 48, "nd_na", fromNowhere)
}

// nominalBody says whether a predicate with that body is nominal: whether any
// symbol it names is.
func nominalBody(e Expr) bool {
	return anyLeaf(e, func(l Expr) bool {
		f, _ := fieldOf(l)
		return f.sym != nil && f.sym.nominal
	})
}

// fieldOf is the field that a Pred, Cmp or Range tests.
func fieldOf(l Expr) (f Field, ok bool) {
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

// unsaidBy is the error for a field the packet does not tell.
func (f Field) unsaidBy() error {
	if f.sym == nil {
		return &JudgeError{Field: f.Name, Unknown: true}
	}
	return f.sym.unsaid
}
