package match

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The grammar of ovn-kubernetes.md#acl-match line by line.
func TestWriters(t *testing.T) {
	p := func(lohi ...int32) (terms []PortTerm) {
		for i := 0; i < len(lohi); i += 2 {
			terms = append(terms, PortTerm{lohi[i], lohi[i+1]})
		}
		return terms
	}
	n := func(ip string, port int32) NamedItem { return NamedItem{ip, port} }
	in := RuleMatch{Ingress, "pg", "a4", "a6", true, false}
	eg := RuleMatch{Egress, "pg", "a4", "a6", true, true}
	harry := RuleMatch{Ingress, "a11812002181470226204", "a11691711361400804483", "a11691713560424060905", true, true}
	seed := RuleMatch{Direction: Ingress, PortGroup: "a14645450421485494999", Set4: "a6786643370959569281", V4: true}
	for _, tc := range []struct{ name, got, want string }{
		{"lport(Ingress)", LPort(Ingress, "pg"), "outport == @pg"},
		{"lport(Egress)", LPort(Egress, "pg"), "inport == @pg"},
		{"side(Ingress)", PeerSide(Ingress), "src"},
		{"side(Egress)", PeerSide(Egress), "dst"},
		{"l3 v4", L3("src", "a4", "a6", true, false), "((ip4.src == $a4))"},
		{"l3 v6", L3("dst", "a4", "a6", false, true), "((ip6.dst == $a6))"},
		{"l3 dual", L3("src", "a4", "a6", true, true), "((ip4.src == $a4 || ip6.src == $a6))"},
		{"l3 none", L3("src", "a4", "a6", false, false), ""},
		{"None", in.PortlessMatch(), "outport == @pg && ((ip4.src == $a4))"},
		{"None egress", eg.PortlessMatch(), "inport == @pg && ((ip4.dst == $a4 || ip6.dst == $a6))"},
		{"numeric", in.NumericMatch("tcp", p(80, 80)), "outport == @pg && ((ip4.src == $a4)) && tcp && tcp.dst==80"},
		{"numeric, no protocol", in.NumericMatch("", p(80, 80)), "outport == @pg && ((ip4.src == $a4)) &&  && .dst==80"},
		{"named ingress", in.NamedPortMatch("tcp", []NamedItem{n("10.0.0.1", 80)}), "((ip4.src == $a4)) && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80))"},
		{"named egress", eg.NamedPortMatch("udp", []NamedItem{n("10.0.0.1", 80), n("fe00::1", 81)}),
			"inport == @pg && udp && ((ip4.dst == 10.0.0.1 && udp.dst == 80) || (ip6.dst == fe00::1 && udp.dst == 81))"},
		{"l4 protocol", L4("sctp", nil), "sctp"},
		{"l4 one", L4("tcp", p(80, 80)), "tcp && tcp.dst==80"},
		{"l4 two", L4("tcp", p(443, 443, 80, 80)), "tcp && tcp.dst=={443,80}"},
		{"l4 not freed of duplicates", L4("tcp", p(80, 80, 80, 80)), "tcp && tcp.dst=={80,80}"},
		{"l4 range", L4("tcp", p(100, 200)), "tcp && 100<=tcp.dst<=200"},
		{"l4 one and range", L4("tcp", p(100, 200, 80, 80)), "tcp && (tcp.dst==80 || 100<=tcp.dst<=200)"},
		{"l4 ranges", L4("tcp", p(300, 400, 100, 200)), "tcp && (300<=tcp.dst<=400 || 100<=tcp.dst<=200)"},
		{"l4 range of one", L4("udp", p(1, 65535, 7, 7, 9, 9)), "udp && (udp.dst=={7,9} || 1<=udp.dst<=65535)"},
		{"worked example", harry.NumericMatch("sctp", p(1345, 1345)),
			"outport == @a11812002181470226204 && ((ip4.src == $a11691711361400804483 || ip6.src == $a11691713560424060905)) && sctp && sctp.dst==1345"},
		{"as the ANP page shows it", seed.NamedPortMatch("tcp", []NamedItem{n("10.244.1.4", 8080), n("10.244.2.8", 8080), n("10.244.2.8", 8080)}),
			"((ip4.src == $a6786643370959569281)) && tcp && ((ip4.dst == 10.244.1.4 && tcp.dst == 8080) || (ip4.dst == 10.244.2.8 && tcp.dst == 8080) || (ip4.dst == 10.244.2.8 && tcp.dst == 8080))"},
		{"port term", PortTerm{80, 80}.String() + " " + PortTerm{1, 9}.String(), "80 1-9"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestItemsOf(t *testing.T) {
	for _, c := range []struct {
		match, lead string
		items       []NamedItem
		ok          bool
	}{
		{"", "", nil, false},
		{"inport == @a1 && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80) || (ip6.dst == fd00::1 && tcp.dst == 81))", "inport == @a1",
			[]NamedItem{{"10.0.0.1", 80}, {"fd00::1", 81}}, true},
		{"inport == @a1 && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80) || tcp.dst == 81)", "", nil, false},
		{"inport == @a1 && tcp && tcp.dst==80", "", nil, false},
		{"inport == @a1", "", nil, false},
		{"inport == @a1 && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80)) && ip4.ttl == 1", "", nil, false},
		{"inport == @a1 && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 080))", "", nil, false},
		{"tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 80))", "", nil, false},
	} {
		items, lead, ok := ParseNamedMatch(c.match, "tcp")
		if ok != c.ok || lead != c.lead {
			t.Errorf("%s: %q, %v", c.match, lead, ok)
		}
		if diff := cmp.Diff(c.items, items); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.match, diff)
		}
	}
}
