package match

import (
	"net/netip"
	"slices"
	"testing"
)

// The matches of ovn-kubernetes.md#default-deny, #rule-rows, #ip-blocks,
// #hairpin-and-node-rows, #firewall-match and #multicast line by line.
func TestFamilyWriters(t *testing.T) {
	s := func(v ...string) []string { return v }
	block := func(cidr string, except ...string) IPBlock { return IPBlock{cidr, except} }
	nets := func(cidrs ...string) (p []netip.Prefix) {
		for _, c := range cidrs {
			p = append(p, netip.MustParsePrefix(c))
		}
		return p
	}
	const (
		policyPG = "a18090685263391312674"
		udnPG    = "a3369378147922251332"
		groups6  = "(ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
		all      = "(ip4.mcast || mldv1 || mldv2 || " + groups6 + ")"
		in4      = "(igmp || (ip4.src == $a4 && ip4.mcast))"
		in6      = "(mldv1 || mldv2 || (ip6.src == $a6 && " + groups6 + "))"
	)
	web := []PortTerm{{80, 80}}
	for _, tc := range []struct{ name, got, want string }{
		// ovn-kubernetes.md#default-deny
		{"defaultDeny ingress", DenyMatch(Ingress, "a7142533792977303281"), "outport == @a7142533792977303281"},
		{"arpAllow ingress", ARPMatch(Ingress, "a7142533792977303281"), "outport == @a7142533792977303281 && (arp || nd)"},
		{"icmpAllow ingress", ICMPMatch(Ingress, "a7142533792977303281"), "outport == @a7142533792977303281 && (icmp || icmp6)"},
		{"defaultDeny egress", DenyMatch(Egress, "a15724806612133759017"), "inport == @a15724806612133759017"},
		{"arpAllow egress", ARPMatch(Egress, "a15724806612133759017"), "inport == @a15724806612133759017 && (arp || nd)"},
		{"icmpAllow egress", ICMPMatch(Egress, "a15724806612133759017"), "inport == @a15724806612133759017 && (icmp || icmp6)"},

		// ovn-kubernetes.md#rule-rows
		{"selectors v4", NetpolSelectors(Ingress, s("B", "A"), nil, true, false), "ip4.src == {$A, $B}"},
		{"selectors v6", NetpolSelectors(Egress, nil, s("a9", "a10"), false, true), "ip6.dst == {$a10, $a9}"},
		{"selectors dual", NetpolSelectors(Egress, s("A", "B"), s("D", "C"), true, true), "(ip4.dst == {$A, $B} || ip6.dst == {$C, $D})"},
		{"selectors dual, v4 cluster", NetpolSelectors(Ingress, s("A"), s("C"), true, false), "ip4.src == {$A}"},
		{"selectors, no sets of a family", NetpolSelectors(Ingress, s("A"), nil, true, true), "ip4.src == {$A}"},
		{"any v4", NetpolAny(true, false), "ip4"},
		{"any v6", NetpolAny(false, true), "ip6"},
		{"any dual", NetpolAny(true, true), "(ip4 || ip6)"},
		{"any none", NetpolAny(false, false), "ip4"},
		{"Ingress:0:None:-1", NetpolMatch(Ingress, NetpolAny(true, false), "", policyPG), "ip4 && outport == @" + policyPG},
		{"Egress:1:tcp:-1", NetpolMatch(Egress, NetpolAny(true, false), L4("tcp", []PortTerm{{80, 80}, {443, 443}, {8000, 9000}}), policyPG),
			"ip4 && tcp && (tcp.dst=={80,443} || 8000<=tcp.dst<=9000) && inport == @" + policyPG},
		{"Egress:1:udp:-1", NetpolMatch(Egress, NetpolAny(true, false), L4("udp", []PortTerm{{53, 53}}), policyPG), "ip4 && udp && udp.dst==53 && inport == @" + policyPG},
		{"Egress:0:None:-2", NetpolMatch(Egress, NetpolBlocks(Egress, []IPBlock{block("10.244.1.5/32")}), "", policyPG), "ip4.dst == 10.244.1.5/32 && inport == @" + policyPG},
		{"Ingress:0:tcp:-1", NetpolMatch(Ingress, NetpolSelectors(Ingress, s("a3733136965153973077"), nil, true, false), L4("tcp", web), policyPG),
			"ip4.src == {$a3733136965153973077} && tcp && tcp.dst==80 && outport == @" + policyPG},
		{"whole protocol", NetpolMatch(Ingress, NetpolAny(true, true), L4("sctp", nil), "pg"), "(ip4 || ip6) && sctp && outport == @pg"},

		// ovn-kubernetes.md#ip-blocks
		{"blocks", NetpolMatch(Ingress, NetpolBlocks(Ingress, []IPBlock{block("10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16"), block("fd00::/8")}), L4("tcp", web), "pg"),
			"((ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16, 10.2.0.0/16}) || ip6.src == fd00::/8) && tcp && tcp.dst==80 && outport == @pg"},
		{"block as spelled", NetpolBlocks(Ingress, []IPBlock{block("10.1.2.3/8", "10.1.0.9/16")}), "(ip4.src == 10.1.2.3/8 && ip4.src != {10.1.0.9/16})"},
		{"block v6 with exceptions", NetpolBlocks(Egress, []IPBlock{block("FD00:0::/8", "fd01::/16")}), "(ip6.dst == FD00:0::/8 && ip6.dst != {fd01::/16})"},
		{"blocks in order", NetpolBlocks(Egress, []IPBlock{block("9.0.0.0/8"), block("1.0.0.0/8"), block("9.0.0.0/8")}),
			"(ip4.dst == 9.0.0.0/8 || ip4.dst == 1.0.0.0/8 || ip4.dst == 9.0.0.0/8)"},
		{"mapped", NetpolBlocks(Egress, []IPBlock{block("::ffff:1.2.3.4/128")}), "ip4.dst == ::ffff:1.2.3.4/128"},

		// ovn-kubernetes.md#hairpin-and-node-rows
		{"hairpin v4", HairpinMatch(true, false, "", ""), "ip4.src == 169.254.169.5"},
		{"hairpin v6", HairpinMatch(false, true, "", ""), "ip6.src == fd69::5"},
		{"hairpin dual", HairpinMatch(true, true, "", ""), "(ip4.src == 169.254.169.5 || ip6.src == fd69::5)"},
		{"node v4", NodeMatch("10.244.2.2"), "ip4.src==10.244.2.2"},
		{"node v6", NodeMatch("fd01::2"), "ip6.src==fd01::2"},

		// ovn-kubernetes.md#firewall-match
		{"EF 10000", EFMatch(EFNetwork("1.2.3.0/24", nets("10.128.0.0/14")), udnPG, EFL4([]EFPort{{"UDP", 55}})),
			"(ip4.dst == 1.2.3.0/24) && inport == @" + udnPG + " && ((udp && ( udp.dst == 55 )))"},
		{"EF 9999", EFMatch(EFNodes(s("9.9.9.9", "fc00::1", "10.0.0.1")), udnPG, ""),
			"(ip4.dst == 10.0.0.1 || ip4.dst == 9.9.9.9 || ip6.dst == fc00::1) && inport == @" + udnPG},
		{"EF 9998", EFMatch(EFNetwork("0.0.0.0/0", nets("10.128.0.0/14")), udnPG, ""), "(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14) && inport == @" + udnPG},
		{"EF 9997", EFMatch(EFNetwork("::/0", nets("10.128.0.0/14", "fd00:10::/48")), udnPG, ""), "(ip6.dst == ::/0 && ip6.dst != fd00:10::/48) && inport == @" + udnPG},
		{"EF several subnets", EFNetwork("0.0.0.0/0", nets("10.128.0.0/14", "fd00:10::/48", "10.132.0.0/14")),
			"ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.132.0.0/14"},
		{"EF only those that intersect", EFNetwork("10.128.0.0/14", nets("10.132.0.0/14", "10.128.0.0/16")), "ip4.dst == 10.128.0.0/14 && ip4.dst != 10.128.0.0/16"},
		{"EF inside a subnet", EFNetwork("10.129.2.3/24", nets("10.128.0.0/14")), "ip4.dst == 10.129.2.3/24 && ip4.dst != 10.128.0.0/14"},
		{"EF beside a subnet", EFNetwork("10.127.0.0/16", nets("10.128.0.0/14")), "ip4.dst == 10.127.0.0/16"},
		{"EF length with a zero", EFNetwork("10.0.0.0/08", nets("10.128.0.0/14")), "ip4.dst == 10.0.0.0/08 && ip4.dst != 10.128.0.0/14"},
		{"EF mapped", EFNetwork("::ffff:a00:0/104", nets("10.128.0.0/14")), "ip4.dst == ::ffff:a00:0/104 && ip4.dst != 10.128.0.0/14"},
		{"EF no network", EFNetwork("10.0.0.0/33", nets("10.128.0.0/14")), "ip4.dst == 10.0.0.0/33"},
		{"EF DNS dual", EFMatch(EFDNS("a4", "a6", true, true), "pg", ""), "(ip4.dst == $a4 || ip6.dst == $a6) && inport == @pg"},
		{"EF DNS v4", EFDNS("a4", "a6", true, false), "ip4.dst == $a4"},
		{"EF DNS v6", EFDNS("a4", "a6", false, true), "ip6.dst == $a6"},
		{"EF DNS none", EFDNS("a4", "a6", false, false), ""},
		{"EF no ports", EFL4(nil), ""},
		{"EF whole protocol", EFL4([]EFPort{{"UDP", 0}}), "((udp))"},
		{"EF two ports", EFL4([]EFPort{{"udp", 400}, {"udp", 401}}), "((udp && ( udp.dst == 400 || udp.dst == 401 )))"},
		{"EF order", EFL4([]EFPort{{"SCTP", 1}, {"TCP", 9}, {"UDP", 5}, {"TCP", 0}, {"UDP", 4}}), "((udp && ( udp.dst == 5 || udp.dst == 4 )) || (tcp) || (sctp && ( sctp.dst == 1 )))"},

		// ovn-kubernetes.md#multicast
		{"M", MulticastAny(), all},
		{"AllowInterNode egress", MulticastInterNode(Egress, "a4743249366342378346"), "inport == @a4743249366342378346 && " + all},
		{"AllowInterNode ingress", MulticastInterNode(Ingress, "a4743249366342378346"), "outport == @a4743249366342378346 && " + all},
		{"E v4", MulticastNS(Egress, "pg", "a4", "a6", true, false), "inport == @pg && ip4.mcast"},
		{"E v6", MulticastNS(Egress, "pg", "a4", "a6", false, true), "inport == @pg && (mldv1 || mldv2 || " + groups6 + ")"},
		{"E dual", MulticastNS(Egress, "pg", "a4", "a6", true, true), "inport == @pg && (ip4.mcast || (mldv1 || mldv2 || " + groups6 + "))"},
		{"I v4", MulticastNS(Ingress, "pg", "a4", "a6", true, false), "outport == @pg && " + in4},
		{"I v6", MulticastNS(Ingress, "pg", "a4", "a6", false, true), "outport == @pg && " + in6},
		{"I dual", MulticastNS(Ingress, "pg", "a4", "a6", true, true), "outport == @pg && (" + in4 + " || " + in6 + ")"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, tc.got, tc.want)
		}
	}
}

// Writers leave the caller's slices alone: they may be shared.
func TestFamilyWritersChangeNothing(t *testing.T) {
	names := []string{"b", "a"}
	NetpolSelectors(Ingress, names, names, true, true)
	EFNodes(names)
	if !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("sorted in place: %v", names)
	}
}
