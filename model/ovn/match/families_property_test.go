package match

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// familyValue is a random match of another family: its text, and its meaning
// told by the values alone.
type familyValue struct {
	text string
	fits func(Packet) bool
}

var (
	hosts4 = []string{"10.0.0.1", "10.1.9.9", "10.2.0.7", "169.254.169.5", "8.8.8.8", "239.1.2.3"}
	hosts6 = []string{"fd00::1", "fd01::7", "fd02::2", "fd69::5", "2001:db8::1", "ff12::5", "ff02::5"}
)

func within(cidr string, a netip.Addr) bool {
	return netip.MustParsePrefix(cidr).Masked().Contains(a)
}

func member(set string, a netip.Addr) bool { return fuzzEnv.sets[set].Contains(a) }

// ends are the logical port and the peer's address of a rule.
func (p Packet) ends(d Direction) (lport string, peer netip.Addr) {
	if d == Ingress {
		return p.OutPort, p.Src
	}
	return p.InPort, p.Dst
}

func (g gen) modes() (v4, v6 bool) {
	m := one(g, [2]bool{true, false}, [2]bool{false, true}, [2]bool{true, true})
	return m[0], m[1]
}

func (g gen) netpol() familyValue {
	d := one(g, Ingress, Egress)
	v4, v6 := g.modes()
	var l3, l4 string
	var peer func(netip.Addr) bool
	switch g.IntN(3) {
	case 0:
		l3 = NetpolAny(v4, v6)
		peer = func(a netip.Addr) bool { return a.Is4() && v4 || a.Is6() && v6 }
	case 1:
		sets4, sets6 := one(g, []string{"empty", "a4"}, []string{"a4"}), one(g, []string{"a6", "empty"}, []string{"a6"})
		l3 = NetpolSelectors(d, sets4, sets6, v4, v6)
		peer = func(a netip.Addr) bool { return v4 && member("a4", a) || v6 && member("a6", a) }
	default:
		var blocks []IPBlock
		for range 1 + g.IntN(3) {
			blocks = append(blocks, one(g, IPBlock{CIDR: "10.0.0.9/8"}, IPBlock{"10.0.0.0/8", []string{"10.1.0.0/16", "10.2.0.0/16"}},
				IPBlock{"0.0.0.0/0", []string{"10.0.0.1/32"}}, IPBlock{"fd00::/8", []string{"fd01::/16"}}, IPBlock{CIDR: "::/0"}))
		}
		l3 = NetpolBlocks(d, blocks)
		peer = func(a netip.Addr) bool {
			return slices.ContainsFunc(blocks, func(b IPBlock) bool {
				return within(b.CIDR, a) && !slices.ContainsFunc(b.Except, func(e string) bool { return within(e, a) })
			})
		}
	}
	proto := one(g, "", "tcp", "udp", "sctp")
	var ports []PortTerm
	if proto != "" {
		for range g.IntN(4) {
			lo := int32(1 + g.IntN(8))
			ports = append(ports, PortTerm{lo, one(g, lo, lo+3)})
		}
		l4 = L4(proto, ports)
	}
	return familyValue{NetpolMatch(d, l3, l4, "pg"), func(p Packet) bool {
		lport, a := p.ends(d)
		return fuzzEnv.PortGroupHas("pg", lport) && peer(a) && (proto == "" || string(p.Proto) == proto && (ports == nil ||
			slices.ContainsFunc(ports, func(t PortTerm) bool { return t.Lo <= int32(p.DstPort) && int32(p.DstPort) <= t.Hi })))
	}}
}

func (g gen) egressFirewall() familyValue {
	var dst string
	var to func(netip.Addr) bool
	switch g.IntN(3) {
	case 0:
		cidr := one(g, "0.0.0.0/0", "10.0.0.0/8", "::/0", "fd01::/64", "8.8.8.8/32")
		cluster := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16"), netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/48")}
		dst = EFNetwork(cidr, cluster)
		to = func(a netip.Addr) bool {
			return within(cidr, a) && !slices.ContainsFunc(cluster, func(c netip.Prefix) bool { return c.Contains(a) })
		}
	case 1:
		ips := []string{one(g, hosts4...), one(g, hosts6...), one(g, hosts4...)}
		dst = EFNodes(ips)
		to = func(a netip.Addr) bool { return slices.Contains(ips, a.String()) }
	default:
		v4, v6 := g.modes()
		dst = EFDNS("a4", "a6", v4, v6)
		to = func(a netip.Addr) bool { return v4 && member("a4", a) || v6 && member("a6", a) }
	}
	var ports []EFPort
	for range g.IntN(4) {
		ports = append(ports, EFPort{one(g, "UDP", "TCP", "SCTP"), int32(g.IntN(8))})
	}
	return familyValue{EFMatch(dst, "pg", EFL4(ports)), func(p Packet) bool {
		return fuzzEnv.PortGroupHas("pg", p.InPort) && to(p.Dst) && (ports == nil || slices.ContainsFunc(ports, func(e EFPort) bool {
			return strings.ToLower(e.Protocol) == string(p.Proto) && (e.Port == 0 || e.Port == int32(p.DstPort))
		}))
	}}
}

