package match

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rounds is how many random values each property is tried on.
const rounds = 4000

// asts compares expressions field by field, symbols by identity.
var asts = cmp.Options{
	cmp.AllowUnexported(And{}, Or{}, Not{}, Paren{}, Cmp{}, Range{}, Bool{}, Pred{}, Field{}, Bits{}, Const{}, u128{}),
	cmp.Comparer(func(a, b *symbol) bool { return a == b }),
}

// gen makes random expressions in any layout.
type gen struct{ *rand.Rand }

func one[T any](g gen, from ...T) T { return from[g.IntN(len(from))] }

func (g gen) gap() string { return one(g, "", "", " ", "  ", "\t", "\n", "/* c */", " // c\n") }

func (g gen) between(op string) string {
	if g.IntN(2) == 0 {
		return " " + op + " "
	}
	return g.gap() + op + g.gap()
}

// join is a list as somebody may write it, with sep or something else between.
func join[T fmt.Stringer](g gen, list []T, op, sep string) writtenText {
	text := ""
	for i, x := range list {
		switch {
		case i == 0:
		case g.IntN(3) == 0:
			text += g.gap() + op + g.gap()
		default:
			text += sep
		}
		text += x.String()
	}
	return writtenText(text)
}

func (g gen) list(depth, n int) []Expr {
	terms := make([]Expr, n)
	for i := range terms {
		terms[i] = g.operand(depth - 1)
	}
	return terms
}

func (g gen) expr(depth int) Expr {
	n := 2 + g.IntN(3)
	switch {
	case depth > 0 && g.IntN(3) == 0:
		terms := g.list(depth, n)
		return &And{terms, join(g, terms, "&&", " && ")}
	case depth > 0 && g.IntN(3) == 0:
		terms := g.list(depth, n)
		return &Or{terms, join(g, terms, "||", " || ")}
	}
	return g.operand(depth)
}

func (g gen) operand(depth int) Expr {
	if depth > 0 && g.IntN(3) == 0 {
		x := g.expr(depth - 1)
		return &Paren{x, writtenText("(" + g.gap() + x.String() + g.gap() + ")")}
	}
	switch g.IntN(6) {
	case 0:
		return g.bool()
	case 1:
		return g.pred("tcp", "ip4", "icmp6", "ip4.mcast", "ct.new", "unknown", "igmp", "arp", "nd", "mldv1", "mldv2", "ip6.mcast",
			"vlan.present", "eth.mcast", "eth.bcast", "ip.first_frag", "ct.est", "rarp")
	case 2:
		x := one(g, g.pred("ip4.mcast", "unknown", "tcp.dst", "vlan.present", "ct.rpl", "ip.ttl", "eth.mcast"), g.bool())
		return &Not{x, writtenText("!" + g.gap() + x.String())}
	case 3:
		up := g.IntN(2) == 0
		r := &Range{Lo: g.number(), Hi: g.number(), Field: g.field("tcp.dst", "udp.src", "sctp.dst", "vlan.tci", "reg0", "unknown"), LoOp: one(g, LT, LE), HiOp: one(g, LT, LE)}
		if !up {
			r.LoOp, r.HiOp = r.LoOp.swapped(), r.HiOp.swapped()
		}
		r.writtenText = writtenText(r.Lo.Text + g.between(r.LoOp.String()) + r.Field.String() + g.between(r.HiOp.String()) + r.Hi.Text)
		return r
	}
	return g.cmp()
}

func (g gen) bool() Expr {
	text := one(g, "0", "1")
	return &Bool{text == "1", writtenText(text)}
}

func (g gen) pred(names ...string) Expr {
	f := g.field(names...)
	return &Pred{f, writtenText(f.String())}
}

func (g gen) field(names ...string) Field {
	name := one(g, names...)
	return Field{Name: name, sym: symbols[name]}
}

func (g gen) constant(text string) Const { return nextToken(text, 0).c }

func (g gen) number() Const {
	return g.constant(one(g, fmt.Sprint(g.IntN(65536)), "0", "0x1f", "0xFFFF"))
}

