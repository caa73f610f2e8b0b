package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// story is a trace in lines.
func story(t *Trace) (out []string) {
	p := t.Packet
	out = append(out, fmt.Sprintf("%s %s %s:%d > %s:%d", t.Form, p.Proto, p.Src, p.SrcPort, p.Dst, p.DstPort))
	for _, d := range t.Decisions() {
		port := d.Pass.Inport
		if d.Pass.Pipeline == "egress" {
			port = d.Pass.Outport
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s [%s]: %s; %s", d.Pass.Datapath, port, d.Stage, d.Pass.Connection, d.Verdict, d.Own)))
		for _, m := range d.Met {
			name := "-"
			if m.Log != nil {
				name = m.Log.Name
			}
			out = append(out, fmt.Sprintf("  tier %d prio %d %s: %s %v", m.Tier, m.Priority, m.Verdict, name, m.Unnamed))
		}
	}
	end, where := t.EndOfTrace()
	return append(out, strings.TrimSpace(fmt.Sprint(end, " ", strings.Join(where, " "))))
}

func read(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What ovn-trace of OVN 25.03 printed for a zone with the rows of Rung's demo.
func TestReal(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
	}{
		{"drop.txt", []string{
			"detailed tcp 10.244.1.25:52888 > 10.244.1.6:8080",
			"ovn-worker red_canary-0 from-lport [new|trk]: ; no ACL of this tier decides: the new connection is remembered",
			"ovn-worker red_canary-0 from-lport-after-lb [new|trk]: drop;",
			"  tier 1 prio 26595 drop: ANP:cluster-control:Egress:5 false",
			"dropped"}},
		{"summary.txt", []string{
			"summary tcp 10.244.1.25:52888 > 10.244.1.6:8080",
			"ovn-worker red_canary-0  [new|trk]: drop;",
			"  tier 0 prio 0 drop: ANP:cluster-control:Egress:5 false",
			"dropped"}},
		// Three forms of one trace: the one that says most is taken.
		{"allow-all.txt", []string{
			"detailed tcp 10.244.1.5:52888 > 10.244.1.20:8080",
			"ovn-worker ingress-nginx_ingress-nginx-controller-7d4c-m4c8d from-lport [new|trk]: ; no ACL of this tier decides: the new connection is remembered",
			"ovn-worker ingress-nginx_ingress-nginx-controller-7d4c-m4c8d from-lport-after-lb [new|trk]: allow;",
			"  tier 1 prio 26597 allow: - false",
			"ovn-worker open_portal-d0 to-lport [new|trk]: allow;",
			"  tier 1 prio 26600 allow: - false",
			"delivered open_portal-d0"}},
		{"baseline.txt", []string{
			"detailed tcp 10.244.1.8:52888 > 10.244.1.22:8080",
			"ovn-worker blue_web-g0 from-lport [new|trk]: ; no ACL of this tier decides: the new connection is remembered",
			"ovn-worker blue_web-g0 from-lport-after-lb [new|trk]: drop;",
			"  tier 1 prio 26596 pass: - false",
			"  tier 3 prio 1750 drop: - false",
			"dropped"}},
		// What OVN answers with is no part of the packet's way.
		{"reject.txt", []string{
			"detailed tcp 172.30.0.9:52888 > 10.244.1.25:99",
			"ovn-worker stor-ovn-worker from-lport []: ;",
			"ovn-worker stor-ovn-worker from-lport-after-lb []: ;",
			"ovn-worker red_canary-0 to-lport [new|trk]: reject;",
			"  tier 0 prio 900 reject: labrej false",
			"rejected"}},
		// The second packet of a cut connection (ovn-kubernetes.md#established-connections).
		{"cut.txt", []string{
			"detailed tcp 10.244.1.3:0 > 10.244.1.20:8080",
			"ovn-worker kube-system_coredns-5d78c9869d-bx7k1 from-lport [est|trk]: allow; no ACL of this tier decides: the cut connection is let through again",
			"ovn-worker kube-system_coredns-5d78c9869d-bx7k1 from-lport-after-lb [est|trk]: allow;",
			"  tier 1 prio 26597 allow: - false",
			"ovn-worker open_portal-d0 to-lport [est|trk]: allow; no ACL of this tier decides: the cut connection is let through again",
			"delivered open_portal-d0"}},
	} {
		r := Parse(read(t, c.file))
		if len(r.Traces) != 1 || r.Unknown != 0 || r.Other != 0 || len(r.Problems) != 0 {
			t.Errorf("%s: %d traces, %d unknown %v, %d other, problems %v", c.file, len(r.Traces), r.Unknown, r.UnparsedLines, r.Other, r.Problems)
			continue
		}
		if diff := cmp.Diff(c.want, story(r.Traces[0])); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.file, diff)
		}
	}
}

