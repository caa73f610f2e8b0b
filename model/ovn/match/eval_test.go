package match

import (
	"errors"
	"net/netip"
	"testing"
)

// testEnv is an Env of maps.
type testEnv struct {
	groups map[string][]string
	sets   map[string]*AddrSet
}

func (e testEnv) PortGroupHas(name, lport string) bool {
	for _, p := range e.groups[name] {
		if p == lport {
			return true
		}
	}
	return false
}

func (e testEnv) AddressSet(name string) (*AddrSet, bool) {
	s, ok := e.sets[name]
	return s, ok
}

func addr(s string) netip.Addr {
	if s == "" {
		return netip.Addr{}
	}
	return netip.MustParseAddr(s)
}

func tcpPacket(in, out, src, dst string, port uint16) Packet {
	return Packet{InPort: in, OutPort: out, Src: addr(src), Dst: addr(dst), Proto: TCP, SrcPort: 40000, DstPort: port}
}

var fuzzEnv = testEnv{
	groups: map[string][]string{"pg": {"ns_web", "ns_db"}, "none": nil},
	sets: map[string]*AddrSet{
		"a4":    NewAddrSet([]string{"10.0.0.1", "10.1.0.0/16"}),
		"a6":    NewAddrSet([]string{"fd00::1", "fd01::/64"}),
		"empty": NewAddrSet(nil),
	},
}

var fuzzPackets = []Packet{
	tcpPacket("ns_a", "ns_web", "10.0.0.1", "10.0.0.9", 80),
	tcpPacket("ns_a", "ns_web", "fd00::1", "fd00::9", 80),
	{EthType: EthARP, Src: addr("10.0.0.1"), Dst: addr("10.0.0.2")},
	{Proto: ICMP6, Src: addr("fe80::1"), Dst: addr("ff02::1"), ICMPType: 135},
	{Proto: IGMP, Src: addr("10.0.0.1"), Dst: addr("224.0.0.5"), VLAN: 0x1005, EthSrc: MAC{0x0a, 0x58, 1}},
}

type verdict string

const (
	yes  verdict = "yes"
	no   verdict = "no"
	unk  verdict = "unknown field"
	mute verdict = "packet does not say"
)

func judge(t *testing.T, s string, p Packet, env Env) verdict {
	t.Helper()
	e := mustParse(t, s)
	ok, err := Eval(e, p, env)
	if got, why := Eval(BindSets(e, env), p, env); got != ok || (why == nil) != (err == nil) {
		t.Errorf("Eval(%q) = %v, %v; bound: %v, %v", s, ok, err, got, why)
	}
	var j *JudgeError
	switch {
	case errors.As(err, &j):
		if ok || !errors.Is(err, ErrCannotJudge) {
			t.Errorf("Eval(%q) = %v, %v", s, ok, err)
		}
		if j.Unknown {
			return unk
		}
		return mute
	case err != nil:
		t.Fatalf("Eval(%q): %v", s, err)
	case ok:
		return yes
	}
	return no
}