func (g gen) cmp() Expr {
	c := &Cmp{Op: one(g, EQ, EQ, NE), Braced: g.IntN(2) == 0}
	makeOne := g.number
	switch g.IntN(7) {
	case 0:
		c.Field, c.Op = g.field("inport", "outport"), EQ
		makeOne = func() Const { return g.constant(one(g, "@pg", "@a_1.b", `"x y"`, `"\"\\\u00e9"`, `""`)) }
	case 1:
		c.Field = g.field("ip4.src", "ip4.dst", "arp.spa", "arp.tpa", "unknown")
		makeOne = func() Const { return g.constant(one(g, "$a4", "10.0.0.1", "10.1.2.3/8", "0.0.0.0/0.0.0.255", "7")) }
	case 2:
		c.Field = g.field("ip6.src", "ip6.dst", "nd.target")
		if g.IntN(3) == 0 {
			c.Field.Bits = &Bits{3, 9, "[3..9]"}
		}
		makeOne = func() Const { return g.constant(one(g, "$a6", "fd00::1", "FD00::/8", "::", "::/ffff::", "0xff/0xf0")) }
	case 3:
		c.Field = g.field("eth.src", "eth.dst", "nd.sll", "arp.sha")
		makeOne = func() Const {
			return g.constant(one(g, "0a:58:0a:f4:02:06", "FF:ff:FF:ff:FF:ff", "01:00:00:00:00:00/01:00:00:00:00:00", "$macs", "0x1"))
		}
	case 4:
		c.Field, c.Op = g.field("ip.proto", "ip.ttl", "icmp6.type", "icmp4.code"), EQ
		makeOne = func() Const { return g.constant(one(g, "6", "0x3a", "255", "0")) }
	case 5:
		// One bit, or the bits that tell an IPv6 group.
		c.Field = g.field("ip6.dst", "vlan.tci", "tcp.flags", "eth.dst", "unknown")
		c.Field.Bits = (&Bits{11, 11, "[11]"})
		if c.Field.Name == "ip6.dst" {
			c.Field.Bits = &Bits{120, 127, "[120..127]"}
		}
		makeOne = func() Const { return g.constant(one(g, "1", "0", "0x1")) }
	default:
		c.Field, c.Op = g.field("tcp.dst", "udp.dst", "unknown"), one(g, EQ, NE, LT, LE, GT, GE)
		if c.Op != EQ && c.Op != NE {
			c.Braced = false
		}
	}
	c.Values = []Const{makeOne()}
	values := writtenText(c.Values[0].Text)
	if c.Braced {
		for range g.IntN(4) {
			c.Values = append(c.Values, makeOne())
		}
		values = "{" + writtenText(g.gap()) + join(g, c.Values, ",", ", ") + writtenText(one(g, "", "", " ", ",", " , ")) + "}"
	}
	c.writtenText = writtenText(c.Field.String()+g.between(c.Op.String())) + values
	if g.IntN(4) == 0 { // the constants on the left
		c.writtenText = values + writtenText(g.between(c.Op.swapped().String())+c.Field.String())
	}
	return c
}

// Parse(Write(x)) = x for any expression in any layout.
func TestParseOfStringIsTheSame(t *testing.T) {
	for seed := range uint64(rounds) {
		g := gen{rand.New(rand.NewPCG(seed, 1))}
		e := g.expr(5)
		text := e.String()
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\nin %q", seed, err, text)
		}
		if d := cmp.Diff(e, got, asts); d != "" {
			t.Fatalf("seed %d: %q (-written +parsed):\n%s", seed, text, d)
		}
	}
}

// rowValue is a random value of the grammar of ovn-kubernetes.md#acl-match.
type rowValue struct {
	RuleMatch
	Proto string // empty: no ports
	Ports []PortTerm
	Items []NamedItem
}

func (v rowValue) text() string {
	switch {
	case v.Items != nil:
		return v.NamedPortMatch(v.Proto, v.Items)
	case v.Proto != "":
		return v.NumericMatch(v.Proto, v.Ports)
	}
	return v.PortlessMatch()
}

func (g gen) row() rowValue {
	v := rowValue{RuleMatch: RuleMatch{Direction: one(g, Ingress, Egress), PortGroup: "pg", Set4: "a4", Set6: "a6"}}
	switch g.IntN(3) {
	case 0:
		v.V4 = true
	case 1:
		v.V6 = true
	default:
		v.V4, v.V6 = true, true
	}
	kind := g.IntN(3)
	if kind > 0 {
		v.Proto = one(g, "tcp", "udp", "sctp")
	}
	for range 1 + g.IntN(4) {
		lo := int32(1 + g.IntN(8))
		switch kind {
		case 1:
			v.Ports = append(v.Ports, PortTerm{lo, one(g, lo, lo, lo+2, lo+4)})
		case 2:
			v.Items = append(v.Items, NamedItem{one(g, "10.0.0.1", "10.0.0.2", "fd00::1"), lo})
		}
	}
	return v
}

