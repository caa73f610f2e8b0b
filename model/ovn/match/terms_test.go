package match

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	s := func(v ...string) []string { return v }
	port := func(text, field, pg string) Term {
		return Term{Kind: TermPort, Text: text, Field: field, PortGroups: s(pg)}
	}
	sets := func(text, side string, names ...string) Term {
		return Term{Kind: TermAddresses, Text: text, Field: side, AddressSets: names}
	}
	proto := func(text string, p ...string) Term { return Term{Kind: TermProtocol, Text: text, Protocols: p} }
	ports := func(text, proto string, lohi ...int32) Term {
		term := Term{Kind: TermPorts, Text: text, Field: "dst", Protocols: s(proto)}
		for i := 0; i < len(lohi); i += 2 {
			term.Ports = append(term.Ports, PortTerm{lohi[i], lohi[i+1]})
		}
		return term
	}
	other := func(text string, sets ...string) Term { return Term{Kind: TermOther, Text: text, AddressSets: sets} }

	for _, tc := range []struct {
		expr string
		want []Term
	}{
		{"outport == @pg && ((ip4.src == $a4 || ip6.src == $a6)) && tcp && (tcp.dst=={443,80} || 100<=tcp.dst<=200)", []Term{
			port("outport == @pg", "outport", "pg"),
			sets("((ip4.src == $a4 || ip6.src == $a6))", "src", "a4", "a6"),
			proto("tcp", "tcp"),
			ports("(tcp.dst=={443,80} || 100<=tcp.dst<=200)", "tcp", 443, 443, 80, 80, 100, 200)}},
		{"inport == @pg && ((ip4.dst == $a4)) && udp && udp.dst==53", []Term{
			port("inport == @pg", "inport", "pg"), sets("((ip4.dst == $a4))", "dst", "a4"), proto("udp", "udp"), ports("udp.dst==53", "udp", 53, 53)}},
		{"((ip4.src == $a4)) && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80) || (ip6.dst == fe00::1 && tcp.dst == 81))", []Term{
			sets("((ip4.src == $a4))", "src", "a4"), proto("tcp", "tcp"),
			{Kind: TermNamedPorts, Text: "((ip4.dst == 10.0.0.1 && tcp.dst == 80) || (ip6.dst == fe00::1 && tcp.dst == 81))", Field: "dst",
				Protocols: s("tcp"), Items: []NamedItem{{"10.0.0.1", 80}, {"fe00::1", 81}}}}},
		{"inport == @pg && udp && ((ip4.dst == 10.0.0.1 && udp.dst == 53))", []Term{
			port("inport == @pg", "inport", "pg"), proto("udp", "udp"),
			{Kind: TermNamedPorts, Text: "((ip4.dst == 10.0.0.1 && udp.dst == 53))", Field: "dst", Protocols: s("udp"), Items: []NamedItem{{"10.0.0.1", 53}}}}},
		// other families
		{"(ip4.src == {$a, $b} || ip6.src == {$c}) && outport == @pg", []Term{
			sets("(ip4.src == {$a, $b} || ip6.src == {$c})", "src", "a", "b", "c"), port("outport == @pg", "outport", "pg")}},
		{"((ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16, 10.2.0.0/16}) || ip6.src == fd00::/8) && tcp", []Term{
			{Kind: TermAddresses, Text: "((ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16, 10.2.0.0/16}) || ip6.src == fd00::/8)", Field: "src",
				Addresses: s("10.0.0.0/8", "fd00::/8"), Except: s("10.1.0.0/16", "10.2.0.0/16")}, proto("tcp", "tcp")}},
		{"(ip4 || ip6) && (arp || nd)", []Term{proto("(ip4 || ip6)", "ip4", "ip6"), proto("(arp || nd)", "arp", "nd")}},
		{`outport == "lsp" && (arp || nd || (tcp.dst == 80 || icmp))`, []Term{
			{Kind: TermPort, Text: `outport == "lsp"`, Field: "outport", Names: s("lsp")}, other("(arp || nd || (tcp.dst == 80 || icmp))")}},
		{"(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14) && inport == @pg", []Term{
			{Kind: TermAddresses, Text: "(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14)", Field: "dst", Addresses: s("0.0.0.0/0"), Except: s("10.128.0.0/14")},
			port("inport == @pg", "inport", "pg")}},
		{"(ip4.dst == $a) && inport == @pg && ((udp && ( udp.dst == 400 || udp.dst == 401 )))", []Term{
			sets("(ip4.dst == $a)", "dst", "a"), port("inport == @pg", "inport", "pg"),
			ports("((udp && ( udp.dst == 400 || udp.dst == 401 )))", "udp", 400, 400, 401, 401)}},
		{"(ip4.dst == $a) && inport == @pg && ((udp) || (tcp))", []Term{
			sets("(ip4.dst == $a)", "dst", "a"), port("inport == @pg", "inport", "pg"), proto("((udp) || (tcp))", "udp", "tcp")}},
		{"(ip4.dst == $a) && ((udp && ( tcp.dst == 1 ))) && ((udp) || (tcp && ( tcp.dst == 1 )))", []Term{
			sets("(ip4.dst == $a)", "dst", "a"), other("((udp && ( tcp.dst == 1 )))"), other("((udp) || (tcp && ( tcp.dst == 1 )))")}},
		{"(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.132.0.0/14) && inport == @pg", []Term{
			{Kind: TermAddresses, Text: "(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.132.0.0/14)", Field: "dst",
				Addresses: s("0.0.0.0/0"), Except: s("10.128.0.0/14", "10.132.0.0/14")}, port("inport == @pg", "inport", "pg")}},
		{"(inport == @pg && tcp)", []Term{port("inport == @pg", "inport", "pg"), proto("tcp", "tcp")}},
		{"(ip4.src == 10.0.0.0/8 && ip4.src != 10.1.0.0/16)", []Term{
			{Kind: TermAddresses, Text: "(ip4.src == 10.0.0.0/8 && ip4.src != 10.1.0.0/16)", Field: "src", Addresses: s("10.0.0.0/8"), Except: s("10.1.0.0/16")}}},
		// what is no such term is other
		{"ip4.src == $a && !(ip4.dst == $b)", []Term{sets("ip4.src == $a", "src", "a"), other("!(ip4.dst == $b)", "b")}},
		{"(ip4.src == $a || ip4.dst == $b)", []Term{other("(ip4.src == $a || ip4.dst == $b)", "a", "b")}},
		{"(ip4.src == $a && ip4.dst == $a) || tcp", []Term{other("(ip4.src == $a && ip4.dst == $a) || tcp", "a")}},
		{"(inport == @p || outport == @q)", []Term{{Kind: TermOther, Text: "(inport == @p || outport == @q)", PortGroups: s("p", "q")}}},
		{"ip4.src != $a && tcp.dst != 80 && tcp.dst > 80 && 1 < tcp.dst < 9 && (tcp.dst==1 || udp.dst==1)", []Term{
			other("ip4.src != $a", "a"), other("tcp.dst != 80"), other("tcp.dst > 80"), other("1 < tcp.dst < 9"), other("(tcp.dst==1 || udp.dst==1)")}},
		{"(ip4.dst == 10.0.0.0/8 && tcp.dst == 80)", []Term{{Kind: TermAddresses, Text: "ip4.dst == 10.0.0.0/8", Field: "dst", Addresses: s("10.0.0.0/8")}, ports("tcp.dst == 80", "tcp", 80, 80)}},
		{"1 && unknown == 3 && ip4.src[0] && ip4.src == 167772161", []Term{other("1"), other("unknown == 3"), other("ip4.src[0]"), other("ip4.src == 167772161")}},
	} {
		if d := cmp.Diff(tc.want, Terms(mustParse(t, tc.expr))); d != "" {
			t.Errorf("Terms(%q) (-want +got):\n%s", tc.expr, d)
		}
	}
	if Terms(nil) != nil {
		t.Error("Terms(nil) is not nil")
	}
}