func TestEval(t *testing.T) {
	web := tcpPacket("ns_a", "ns_web", "10.0.0.1", "10.0.0.9", 80)
	far := tcpPacket("ns_a", "ns_web", "10.2.0.1", "10.0.0.9", 80)
	cidr := tcpPacket("ns_a", "ns_web", "10.1.200.3", "10.0.0.9", 8080)
	web6 := tcpPacket("ns_a", "ns_web", "fd00::1", "fd00::9", 443)
	out := tcpPacket("ns_db", "", "10.0.0.9", "10.0.0.1", 443)
	udp := Packet{Src: addr("10.0.0.1"), Dst: addr("10.0.0.9"), Proto: UDP, DstPort: 53}
	ping := Packet{Src: addr("10.0.0.1"), Dst: addr("10.0.0.9"), Proto: ICMP}
	ping6 := Packet{Src: addr("fd00::1"), Dst: addr("fd00::9"), Proto: ICMP}
	ns := Packet{Src: addr("fd00::1"), Dst: addr("ff02::1"), Proto: ICMP6, ICMPType: 135}
	arp := Packet{EthType: EthARP, Src: addr("10.0.0.1"), Dst: addr("10.0.0.2")}
	mc := Packet{Src: addr("10.0.0.1"), Dst: addr("224.0.0.5"), Proto: IGMP}
	mc6 := Packet{Src: addr("fe80::1"), Dst: addr("ff02::16"), Proto: ICMP6, ICMPType: 143}
	mld := Packet{Src: addr("fe80::1"), Dst: addr("ff12::1"), Proto: ICMP6, ICMPType: 131}
	noL4 := Packet{OutPort: "ns_web", Src: addr("10.0.0.1"), Dst: addr("10.0.0.9")}
	noPort := Packet{Src: addr("10.0.0.1"), Dst: addr("10.0.0.9"), Proto: TCP}
	tagged := web
	tagged.VLAN, tagged.TTL, tagged.TCPFlags, tagged.EthDst = 0x7005, 1, 0x12, MAC{0x0a, 0x58, 0, 0, 0, 2}
	asked := ns
	asked.Target = addr("fd00::1")
	far239 := Packet{Src: addr("10.0.0.1"), Dst: addr("239.255.1.2"), Proto: UDP, DstPort: 9}
	mldToOne := mld
	mldToOne.EthDst = MAC{0x0a, 0x58, 0, 0, 0, 2}
	routed := ns
	routed.TTL = 64
	var nothing Packet

	const v4None = "outport == @pg && ((ip4.src == $a4))"
	const dual = "outport == @pg && ((ip4.src == $a4 || ip6.src == $a6))"
	for _, tc := range []struct {
		expr string
		p    Packet
		want verdict
	}{
		{"1", nothing, yes}, {"0", nothing, no}, {"!(1)", nothing, no}, {"!1", nothing, no},
		// the rows of ovn-kubernetes.md#acl-match
		{v4None, web, yes}, {v4None, far, no}, {v4None, cidr, yes}, {v4None, web6, no}, {v4None, out, no},
		{dual, web, yes}, {dual, web6, yes}, {dual, far, no},
		{dual + " && tcp && tcp.dst==80", web, yes}, {dual + " && tcp && tcp.dst==80", web6, no},
		{dual + " && tcp && tcp.dst=={443,80}", web6, yes},
		{dual + " && tcp && tcp.dst=={443,80}", cidr, no},
		{dual + " && tcp && 8080<=tcp.dst<=8080", cidr, yes},
		{dual + " && tcp && (tcp.dst==81 || 79<=tcp.dst<=80)", web, yes},
		{dual + " && tcp && (tcp.dst==81 || 81<=tcp.dst<=90)", web, no},
		{dual + " && udp && udp.dst==80", web, no},
		{"inport == @pg && ((ip4.dst == $a4))", out, yes},
		{"((ip4.src == $a4)) && tcp && ((ip4.dst == 10.0.0.9 && tcp.dst == 80))", web, yes},
		{"((ip4.src == $a4)) && tcp && ((ip4.dst == 10.0.0.8 && tcp.dst == 80) || (ip4.dst == 10.0.0.9 && tcp.dst == 81))", web, no},
		{"inport == @pg && tcp && ((ip6.dst == fd00::9 && tcp.dst == 443))", web6, no},
		{"outport == @pg && tcp && ((ip6.dst == fd00::9 && tcp.dst == 443))", web6, yes},
		// protocols and families
		{"ip4", web, yes}, {"ip6", web, no}, {"ip", web6, yes}, {"ip4 || ip6", arp, no}, {"arp || nd", arp, yes},
		{"udp && udp.dst==53", udp, yes}, {"icmp", ping, yes}, {"icmp6", ping, no}, {"icmp4", ping, yes},
		{"icmp", ping6, yes}, {"icmp6", ping6, yes}, {"arp || nd", ping6, no}, {"arp || nd", ns, yes}, {"nd_ns", ns, yes},
		{"icmp4.type == 8", ping, yes}, {"icmp6.type == 128 && icmp6.code == 0", ping6, yes}, {"sctp", web, no},
		{"ip.proto == 6", web, yes}, {"ip.proto == {17, 6}", web, yes}, {"eth.type == 0x0806", arp, yes}, {"eth.type == 2054", arp, yes},
		// multicast, ovn-kubernetes.md#multicast
		{"ip4.mcast || mldv1 || mldv2", mc, yes}, {"ip4.mcast", web, no}, {"igmp", mc, yes}, {"igmp", udp, no},
		{"mldv2", mc6, yes}, {"mldv1", mc6, no}, {"mldv1", mld, yes}, {"ip6.mcast", mc6, yes},
		{"(ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)", mld, yes},
		{"(ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)", mc6, no}, {"ip6.dst[116]", mld, yes}, {"!(ip6.dst[116])", mc6, yes},
		// what a packet says of itself, and what follows when it does not
		{"vlan.present", web, no}, {"!vlan.present", web, yes}, {"vlan.vid == 5", tagged, yes}, {"vlan.vid != 5", web, no}, {"vlan.pcp == 3", tagged, yes},
		{"ip.ttl == 1", tagged, yes}, {"ip.ttl == 64", web, mute}, {"nd && ip.ttl == 255", ns, yes}, {"nd", routed, no}, {"arp || nd", routed, no},
		{"tcp.flags == 2", web, yes}, {"tcp.flags[4]", web, no}, {"tcp.flags[4]", tagged, yes}, {"tcp.flags == 2", udp, no},
		{"eth.dst == 0a:58:00:00:00:02", tagged, yes}, {"eth.dst == 01:00:5e:00:00:05", mc, yes}, {"eth.dst == 33:33:00:00:00:16", mc6, yes},
		{"eth.dst == 01:00:5e:7f:01:02", far239, yes}, {"ip.ttl == 255", ping6, mute}, {"ip.ttl == 255", mc6, mute}, {"mldv1", mldToOne, no},
		{"eth.mcast", web, mute}, {"eth.mcast", tagged, no}, {"eth.mcast && ip4", mc, yes}, {"eth.mcastv6", mld, yes}, {"ip4.mcast", web, no}, {"!ip4.mcast", web, yes},
		{"nd.target == fd00::1", asked, yes}, {"nd.target != fd00::1", asked, no}, {"nd.target == $a6", asked, yes}, {"nd.target == fd00::1", ping6, no},
		{"(( arp && arp.tpa == 10.0.0.2 ) || ( nd && nd.target == fd00::1 ))", arp, yes}, {"(( arp && arp.tpa == 10.0.0.2 ) || ( nd && nd.target == fd00::1 ))", asked, yes},
		{"(( arp && arp.tpa == 10.0.0.2 ) || ( nd && nd.target == fd00::1 ))", web, no}, {"arp.op == 1", arp, mute}, {"arp.op == 1", web, no}, {"rarp.spa == 10.0.0.1", arp, no},
		{"ct_mark.blocked == 1", web, mute}, {"reg0[7] == 1", web, mute}, {"ip.is_frag", web, mute},
		// constants
		{"ip4.src == 10.0.0.0/8", web, yes}, {"ip4.src == 10.9.9.9/8", web, yes}, {"ip4.src == 11.0.0.0/8", web, no},
		{"ip4.src == 10.0.0.1/255.0.0.255", cidr, no}, {"ip4.src == 10.0.0.3/255.0.0.255", cidr, yes},
		{"ip4.src == 0.0.0.0/0", web, yes}, {"ip4.src != 0.0.0.0/0", web, no}, {"ip4.src == 0.0.0.0/0", web6, no},
		{"ip6.src == ::/0", web6, yes}, {"ip6.src == fd00::/16", web6, yes}, {"ip6.src == FD00:0::1", web6, yes},
		{"ip4.src == 167772161", web, yes}, {"ip4.src == {10.0.0.7, 10.0.0.1}", web, yes},
		{"ip4.src != {10.0.0.7, 10.0.0.1}", web, no}, {"ip4.src != {10.0.0.7, 10.0.0.8}", web, yes},
		{"{80, 81} == tcp.dst", web, yes}, {"80 <= tcp.dst", web, yes}, {"80 < tcp.dst", web, no}, {"81 > tcp.dst", web, yes},
		{"tcp.dst >= 80", web, yes}, {"tcp.dst < 80", web, no}, {"tcp.dst <= 80", web, yes}, {"tcp.dst > 79", web, yes},
		{"81 > tcp.dst >= 80", web, yes}, {"80 > tcp.dst >= 80", web, no}, {"79 < tcp.dst < 80", web, no},
		{"tcp.dst == 0x50", web, yes}, {"tcp.dst == 0x40/0x40", web, yes}, {"tcp.dst != 0x40/0x40", web, no},
		{"tcp.dst[4..7] == 5", web, yes}, {"tcp.dst[6]", web, yes}, {"tcp.dst[7]", web, no}, {"tcp.dst[4..7] > 5", web, no},
		{"tcp == 1", web, yes}, {"tcp == 1", udp, no}, {"tcp != 0", web, yes}, {"ip4.mcast == 0", web, yes}, {"ip4.mcast == 0", web6, yes},
		{"ip4.mcast != {0, 1}", web, no}, {"ip4.mcast == {0, 1}", web, yes},
		{`outport == "ns_web"`, web, yes}, {`outport == {"x", @pg}`, web, yes}, {`outport == "ns\u005fweb"`, web, yes}, {`outport == ""`, out, yes},
		// negation: comparisons keep their prerequisites, predicates do not
		{"!(ip4.src == 10.0.0.1)", far, yes}, {"!(ip4.src == 10.0.0.1)", web, no}, {"!(ip4.src == 10.0.0.1)", web6, no},
		{"!ip4.mcast", web6, yes}, {"!ip4.mcast", mc, no}, {"!(ip4.mcast)", web, yes},
		{"!(ip4.src == 10.0.0.1 && tcp.dst == 81)", web, yes}, {"!(ip4.src == 10.0.0.1 || tcp.dst == 81)", web, no},
		{"!(!(tcp))", web, yes}, {"!(tcp.dst == {80, 81})", web, no}, {"!(tcp.dst != {80, 81})", web, yes},
		{"!(79 < tcp.dst < 81)", web, no}, {"!(80 < tcp.dst < 82)", web, yes}, {"!(80 < tcp.dst < 82)", udp, no}, {"!tcp.dst", web, no},
		{"!(tcp.dst < 80)", web, yes}, {"!(tcp.dst <= 80)", web, no}, {"!(tcp.dst > 80)", web, yes}, {"!(tcp.dst >= 80)", web, no},
		// sets
		{"ip4.src == {$a4, $empty}", web, yes}, {"ip4.src == $empty", web, no}, {"ip4.src != $a4", far, yes}, {"ip4.src != $a4", web, no},
		{"ip4.src != $empty", web, yes}, {"ip4.src != $empty", web6, yes}, {"!(ip4.src == $empty)", web6, yes}, {"ip4.src != $a4", web6, no},
		{"ip4.src == {10.9.9.9, $a4}", web, yes}, {"ip6.src == $a6", web6, yes}, {"arp.spa == $a4", arp, yes}, {"arp && arp.tpa == 10.0.0.2", arp, yes},
		{"arp && arp.tpa == 10.0.0.2", web, no},
		// an address set that does not exist refuses the row, a port group has no ports
		{"outport == @pg && ((ip4.src == $a4 || ip6.src == $gone))", web, no}, {"tcp || ip4.src == $gone", web, no},
		{"!(ip4.src == $gone)", web, no}, {"unknown || ip4.src == $gone", web, no}, {"ip4.src == {$a4, $gone}", web, no},
		{"outport == @gone || tcp", web, yes}, {"outport == @gone", web, no}, {"outport == @none", web, no},
		// connection state: a packet is the first of its connection
		{"(ip4.dst == 10.0.0.9 || ip6.dst == $a6) && ct.new", web, yes}, {"ct.est", web, no}, {"!ct.est && !ct.rel", web, yes}, {"ct.snat", web, mute},
		// what cannot be judged
		{"unknown", web, unk}, {"unknown == 1", web, unk}, {"!(unknown == 1)", web, unk}, {"1 < unknown < 3", web, unk}, {"unknown[3] == 1", web, unk},
		{"unknown == $a4", web, unk}, {`unknown == "x"`, web, unk}, {"is_it && tcp", web, unk}, {"is_it && udp", web, no}, {"udp && is_it", web, no},
		{"is_it || tcp", web, yes}, {"is_it || udp", web, unk}, {"!(is_it || ip4.dst == 10.0.0.9)", web, no}, {"reg8[30..31] == 1 && udp", web, no},
		{"ip.ttl == 64", web, mute}, {"ip.ttl == 64", arp, no}, {"eth.src == 0a:58:00:00:00:01", web, mute}, {"eth.src == $a4", web, mute},
		{"nd.target == fd00::1", web, no}, {"nd.target == fd00::1", ns, mute}, {"tcp.src == 1", noPort, mute}, {"tcp.dst == 1", noPort, mute},
		{"tcp.dst > 1", noPort, mute}, {"1 < tcp.dst < 9", noPort, mute}, {"udp.dst == 1", noPort, no}, {"tcp.dst == 1", ping, no},
		{"tcp", noL4, mute}, {"tcp && udp.dst == 3", noL4, mute}, {"ip4 && " + v4None, noL4, yes}, {"tcp.dst == 80", noL4, mute}, {"tcp == 1", noL4, mute},
		{"ip6.src == fd00::1 && tcp", noL4, no}, {"ip4", nothing, mute}, {"ip4.src == $a4", nothing, mute}, {"ip4.src[0..7] == $a4", web, mute},
	} {
		if got := judge(t, tc.expr, tc.p, fuzzEnv); got != tc.want {
			t.Errorf("Eval(%q, %+v) = %s, want %s", tc.expr, tc.p, got, tc.want)
		}
	}
	if got := judge(t, "ip4.src == $a4 || outport == @pg", web, nil); got != no {
		t.Errorf("without an Env: %s", got)
	}
	if _, err := Eval(nil, web, nil); !errors.Is(err, ErrCannotJudge) {
		t.Errorf("Eval(nil): %v", err)
	}
}

