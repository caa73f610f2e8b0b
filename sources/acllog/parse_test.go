package acllog

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// The lines that OVN-Kubernetes' page on AdminNetworkPolicy shows.
var seedLines = []string{
	`2024-06-09T19:00:10.441Z|00162|acl_log(ovn_pinctrl0)|INFO|name="ANP:cluster-control:Egress:1", verdict=allow, severity=alert, direction=from-lport: tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:06,dl_dst=0a:58:0a:f4:02:01,nw_src=10.244.2.6,nw_dst=172.18.0.3,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=33690,tp_dst=6443,tcp_flags=ack`,
	`2024-06-09T19:00:10.696Z|00163|acl_log(ovn_pinctrl0)|INFO|name="ANP:cluster-control:Egress:1", verdict=allow, severity=alert, direction=from-lport: tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:03,dl_dst=0a:58:0a:f4:02:01,nw_src=10.244.2.3,nw_dst=172.18.0.3,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=57658,tp_dst=6443,tcp_flags=psh|ack`,
	`2024-06-09T19:00:10.698Z|00164|acl_log(ovn_pinctrl0)|INFO|name="ANP:cluster-control:Egress:1", verdict=allow, severity=alert, direction=from-lport: tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:03,dl_dst=0a:58:0a:f4:02:01,nw_src=10.244.2.3,nw_dst=172.18.0.3,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=57658,tp_dst=6443,tcp_flags=ack`,
	`2024-06-09T19:00:11.386Z|00165|acl_log(ovn_pinctrl0)|INFO|name="ANP:cluster-control:Egress:5", verdict=drop, severity=alert, direction=from-lport: icmp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:07,dl_dst=0a:58:0a:f4:02:08,nw_src=10.244.2.7,nw_dst=10.244.2.8,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,icmp_type=8,icmp_code=0`,
}

func ip(s string) netip.Addr { return netip.MustParseAddr(s) }

var lines = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }),
}