// transient says whether the address is an IPv6 group with the T flag.
func transient(a netip.Addr) bool { return a.Is6() && a.As16()[0] == 0xff && a.As16()[1]>>4&1 == 1 }

// group says whether the address is an IPv4 group.
func group(a netip.Addr) bool { return a.Is4() && a.IsMulticast() }

func (g gen) multicast() familyValue {
	d := one(g, Ingress, Egress)
	v4, v6 := g.modes()
	if g.IntN(3) == 0 {
		return familyValue{MulticastInterNode(d, "pg"), func(p Packet) bool {
			lport, _ := p.ends(d)
			return fuzzEnv.PortGroupHas("pg", lport) && (group(p.Dst) || transient(p.Dst))
		}}
	}
	return familyValue{MulticastNS(d, "pg", "a4", "a6", v4, v6), func(p Packet) bool {
		lport, _ := p.ends(d)
		from := d == Egress || member("a4", p.Src) || member("a6", p.Src)
		return fuzzEnv.PortGroupHas("pg", lport) && from && (v4 && group(p.Dst) || v6 && transient(p.Dst))
	}}
}

// fixed are the matches of which there is but one for each choice of families.
func (g gen) fixed() familyValue {
	d := one(g, Ingress, Egress)
	inGroup := func(p Packet) bool {
		lport, _ := p.ends(d)
		return fuzzEnv.PortGroupHas("pg", lport)
	}
	switch g.IntN(5) {
	case 0:
		v4, v6 := g.modes()
		return familyValue{HairpinMatch(v4, v6, "", ""), func(p Packet) bool {
			return v4 && p.Src == addr("169.254.169.5") || v6 && p.Src == addr("fd69::5")
		}}
	case 1:
		ip := one(g, one(g, hosts4...), one(g, hosts6...))
		return familyValue{NodeMatch(ip), func(p Packet) bool { return p.Src == addr(ip) }}
	case 2:
		return familyValue{ARPMatch(d, "pg"), func(Packet) bool { return false }}
	case 3:
		return familyValue{ICMPMatch(d, "pg"), func(p Packet) bool { return inGroup(p) && (p.Proto == ICMP || p.Proto == ICMP6) }}
	}
	return familyValue{DenyMatch(d, "pg"), inGroup}
}

func (g gen) family() familyValue {
	return one(g, gen.netpol, gen.netpol, gen.egressFirewall, gen.multicast, gen.fixed)(g)
}

func (g gen) packet() Packet {
	hosts := one(g, hosts4, hosts6)
	p := Packet{InPort: one(g, "ns_web", "ns_web", "ns_x"), OutPort: one(g, "ns_db", "ns_db", ""), Src: addr(one(g, hosts...)), Dst: addr(one(g, hosts...)),
		Proto: one(g, TCP, UDP, SCTP, ICMP), DstPort: uint16(1 + g.IntN(9))}
	p.EthDst = p.ethDst()
	if p.EthDst == (MAC{}) {
		p.EthDst = MAC{0x0a, 0x58, 0, 0, 0, 1}
	}
	return p
}

// What the writers of the other families write is read back byte for byte, and
// means what the values say.
func TestEvalOfAFamilyIsItsMeaning(t *testing.T) {
	hits := 0
	for seed := range uint64(rounds) {
		g := gen{rand.New(rand.NewPCG(seed, 4))}
		v := g.family()
		e := mustParse(t, v.text)
		if e.String() != v.text {
			t.Fatalf("%q prints back as %q", v.text, e)
		}
		for range 16 {
			p := g.packet()
			got, err := Eval(e, p, fuzzEnv)
			if bound, _ := Eval(BindSets(e, fuzzEnv), p, fuzzEnv); bound != got {
				t.Fatalf("seed %d: bound, %q says %v of %+v", seed, e, bound, p)
			}
			if err != nil || got != v.fits(p) {
				t.Fatalf("seed %d: Eval(%q, %+v) = %v, %v", seed, v.text, p, got, err)
			}
			if got {
				hits++
			}
		}
	}
	if hits < rounds/4 {
		t.Errorf("only %d of %d packets matched: the test says little", hits, 16*rounds)
	}
}

// Every term of NetworkPolicy and EgressFirewall is told, but for EgressFirewall
// ports of several protocols.
func TestTermsOfAFamilyAreTold(t *testing.T) {
	for seed := range uint64(rounds) {
		g := gen{rand.New(rand.NewPCG(seed, 5))}
		v := one(g, gen.netpol, gen.egressFirewall)(g)
		var texts, kinds []string
		for _, term := range Terms(mustParse(t, v.text)) {
			texts = append(texts, term.Text)
			kinds = append(kinds, string(term.Kind))
			if severalProtocols := strings.Contains(term.Text, ") || ("); term.Kind == TermOther && !severalProtocols {
				t.Fatalf("%q: nothing is told of %q", v.text, term.Text)
			}
		}
		if joined := strings.Join(texts, " && "); joined != v.text || !slices.Contains(kinds, string(TermPort)) {
			t.Fatalf("terms of %q: %s", v.text, fmt.Sprint(kinds, joined))
		}
	}
}