func TestJudgeErrorText(t *testing.T) {
	for expr, want := range map[string]string{
		"foo.bar == 1": "cannot be judged: unknown field foo.bar",
		"ip.ttl == 1":  "cannot be judged: the packet does not say ip.ttl",
	} {
		_, err := Eval(mustParse(t, expr), fuzzPackets[0], fuzzEnv)
		if err == nil || err.Error() != want {
			t.Errorf("Eval(%q): %v, want %s", expr, err, want)
		}
	}
}

// Every corpus line can be judged for an ordinary packet, except what asks for
// registers.
func TestCorpusCanBeJudged(t *testing.T) {
	for _, s := range corpus(t) {
		e := mustParse(t, s)
		env := testEnv{groups: map[string][]string{}, sets: map[string]*AddrSet{}}
		for _, r := range Refs(e) {
			if r.Kind == RefAddressSet {
				env.sets[r.Name] = NewAddrSet([]string{"10.0.0.1", "fd00::1"})
			} else {
				env.groups[r.Name] = []string{"ns_a", "ns_web"}
			}
		}
		for _, p := range fuzzPackets[:2] {
			_, err := Eval(e, p, env)
			var j *JudgeError
			if err != nil && (!errors.As(err, &j) || j.Field != "reg8") {
				t.Errorf("Eval(%q): %v", s, err)
			}
		}
	}
}

