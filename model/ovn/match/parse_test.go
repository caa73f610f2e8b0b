package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpus is the lines of testdata/matches.txt.
func corpus(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile("testdata/matches.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var lines []string
	for l := range strings.Lines(string(data)) {
		l = strings.TrimSuffix(l, "\n")
		if l != "" && l[0] != '#' {
			lines = append(lines, l)
		}
	}
	return lines
}

func mustParse(tb testing.TB, s string) Expr {
	tb.Helper()
	e, err := Parse(s)
	if err != nil {
		tb.Fatalf("Parse(%q): %v", s, err)
	}
	return e
}

func TestCorpusPrintsBack(t *testing.T) {
	for _, s := range corpus(t) {
		if got := mustParse(t, s).String(); got != s {
			t.Errorf("Parse(%q).String() = %q", s, got)
		}
	}
}

// Layout nobody at OVN-Kubernetes writes must survive too.
func TestLayoutPrintsBack(t *testing.T) {
	for _, s := range []string{
		"1", "0", "(1)", "!(1)", "!ip4.mcast", "! ( ip4.mcast )", "!ct.new",
		"tcp.dst == 80", "tcp.dst==80", "tcp.dst ==80", "tcp.dst== 80", "tcp.dst\t==\n80",
		"80==tcp.dst", "80 <= tcp.dst", "{80, 81} == tcp.dst",
		"1<tcp.dst<3", "1 <= tcp.dst <= 3", "3>tcp.dst >=1", "0x10<= tcp.dst <0x20",
		"tcp.dst=={80}", "tcp.dst == { 80 , 81,82 }", "tcp.dst == {80 81}", "tcp.dst == {80,}", "tcp.dst == {80, 81, }",
		"ip4.src == 10.0.0.0/255.0.255.0", "ip6.src == fe80::/ffff::", "ip6.src == ::", "ip6.src == ::ffff:1.2.3.4",
		"eth.src == 0a:58:0A:f4:02:06", "eth.src == 01:00:00:00:00:00/01:00:00:00:00:00",
		"ip.proto == 0x6", "tcp.dst == 0x50/0xf0", "tcp.dst == 0/0x1", "tcp.dst[0..7] == 1", "tcp.dst [ 0 .. 7 ] == 1", "ip6.dst[127]",
		"a == b::1", "unknown.field == 3", "unknown.bit", "unknown[1..3] == 4",
		`inport == "a \"b\" \u00e9"`, `inport == {"a", @b}`, `inport == ""`,
		"tcp /* no port */ && tcp.dst == 80", "tcp && // all\ntcp.dst == 80",
		"tcp&&tcp.dst==80 &&  ip4", "ip4||ip6", "ip4 ||ip6|| arp",
		"!ip.proto", "!icmp6.type", "inport == {@a, \"b\" @c,}", "eth.dst[40]", "ff:ff:ff:ff:ff:ff == eth.dst",
		"tcp == 1", "tcp != 0", "!(tcp == 0)", "!(!(tcp))", "!tcp.dst", "!(inport != @pg)",
	} {
		if got := mustParse(t, s).String(); got != s {
			t.Errorf("Parse(%q).String() = %q", s, got)
		}
	}
	for s, want := range map[string]string{
		"  tcp ": "tcp", "/**/tcp// end": "tcp", "\n(tcp)\n": "(tcp)",
	} {
		if got := mustParse(t, s).String(); got != want {
			t.Errorf("Parse(%q).String() = %q", s, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("(", MaxDepth+1) + "ip4" + strings.Repeat(")", MaxDepth+1)
	for _, tc := range []struct {
		in     string
		offset int
		want   string
	}{
		{"", 0, "expected a field, a constant or ("},
		{" ", 1, "expected a field, a constant or ("},
		{"tcp &&", 6, "expected a field, a constant or ("},
		{"tcp && ", 7, "expected a field, a constant or ("},
		{"tcp & udp", 4, "expected &&"},
		{"tcp | udp", 4, "expected ||"},
		{"tcp udp", 4, "expected the end, && or ||"},
		{"(tcp", 4, "expected ) or a logical operator"},
		{"tcp)", 3, "expected the end, && or ||"},
		{"tcp && udp || ip4", 11, "&& and || must be parenthesised when used together"},
		{"!tcp.dst == 80", 1, "the operand of ! needs parentheses"},
		{"!1 < tcp.dst < 3", 1, "the operand of ! needs parentheses"},
		{"!!ip4.mcast", 1, "expected a field, a constant or ("},
		{"tcp.dst = 80", 8, "expected =="},
		{"tcp.dst 80", 0, "tcp.dst has several bits: write != 0"},
		{"tcp.dst ==", 10, "expected a constant"},
		{"tcp.dst == tcp.src", 11, "expected a constant"},
		{"tcp.dst == {}", 12, "expected a constant"},
		{"tcp.dst == {80", 14, "expected a constant"},
		{"tcp.dst == {,80}", 12, "expected a constant"},
		{"tcp.dst == 080", 11, "expected a decimal number without leading zeros"},
		{"tcp.dst == 0x", 11, "expected hexadecimal digits after 0x"},
		{"tcp.dst == 0xg", 11, "expected a hexadecimal digit"},
		{"tcp.dst == 18446744073709551616", 11, "expected a decimal number below 2^64"},
		{"ip6.dst == 0x100000000000000000000000000000000", 11, "expected a hexadecimal number of at most 128 bits"},
		{"ip4.dst == 10.0.0", 11, "expected a number or an address"},
		{"ip4.dst == 10.0.0.1/33", 11, "expected a mask of the value's own form"},
		{"ip4.dst == 10.0.0.1/", 11, "expected a number"},
		{"ip4.dst == 10.0.0.1:80", 19, "expected a field, a constant, an operator or a parenthesis"},
		{"ip6.dst == fe80::1%eth0", 18, "expected a field, a constant, an operator or a parenthesis"},
		{"80", 2, "expected a relational operator"},
		{"2 && tcp", 2, "expected a relational operator"},
		{"{1}", 3, "expected a relational operator"},
		{"80 == 80", 6, "expected a field"},
		{"1 < tcp.dst > 3", 12, "a range has the form x < field < y or x > field > y"},
		{"1 == tcp.dst == 3", 13, "a range has the form x < field < y or x > field > y"},
		{"{1} < tcp.dst < 3", 0, "only == and != may be used with sets, names and masks"},
		{"1 < tcp.dst < {3}", 0, "only == and != may be used with sets, names and masks"},
		{"tcp.dst < {3}", 0, "only == and != may be used with sets, names and masks"},
		{"ip4.src < $as", 0, "only == and != may be used with sets, names and masks"},
		{"ip4.src < 10.0.0.0/8", 0, "only == and != may be used with sets, names and masks"},
		{"inport < \"a\"", 0, "only == and != may be used with sets, names and masks"},
		{"inport != @pg", 0, "inport may only be tested for equality"},
		{"!(inport == @pg)", 2, "inport may only be tested for equality"},
		{"ip.proto < 6", 0, "ip.proto may only be tested for equality"},
		{"ip.proto[0..3] == 6", 8, "ip.proto may only be tested as a whole"},
		{"!tcp", 1, "tcp may not be negated"},
		{"!mldv2", 1, "mldv2 may not be negated"},
		{"!(ip.ttl == 64)", 2, "ip.ttl may only be tested for equality"},
		{"arp.op > 1", 0, "arp.op may only be tested for equality"},
		{"vlan.vid == 4096", 0, "4096 of 13 bits does not fit vlan.vid of 12 bits"},
		{"vlan.vid[12]", 8, "vlan.vid has only 12 bits"},
		{"tcp.flags", 0, "tcp.flags has several bits: write != 0"},
		{"nd.target == 0a:58:00:00:00:01 || tcp && ip4", 38, "&& and || must be parenthesised when used together"},
		{"tcp == 0", 0, "tcp may not be negated"},
		{"tcp != 1", 0, "tcp may not be negated"},
		{"!(tcp == 1)", 2, "tcp may not be negated"},
		{"ip4.mcast < 1", 0, "ip4.mcast may only be tested for equality"},
		{"tcp.dst", 0, "tcp.dst has several bits: write != 0"},
		{"inport", 6, "expected a relational operator"},
		{"inport[0] == 1", 6, "inport is a string and has no bits"},
		{"tcp.dst[16] == 1", 7, "tcp.dst has only 16 bits"},
		{"tcp.dst[7..6] == 1", 7, "the first bit must not be above the last"},
		{"tcp.dst[ == 1", 9, "expected a bit number"},
		{"tcp.dst[1.. == 1", 12, "expected a bit number"},
		{"tcp.dst[1 == 1", 10, "expected ] or .."},
		{"unknown[1024]", 8, "expected a bit number"},
		{"tcp.dst == \"a\"", 0, "tcp.dst is compared with numbers"},
		{"tcp.dst == @pg", 0, "tcp.dst is compared with numbers"},
		{"inport == 3", 0, "inport is compared with port groups and names"},
		{"inport == $as", 0, "inport is compared with port groups and names"},
		{"x == {1, \"a\"}", 0, "a set holds either names or numbers"},
		{"tcp.dst == 65536", 0, "65536 of 17 bits does not fit tcp.dst of 16 bits"},
		{"ip4.src == fe80::1", 0, "fe80::1 of 128 bits does not fit ip4.src of 32 bits"},
		{"tcp.dst == 10.0.0.1", 0, "10.0.0.1 of 32 bits does not fit tcp.dst of 16 bits"},
		{"ip4.src == $", 11, "expected a name after $"},
		{"ip4.src == $1", 11, "expected a name after $"},
		{"inport == @-", 10, "expected a name after @"},
		{"inport == \"a", 10, `expected a closing "`},
		{`inport == "\q"`, 10, "expected a string with JSON escapes"},
		{"tcp /* never ends", 4, "expected */ on the same line"},
		{"tcp /* ends\n late */", 4, "expected */ on the same line"},
		{`is_chassis_resident("a")`, 19, "functions are not supported"},
		{"tcp \x00", 4, "expected a field, a constant, an operator or a parenthesis"},
		{deep, MaxDepth, "parentheses are nested too deeply"},
		{strings.Repeat(" ", MaxLength+1), MaxLength, "an expression may have 1048576 bytes"},
	} {
		e, err := Parse(tc.in)
		var syn *SyntaxError
		if !errors.As(err, &syn) {
			t.Errorf("Parse(%.80q) = %v, %v; want a SyntaxError", tc.in, e, err)
			continue
		}
		if syn.Offset != tc.offset || syn.Want != tc.want {
			t.Errorf("Parse(%.80q): offset %d, %q; want %d, %q", tc.in, syn.Offset, syn.Want, tc.offset, tc.want)
		}
	}
	_, err := Parse("tcp && \x1b[31m\u202eudp")
	if want := `match expression: at offset 7, before "\x1b[31m\u202eudp": expected a field, a constant, an operator or a parenthesis`; err == nil || err.Error() != want {
		t.Errorf("error text:\n got %v\nwant %s", err, want)
	}
	_, err = Parse("tcp &&")
	if want := "match expression: at offset 6, before the end: expected a field, a constant or ("; err == nil || err.Error() != want {
		t.Errorf("error text:\n got %v\nwant %s", err, want)
	}
}

func TestDepthAtTheLimit(t *testing.T) {
	s := strings.Repeat("(", MaxDepth) + "ip4" + strings.Repeat(")", MaxDepth)
	if got := mustParse(t, s).String(); got != s {
		t.Error("an expression as deep as allowed does not print back")
	}
}

// Every predicate's and prerequisite's definition must have been read.
func TestSymbols(t *testing.T) {
	for name, s := range symbols {
		if s.name != name || s.missingError == nil {
			t.Errorf("symbol %s is incomplete", name)
		}
		parent, _, dotted := strings.Cut(name, ".")
		isBit := parent == "ct" || dotted && symbols[parent] != nil && symbols[parent].body == nil
		if s.width == 1 && s.source == fromNone && s.body == nil && !isBit {
			t.Errorf("predicate %s has no body", name)
		}
		if dotted && s.body == nil && symbols[parent] != nil && symbols[parent].body != nil && s.prereq == nil {
			t.Errorf("field %s has no prerequisite", name)
		}
		for _, e := range []Expr{s.body, s.prereq} {
			hasLeafWhere(e, func(l Expr) bool {
				if f, ok := testedField(l); ok && f.sym == nil {
					t.Errorf("%s is defined by the unknown %s", name, f)
				}
				return false
			})
		}
	}
	for name, want := range map[string]bool{"ip4": true, "ip": true, "tcp": true, "nd": true, "ip4.mcast": false, "ip6.mcast": false, "vlan.present": false, "mldv1": true, "igmp": true, "ip6.mcast_flood": false} {
		if symbols[name].nominal != want {
			t.Errorf("%s: nominal = %v", name, !want)
		}
	}
}

func TestConstants(t *testing.T) {
	for text, want := range map[string]string{
		"10.1.2.3": "10.1.2.3/32", "10.1.2.3/8": "10.0.0.0/8", "0.0.0.0/0": "0.0.0.0/0",
		"10.1.2.3/255.255.0.0": "10.1.0.0/16", "10.1.2.3/255.0.255.0": "no",
		"FE80::1": "fe80::1/128", "fe80::1/64": "fe80::/64", "::/0": "::/0", "fe80::1/ffff::": "fe80::/16",
		"80": "no", "0a:58:00:00:00:01": "no",
	} {
		c, problem := parseNumber(text)
		if problem != "" {
			t.Errorf("%s: %s", text, problem)
			continue
		}
		got := "no"
		if p, ok := c.Prefix(); ok {
			got = p.String()
		}
		if got != want {
			t.Errorf("%s: prefix %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"80": "80 true", "0x50": "80 true", "0x50/0xf0": "80 false", "10.0.0.1": "167772161 false",
		"0xffffffffffffffffff": "18446744073709551615 false",
	} {
		c, _ := parseNumber(text)
		n, ok := c.Number()
		if got := fmt.Sprint(n, ok); got != want {
			t.Errorf("%s: number %s, want %s", text, got, want)
		}
	}
}

func TestRefs(t *testing.T) {
	e := mustParse(t, `(inport == {@p1, "x"} || outport == @p2) && ((ip4.src == $a || ip6.src == {$b, $a})) && !(ip4.dst == $c) && 1 < tcp.dst < 3`)
	want := []Ref{{RefPortGroup, "p1"}, {RefPortGroup, "p2"}, {RefAddressSet, "a"}, {RefAddressSet, "b"}, {RefAddressSet, "c"}}
	if d := cmp.Diff(want, Refs(e)); d != "" {
		t.Errorf("Refs (-want +got):\n%s", d)
	}
	if got := Refs(nil); len(got) != 0 {
		t.Errorf("Refs(nil) = %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range corpus(f) {
		f.Add(s)
	}
	for _, s := range []string{"!(ip4.mcast)", "tcp == 1", "{80, 81} != tcp.dst", "3 >= tcp.dst > 1", "tcp /*x*/ && // y\nudp.dst[0..3] == 0x1/0x3",
		`inport == "a\"b"`, "eth.src == 0a:58:0a:f4:02:06/ff:00:00:00:00:00", "ip6.src == fe80::/ffff::", "((((", "tcp && udp || ip4",
		"!vlan.present&&vlan.vid[0..3] == 0x1", "1 <= vlan.pcp <= 2", "tcp.flags == 0x2/0x12", "{2, 58,} == ip.proto", "inport == {@a, \"b\" @c}", "!ip.ttl",
		"ff:ff:ff:ff:ff:ff == eth.dst || eth.dst[40]", "nd_ns_mcast || ip6.mcast_flood || ip.first_frag", "ct.new && !ct.est && ct_mark.blocked == 0"} {
		f.Add(s)
	}
	for seed := range uint64(40) {
		f.Add(gen{rand.New(rand.NewPCG(seed, 6))}.family().text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			var syn *SyntaxError
			if !errors.As(err, &syn) || syn.Offset < 0 || syn.Offset > len(s) || syn.Error() == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		out := e.String()
		start, _ := skipBlank(s, 0)
		if !strings.HasPrefix(s[start:], out) {
			t.Fatalf("%q prints as %q", s, out)
		}
		if end, ok := skipBlank(s, start+len(out)); !ok || end != len(s) {
			t.Fatalf("%q prints as %q: %q is lost", s, out, s[start+len(out):])
		}
		again, err := Parse(out)
		if err != nil || again.String() != out {
			t.Fatalf("%q prints as %q, which gives %v, %v", s, out, again, err)
		}
		Terms(e)
		_, _ = Eval(e, Packet{}, nil)
		for _, p := range fuzzPackets {
			_, _ = Eval(e, p, fuzzEnv)
		}
	})
}

// References are found token by token: a name is not one that begins like it, nor one in a string.
func TestRefsIn(t *testing.T) {
	for text, want := range map[string][]Ref{
		"":                                       nil,
		"inport == @a1 && ip4.src == {$a12, $b}": {{RefPortGroup, "a1"}, {RefAddressSet, "a12"}, {RefAddressSet, "b"}},
		`inport == "$a1" && = ip4.dst == $c &`:   {{RefAddressSet, "c"}},
		"$ @ $":                                  nil,
	} {
		if diff := cmp.Diff(want, slices.Collect(RefsIn(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