// ovnkube-trace runs ovn-trace, ofproto/trace and ovn-detrace, and prints all of it with
// lines of its own, in colours.
func TestOvnkubeTrace(t *testing.T) {
	drop, allow := read(t, "drop.txt"), strings.Split(read(t, "allow-all.txt"), "# Summary")[0]
	text := "$ ovnkube-trace -src-namespace red -src canary-0 -dst-namespace monitoring -dst prometheus-0 -tcp -loglevel 2\n" +
		"I0823 21:33:18.112821 2457963 ovnkube-trace.go:1157] Log level set to: 2\n" +
		"I0823 21:33:18.857705 2457963 ovnkube-trace.go:693] ovn-trace source pod to destination pod Output:\n\x1b[3m" + allow + "\x1b[0m\n" +
		"\x1b[32m\x1b[1movn-trace source pod to destination pod indicates success from portal-d0 to canary-0\x1b[0m\n" +
		"I0823 21:33:18.858296 2457963 ovnkube-trace.go:704] \x1b[32mSearch string matched:\noutput to \"canary-0\"\x1b[0m\n" +
		"I0823 21:33:19.169751 2457963 ovnkube-trace.go:693] ovs-appctl ofproto/trace source pod to destination pod Output:\n" +
		"Flow: udp,in_port=7,dl_src=0a:58:0a:f4:02:03\n\nbridge(\"br-int\")\n----------------\n 0. in_port=7, priority 100, cookie 0x6c1d0b4a\n    resubmit(,8)\n\n" +
		"ovs-appctl ofproto/trace source pod to destination pod indicates success from portal-d0 to canary-0\n" +
		"I0823 21:33:19.169751 2457963 ovnkube-trace.go:693] ovn-trace destination pod to source pod Output:\n" + drop + "\n" +
		"ovn-trace destination pod to source pod indicates failure from canary-0 to portal-d0\n" +
		"and something nobody expects\n"
	r := Parse(text)
	var got []string
	for _, x := range r.Traces {
		end, where := x.EndOfTrace()
		got = append(got, fmt.Sprint(x.Title, ": ", end, " ", where, " ", len(x.Decisions())))
	}
	want := []string{"ovn-trace source pod to destination pod: delivered [open_portal-d0] 3", "ovn-trace destination pod to source pod: dropped [] 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("traces (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Result{
		{"ovn-trace source pod to destination pod", true, "portal-d0", "canary-0"},
		{"ovs-appctl ofproto/trace source pod to destination pod", true, "portal-d0", "canary-0"},
		{"ovn-trace destination pod to source pod", false, "canary-0", "portal-d0"},
	}, r.Results); diff != "" {
		t.Errorf("results (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Line{{r.Lines, "and something nobody expects"}}, r.UnparsedLines); diff != "" || r.Unknown != 1 || r.Other != 12 {
		t.Errorf("%d unknown, %d other (-want +got)\n%s", r.Unknown, r.Other, diff)
	}
}

// What is no trace, or only a part of one, is counted and not lost.
func TestOdd(t *testing.T) {
	for _, c := range []struct {
		name, text              string
		traces, unknown, others int
		problems                []string
	}{
		{"nothing", "", 0, 0, 0, nil},
		{"something else", "hello\nworld\n", 0, 2, 0, nil},
		{"an error of ovn-trace", read(t, "error.txt"), 0, 0, 0, []string{"WARN: nope: unknown logical port", "microflow does not specify ingress port"}},
		{"a line that is too long", "x" + strings.Repeat("y", MaxLine) + "\n", 0, 1, 0, nil},
		{"a table in a form nobody knows", "ingress(dp=\"a\", inport=\"b\")\n---\n 8. ls_in_acl_eval what is this\n    next;\n", 1, 1, 0, nil},
		{"a piece from the middle", "egress(dp=\"a\", inport=\"b\", outport=\"c\")\n 6. ls_out_acl_eval (northd.c:1): (1), priority 2000, uuid 00000001\n    reg8[17] = 1;\n    next;\n", 1, 0, 0, nil},
		{"a table in which nothing matched", "ingress(dp=\"r\", inport=\"b\")\n---\n12. lr_in_ip_routing: no match (implicit drop)\n", 1, 0, 0, nil},
		{"OpenFlow flows of --ovs", "ingress(dp=\"a\", inport=\"b\")\n 8. ls_in_acl_eval: 1, priority 0, uuid 00000001\n    cookie=0x1, duration=1s, table=16\n    next;\n", 1, 0, 1, nil},
		{"colours and directions", "\x1b[31mingress(dp=\"a\", inport=\"b\u202e\")\x1b[0m\n", 1, 0, 0, nil},
	} {
		r := Parse(c.text)
		if len(r.Traces) != c.traces || r.Unknown != c.unknown || r.Other != c.others {
			t.Errorf("%s: %d traces, %d unknown, %d other; want %d, %d, %d; %v", c.name, len(r.Traces), r.Unknown, r.Other, c.traces, c.unknown, c.others, r.UnparsedLines)
		}
		if diff := cmp.Diff(c.problems, r.Problems); diff != "" {
			t.Errorf("%s: problems (-want +got)\n%s", c.name, diff)
		}
	}
	r := Parse("egress(dp=\"a\", inport=\"b\", outport=\"c\")\n 6. ls_out_acl_eval (northd.c:1): (1), priority 2000, uuid 00000001\n    reg8[17] = 1;\n    next;\n")
	if diff := cmp.Diff([]string{"detailed  invalid IP:0 > invalid IP:0", "a c to-lport []: drop;", "  tier -1 prio 1000 drop: - false", "dropped"}, story(r.Traces[0])); diff != "" {
		t.Errorf("a piece (-want +got)\n%s", diff)
	}
	lost := Parse("ingress(dp=\"r\", inport=\"b\")\n---\n12. lr_in_ip_routing: no match (implicit drop)\n").Traces[0]
	if end, where := lost.EndOfTrace(); end != EndLost || len(where) != 1 || where[0] != "lr_in_ip_routing" {
		t.Errorf("a packet that nothing matched ends %s %v", end, where)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		f.Add(read(f, filepath.Base(name)))
	}
	f.Add("# tcp,nw_src=1.2.3.4\n\ningress(dp=\"a\x1b[31m\", inport=\"\\u202e\")\n 8. ls_in_acl_eval: 1, priority 5, uuid 00000000\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := Parse(text)
		if r.Unknown+r.Other > r.Lines {
			t.Errorf("%d lines, %d unknown, %d other", r.Lines, r.Unknown, r.Other)
		}
		said := fmt.Sprint(r.UnparsedLines, r.Problems, r.Results)
		for _, x := range r.Traces {
			said += strings.Join(story(x), "") + x.Title + fmt.Sprint(x.Problems)
			for _, p := range x.Passes {
				for _, s := range p.Steps {
					said += s.Match + s.Stage + strings.Join(s.Actions, "")
				}
			}
		}
		if i := strings.IndexFunc(said, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }); i >= 0 {
			t.Errorf("text with a control character: %q", said[i:])
		}
	})
}