// What Terms tells of a row is what it was written from.
func TestTermsOfARowAreItsValues(t *testing.T) {
	for seed := range uint64(rounds) {
		v := gen{rand.New(rand.NewPCG(seed, 2))}.row()
		got := rowValue{RuleMatch: RuleMatch{Direction: v.Direction, PortGroup: v.PortGroup, Set4: "a4", Set6: "a6", V4: v.V4, V6: v.V6}}
		var texts []string
		hasPort, hasSets := false, false
		for _, term := range Terms(mustParse(t, v.text())) {
			texts = append(texts, term.Text)
			switch term.Kind {
			case TermPort:
				hasPort = true
				if want := map[Direction]string{Ingress: "outport", Egress: "inport"}[v.Direction]; term.Field != want || term.PortGroups[0] != "pg" {
					t.Fatalf("%q: %+v", v.text(), term)
				}
			case TermAddresses:
				hasSets = true
				if term.Field != PeerSide(v.Direction) || slices.Contains(term.AddressSets, "a4") != v.V4 || slices.Contains(term.AddressSets, "a6") != v.V6 {
					t.Fatalf("%q: %+v", v.text(), term)
				}
			case TermProtocol:
				got.Proto = term.Protocols[0]
			case TermPorts:
				got.Ports = term.Ports
			case TermNamedPorts:
				got.Items = term.Items
			default:
				t.Fatalf("%q: %+v", v.text(), term)
			}
		}
		if want := v.Items == nil || v.Direction == Egress; hasPort != want {
			t.Fatalf("%q: port group %v", v.text(), hasPort)
		}
		if want := v.Items == nil || v.Direction == Ingress; hasSets != want {
			t.Fatalf("%q: address sets %v", v.text(), hasSets)
		}
		if joined := strings.Join(texts, " && "); joined != v.text() {
			t.Fatalf("terms of %q join to %q", v.text(), joined)
		}
		// Single ports come first in the text, whatever their place in the rule.
		slices.SortStableFunc(v.Ports, func(a, b PortTerm) int {
			if a.IsSingle() == b.IsSingle() {
				return 0
			}
			if a.IsSingle() {
				return -1
			}
			return 1
		})
		if d := cmp.Diff(v, got); d != "" {
			t.Fatalf("%q (-written +explained):\n%s", v.text(), d)
		}
	}
}

// fits decides by the values themselves, without any text.
func (v rowValue) fits(p Packet) bool {
	inSet := func(a netip.Addr, s string, on bool) bool { return on && fuzzEnv.sets[s].Contains(a) }
	lport, peer := p.OutPort, p.Src
	if v.Direction == Egress {
		lport, peer = p.InPort, p.Dst
	}
	group := fuzzEnv.PortGroupHas("pg", lport)
	sets := inSet(peer, "a4", v.V4) && peer.Is4() || inSet(peer, "a6", v.V6) && peer.Is6()
	switch {
	case v.Items != nil:
		if v.Direction == Ingress && !sets || v.Direction == Egress && !group || string(p.Proto) != v.Proto {
			return false
		}
		return slices.ContainsFunc(v.Items, func(n NamedItem) bool {
			return netip.MustParseAddr(n.IP) == p.Dst && int32(p.DstPort) == n.Port
		})
	case v.Proto != "":
		return group && sets && string(p.Proto) == v.Proto && slices.ContainsFunc(v.Ports, func(t PortTerm) bool {
			return t.Lo <= int32(p.DstPort) && int32(p.DstPort) <= t.Hi
		})
	}
	return group && sets
}

// Evaluating the text gives what the values say.
func TestEvalOfARowIsItsMeaning(t *testing.T) {
	hits := 0
	for seed := range uint64(rounds) {
		g := gen{rand.New(rand.NewPCG(seed, 3))}
		v := g.row()
		e := mustParse(t, v.text())
		for range 8 {
			family := one(g, []string{"10.0.0.1", "10.0.0.2", "10.1.9.9"}, []string{"fd00::1", "fd01::7", "fd00::2"})
			p := Packet{InPort: one(g, "ns_web", "ns_x", ""), OutPort: one(g, "ns_db", "ns_y"), Src: addr(one(g, family...)), Dst: addr(one(g, family...)),
				Proto: one(g, TCP, UDP, SCTP), DstPort: uint16(1 + g.IntN(12))}
			got, err := Eval(e, p, fuzzEnv)
			if bound, _ := Eval(BindSets(e, fuzzEnv), p, fuzzEnv); bound != got {
				t.Fatalf("seed %d: bound, %q says %v of %+v", seed, e, bound, p)
			}
			if err != nil || got != v.fits(p) {
				t.Fatalf("seed %d: Eval(%q, %+v) = %v, %v", seed, v.text(), p, got, err)
			}
			if got {
				hits++
			}
		}
	}
	if hits < rounds/10 {
		t.Errorf("only %d of %d packets matched: the test says little", hits, 8*rounds)
	}
}