func TestParse(t *testing.T) {
	at := time.Date(2024, 6, 9, 19, 0, 10, 441e6, time.UTC)
	second := at.Truncate(time.Second)
	allow := logline.Line{At: at, Seq: 162, Name: "ANP:cluster-control:Egress:1", Verdict: "allow", Severity: "alert", Direction: "from-lport",
		Proto: "tcp", Src: ip("10.244.2.6"), Dst: ip("172.18.0.3"), SrcPort: 33690, DstPort: 6443, TCPFlags: "ack", Raw: seedLines[0]}
	raw := func(l logline.Line, s string) logline.Line { l.Raw = s; return l }
	with := func(f func(*logline.Line)) logline.Line { l := allow; f(&l); return l }
	const head = `2024-06-09T19:00:10.441Z|00162|acl_log(ovn_pinctrl0)|INFO|`

	for _, tc := range []struct {
		name, line string
		want       logline.Line
	}{
		{"file", seedLines[0], allow},
		{"end of line", seedLines[0] + "\r\n", allow},
		{"container runtime", "2024-06-09T19:00:10.441912345+02:00 stdout F " + seedLines[0],
			raw(allow, "2024-06-09T19:00:10.441912345+02:00 stdout F "+seedLines[0])},
		{"container runtime, cut", "2024-06-09T19:00:10Z stderr P " + seedLines[0], raw(allow, "2024-06-09T19:00:10Z stderr P "+seedLines[0])},
		{"console: whole seconds", strings.Replace(seedLines[0], "10.441Z", "10Z", 1),
			with(func(l *logline.Line) { l.At = second; l.Raw = strings.Replace(seedLines[0], "10.441Z", "10Z", 1) })},
		{"flags with bars", seedLines[1], with(func(l *logline.Line) {
			l.At, l.Seq, l.Src, l.SrcPort, l.TCPFlags, l.Raw = at.Add(255*time.Millisecond), 163, ip("10.244.2.3"), 57658, "psh|ack", seedLines[1]
		})},
		{"icmp", seedLines[3], logline.Line{At: at.Add(945 * time.Millisecond), Seq: 165, Name: "ANP:cluster-control:Egress:5", Verdict: "drop", Severity: "alert",
			Direction: "from-lport", Proto: "icmp", Src: ip("10.244.2.7"), Dst: ip("10.244.2.8"), ICMPType: 8, Raw: seedLines[3]}},
		{"no direction", head + `name="NP:a:b:Ingress:0", verdict=drop, severity=info: udp,vlan_tci=0x0000,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=53`,
			logline.Line{At: at, Seq: 162, Name: "NP:a:b:Ingress:0", Verdict: "drop", Severity: "info", Proto: "udp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2"), SrcPort: 1, DstPort: 53}},
		{"no direction, no space", head + `name="deny-all", verdict=drop, severity=alert:icmp,nw_src=10.0.0.1,nw_dst=10.0.0.2,icmp_type=3,icmp_code=1`,
			logline.Line{At: at, Seq: 162, Name: "deny-all", Verdict: "drop", Severity: "alert", Proto: "icmp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2"), ICMPType: 3, ICMPCode: 1}},
		{"unnamed", head + `name="<unnamed>", verdict=<unknown>, severity=notice, direction=to-lport: arp,arp_spa=10.0.0.1,arp_tpa=10.0.0.2,arp_op=1`,
			logline.Line{At: at, Seq: 162, Unnamed: true, Verdict: "<unknown>", Severity: "notice", Direction: "to-lport", Proto: "arp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2")}},
		{"name with everything", head + `name="a:b\", verdict=allow, |x|\\ \u00e9\n\/é", verdict=reject, severity=debug, direction=to-lport: sctp6,ipv6_src=fd00::1,ipv6_dst=fd00::2,ipv6_label=0x0,tp_src=5,tp_dst=6`,
			logline.Line{At: at, Seq: 162, Name: "a:b\", verdict=allow, |x|\\ é\uFFFD/é", Verdict: "reject", Severity: "debug", Direction: "to-lport", Proto: "sctp",
				Src: ip("fd00::1"), Dst: ip("fd00::2"), SrcPort: 5, DstPort: 6}},
		{"IPv6", head + `name="x", verdict=pass, severity=warning, direction=to-lport: icmp6,vlan_tci=0x0000,ipv6_src=fd00::1,ipv6_dst=fd00::2,nw_ttl=255,icmp_type=135,icmp_code=0,nd_target=fd00::2`,
			logline.Line{At: at, Seq: 162, Name: "x", Verdict: "pass", Severity: "warning", Direction: "to-lport", Proto: "icmp6", Src: ip("fd00::1"), Dst: ip("fd00::2"), ICMPType: 135}},
		{"main thread, new keys", `2024-06-09T19:00:10.441Z|7|acl_log|WARN|name="x", label=5, verdict=allow, severity=info, stage=acl, direction=to-lport: reg14=0x2,tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=2,tcp_flags=0,icmp_type=999`,
			logline.Line{At: at, Seq: 7, Name: "x", Verdict: "allow", Severity: "info", Direction: "to-lport", Proto: "tcp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2"), SrcPort: 1, DstPort: 2}},
		{"later fragment", head + `name="x", verdict=allow, severity=info: udp,nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64,nw_frag=later`,
			logline.Line{At: at, Seq: 162, Name: "x", Verdict: "allow", Severity: "info", Proto: "udp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2")}},
		{"no IP", head + `name="x", verdict=allow, severity=info: vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:06,dl_dst=0a:58:0a:f4:02:01,dl_type=0x88cc`,
			logline.Line{At: at, Seq: 162, Name: "x", Verdict: "allow", Severity: "info"}},
		{"hostile text", head + "name=\"a\u202eb\x1b[2J\", verdict=allow, severity=info, direction=to-lport: icmp\x07,nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=3",
			logline.Line{At: at, Seq: 162, Name: "a\uFFFDb\uFFFD[2J", Verdict: "allow", Severity: "info", Direction: "to-lport", Proto: "icmp\uFFFD", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2")}},
	} {
		got, err := Parse(tc.line)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if tc.want.Raw == "" {
			tc.want.Raw = words.CleanText(tc.line)
		}
		if d := cmp.Diff(tc.want, got, lines); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const head = `2024-06-09T19:00:10.441Z|00162|acl_log(ovn_pinctrl0)|INFO|`
	for line, want := range map[string]string{
		"":                          "",
		"2024-06-09 something else": "",
		"2024-06-09T19:00:10.441Z|00001|binding|INFO|Claiming lport a|acl_log(x)|INFO|name=": "",
		"2024-06-09T19:00:10.441Z|00001|acl_logger|INFO|x":                                   "",
		"2024-06-09T19:00:10.441Z|00001|acl_log(x|INFO|x":                                    "",
		"a|acl_log(x)|INFO|y":                           "",
		"somebody says " + seedLines[0]:                 "acl_log line: unknown prefix before the time",
		"x|1|acl_log(x)|INFO|name=\"a\"":                "acl_log line: time: ",
		strings.Repeat("x", 41) + "|1|acl_log(x)|INFO|": "acl_log line: no time and sequence number at the start",
		"2024-06-09T19:00:10Z|x|acl_log(x)|INFO|y":      "acl_log line: sequence number: ",
		head + `log data missing`:                       "acl_log line: no name",
		head + `name=x, verdict=drop`:                   "acl_log line: the name is not quoted",
		head + `name="x`:                                "acl_log line: the name's closing quote is missing",
		head + `name="x\"`:                              "acl_log line: the name's closing quote is missing",
		head + `name="\x"`:                              "acl_log line: name: ",
		head + `name="x"`:                               "acl_log line: cut before the flow",
		head + `name="x", verdict=drop`:                 "acl_log line: cut before the flow",
		head + `name="x", verdict=drop: tcp`:            "acl_log line: no verdict or no severity",
		head + `name="x", severity=info: tcp`:           "acl_log line: no verdict or no severity",
		strings.Repeat(" ", MaxLine+1):                  "acl_log line: 65537 bytes, limit 65536",
	} {
		_, err := Parse(line)
		switch {
		case err == nil:
			t.Errorf("Parse(%.100q): no error", line)
		case errors.Is(err, ErrNotACL) != (want == ""):
			t.Errorf("Parse(%.100q): %v", line, err)
		case !strings.HasPrefix(err.Error(), want):
			t.Errorf("Parse(%.100q): %v, want %s", line, err, want)
		case len(err.Error()) > 200:
			t.Errorf("Parse(%.100q): the error has %d bytes", line, len(err.Error()))
		}
	}
}

// The lines of a real cluster come out as they went in.
func TestFormatWritesWhatOVNWrites(t *testing.T) {
	for _, s := range seedLines {
		l, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(l); got != s {
			t.Errorf("got  %s\nwant %s", got, s)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.FixedZone("", 3600))
	for _, tc := range []struct {
		l    logline.Line
		want string
	}{
		{logline.Line{At: at, Seq: 1234567, Name: "a\"\\\n\x01", Verdict: "drop", Severity: "info", Direction: "to-lport", Proto: "udp",
			Src: ip("fd00:10:244:1::5"), Dst: ip("fd00:10:244:2::7"), SrcPort: 1, DstPort: 53},
			`2026-01-02T02:04:05.006Z|1234567|acl_log(ovn_pinctrl0)|INFO|name="a\"\\\n\u0001", verdict=drop, severity=info, direction=to-lport: udp6,vlan_tci=0x0000,dl_src=` +
				nb.MAC(ip("fd00:10:244:2::1")) + `,dl_dst=` + nb.MAC(ip("fd00:10:244:2::7")) +
				`,ipv6_src=fd00:10:244:1::5,ipv6_dst=fd00:10:244:2::7,ipv6_label=0x00000,nw_tos=0,nw_ecn=0,nw_ttl=62,nw_frag=no,tp_src=1,tp_dst=53`},
		{logline.Line{At: at, Unnamed: true, Verdict: "allow", Severity: "debug", Proto: "arp", Src: ip("10.0.0.1"), Dst: ip("10.0.0.2")},
			`2026-01-02T02:04:05.006Z|00000|acl_log(ovn_pinctrl0)|INFO|name="<unnamed>", verdict=allow, severity=debug: arp,vlan_tci=0x0000,dl_src=0a:58:0a:00:00:01,dl_dst=0a:58:0a:00:00:02,arp_spa=10.0.0.1,arp_tpa=10.0.0.2,arp_op=1,arp_sha=0a:58:0a:00:00:01,arp_tha=00:00:00:00:00:00`},
		{logline.Line{At: at, Name: "x", Verdict: "pass", Severity: "alert", Direction: "to-lport", Proto: "tcp", Src: ip("10.244.1.5"), Dst: ip("10.244.2.7"), SrcPort: 7, DstPort: 8},
			`2026-01-02T02:04:05.006Z|00000|acl_log(ovn_pinctrl0)|INFO|name="x", verdict=pass, severity=alert, direction=to-lport: tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:02:01,dl_dst=0a:58:0a:f4:02:07,nw_src=10.244.1.5,nw_dst=10.244.2.7,nw_tos=0,nw_ecn=0,nw_ttl=62,nw_frag=no,tp_src=7,tp_dst=8,tcp_flags=0`},
	} {
		if got := Format(tc.l); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

func TestParseOfFormatIsTheSame(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	n := 0
	for _, name := range []string{"", "ANP:a:Egress:0", `q"u|o\te,: `, "ünïcode", "<x>"} {
		for _, proto := range []string{"tcp", "udp", "sctp", "icmp", "icmp6", "arp", "igmp"} {
			for _, dir := range []string{"", "from-lport", "to-lport"} {
				for _, ends := range [][2]string{{"10.0.0.1", "10.0.0.2"}, {"10.0.0.1", "10.9.0.2"}, {"fd00::1", "fd00::2"}, {"fd00::1", "fe00::2"}} {
					l := logline.Line{At: at, Seq: uint64(n), Name: name, Unnamed: name == "", Verdict: "drop", Severity: "info", Direction: dir, Proto: proto, Src: ip(ends[0]), Dst: ip(ends[1])}
					switch proto {
					case "tcp":
						l.TCPFlags = []string{"", "syn", "psh|ack"}[n%3]
						fallthrough
					case "udp", "sctp":
						l.SrcPort, l.DstPort = uint16(n), 65535
					case "icmp", "icmp6":
						l.ICMPType, l.ICMPCode = n%256, n%7
					case "arp":
						if l.Src.Is6() {
							continue
						}
					}
					n++
					got, err := Parse(Format(l))
					if err != nil {
						t.Fatalf("%s: %v", Format(l), err)
					}
					if d := cmp.Diff(l, got, lines, cmpopts.IgnoreFields(logline.Line{}, "Raw")); d != "" {
						t.Fatalf("%s (-written +read):\n%s", Format(l), d)
					}
				}
			}
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	l, err := Parse(seedLines[1])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Format(l)
	}
}

// A line that is cut anywhere says nothing, or what the whole line says. Its last number may lack
// digits if the line has no end.
func TestCutLines(t *testing.T) {
	const udp = `2024-06-09T19:00:10.441Z|00162|acl_log(ovn_pinctrl0)|INFO|name="NP:a:b:Ingress:0", verdict=drop, severity=info: udp6,vlan_tci=0x0000,ipv6_src=fd00::11,ipv6_dst=fd00::22,nw_ttl=64,nw_frag=no,tp_src=4001,tp_dst=5353`
	for _, whole := range append([]string{udp}, seedLines...) {
		want, err := Parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			got, err := ParseUnended(whole[:n])
			if err != nil {
				continue
			}
			want := want
			want.Raw, want.TCPFlags = got.Raw, got.TCPFlags // one flag of several says no less of the connection
			if d := cmp.Diff(want, got, lines); d != "" {
				t.Errorf("%q (-whole +cut):\n%s", whole[:n], d)
			}
		}
	}
	if _, err := ParseUnended(udp); err == nil {
		t.Error("digits of the port may be missing, and the line was read")
	}
	for name, flow := range map[string]string{
		"no ports":     "tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64",
		"no flags":     "tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=8",
		"half a flag":  "tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=80,tcp_flags=sy",
		"one address":  "udp,nw_src=10.0.0.1,tp_src=1,tp_dst=8",
		"odd address":  "udp,nw_src=10.0.0.999,nw_dst=10.0.0.1,tp_src=1,tp_dst=8",
		"two families": "udp,nw_src=10.0.0.1,ipv6_dst=fd00::1,tp_src=1,tp_dst=8",
		"large port":   "udp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=80000",
		"half a word":  "tc",
		"nothing":      "",
	} {
		line := `2024-06-09T19:00:10Z|1|acl_log|INFO|name="x", verdict=drop, severity=info: ` + flow
		if l, err := Parse(line); !errors.Is(err, errCut) {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}