func TestAddrSet(t *testing.T) {
	s := NewAddrSet([]string{"10.0.0.1", "10.0.0.1", "10.2.3.4/16", "10.2.3.4/15", "192.0.2.1/32", "0.0.0.0/33", "",
		"fd00::1", "FD00:0:0:1::5/64", "fe80::/10", "fd00::9/128", "x", "0a:58:00:00:00:01", "7.0.0.9/255.0.0.255", "fd07::9/ffff::ffff"})
	if s.Len() != 11 {
		t.Errorf("Len = %d", s.Len())
	}
	for a, want := range map[string]bool{
		"10.0.0.1": true, "10.0.0.2": false, "10.2.200.1": true, "10.3.0.0": true, "10.4.0.0": false, "192.0.2.1": true, "192.0.2.2": false,
		"fd00::1": true, "fd00::2": false, "fd00:0:0:1:ffff::": true, "fd00:0:0:2::": false, "febf::1": true, "fec0::1": false, "fd00::9": true,
		"::ffff:10.0.0.1": false, "7.1.2.9": true, "7.1.2.8": false, "fd07:1::9": true, "fd07:1::8": false,
	} {
		if got := s.Contains(addr(a)); got != want {
			t.Errorf("Contains(%s) = %v", a, got)
		}
	}
	if s.Contains(netip.Addr{}) || NewAddrSet(nil).Contains(addr("10.0.0.1")) {
		t.Error("an invalid address or an empty set matches")
	}
	all := NewAddrSet([]string{"0.0.0.0/0", "::/0"})
	if !all.Contains(addr("255.255.255.255")) || !all.Contains(addr("::")) || !all.Contains(addr("0.0.0.0")) {
		t.Error("/0 does not contain everything")
	}
}
