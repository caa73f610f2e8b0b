package kube_test

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/ovsdb"
)

// tracer asks ovn-trace in the nodes' pods.
type tracer struct {
	*labWorld
	rows map[string]ovsdb.Database
	does map[string]map[string]string // zone → an ACL's id → what the row does
	acls map[string]map[string]bool   // zone → what a row does, and its match
}

// tracer reads the rows that the zones have now.
func (w *labWorld) tracer() *tracer {
	w.t.Helper()
	out := &tracer{labWorld: w, rows: map[string]ovsdb.Database{}, does: map[string]map[string]string{}, acls: map[string]map[string]bool{}}
	for _, zone := range w.lab.Nodes() {
		out.rows[zone], out.does[zone], out.acls[zone] = database(w.t, w.lab, zone), map[string]string{}, map[string]bool{}
		for _, acl := range out.rows[zone][nb.TableACL] {
			tier, _ := acl["tier"].(float64)
			verdict := acl.Str("action")
			if strings.HasPrefix(verdict, nb.ActionAllow) {
				verdict = nb.ActionAllow
			}
			does := does(int(tier), acl.Priority(), verdict)
			out.does[zone][acl.ID()] = does
			out.acls[zone][does+acl.Str("match")] = true
		}
	}
	return out
}

func does(tier, priority int, verdict string) string {
	return fmt.Sprintf("tier %d priority %d %s", tier, priority, verdict)
}

// exec runs a program in a node's pod through the API server.
func (w *labWorld) exec(node string, command ...string) string {
	w.t.Helper()
	out, err := w.c.Exec(w.t.Context(), ovnNamespace, ovnPod(node), "nb-ovsdb", command...)
	must(w.t, err)
	return out
}

// agree asks ovn-trace about a connection, zone by zone, and compares with what the rows
// say: whether the packet comes out where it is to, and which ACLs it meets in which
// stage, by tier, priority and action: of several rows that are equal in these OVN takes
// any.
func (w *tracer) agree(a attempt, rows *traceAnswer) {
	w.t.Helper()
	for _, leg := range a.passages() {
		asked := w.microflow(a, leg)
		text := w.exec(leg.zone, append([]string{"ovn-trace", "--db=unix:" + nbdb.DefaultSouthboundSocket}, append(slices.Repeat([]string{"--ct=new"}, 8), asked)...)...)
		report := flow.Parse(text)
		if len(report.Traces) != 1 || report.Unknown > 0 {
			w.t.Errorf("%s: %d traces, %d lines unread: %+v\n%s", a, len(report.Traces), report.Unknown, report.UnparsedLines, text)
			return
		}
		got := w.met(leg.zone, report.Traces[0])
		want, passed := w.expected(leg.zone, rows)
		end, ports := report.Traces[0].EndOfTrace()
		if out := end == flow.EndDelivered && slices.Equal(ports, []string{leg.out}); out != passed || !slices.Equal(got, want) {
			w.t.Errorf("%s in zone %s: ovn-trace says %s at %q by\n  %s\nthe rows say passed: %v, by\n  %s\n%s", a, leg.zone, end, ports,
				strings.Join(got, "\n  "), passed, strings.Join(want, "\n  "), text)
			return
		}
		if !passed {
			return
		}
	}
}

// agreeRung wants `rung trace --ovn` to have asked ovn-trace in the zones' pods, to have
// found the row of every ACL that decided, and to say that it agrees with the rows.
func (w *labWorld) agreeRung(a attempt, s *traceAnswer) {
	w.t.Helper()
	if s.OVN == nil || s.OVN.Agreement != "agree" || s.OVN.Verdict != s.Rows.Verdict || len(s.OVN.Ways) != 1 {
		w.t.Errorf("%s: rung trace --ovn: %+v, and the rows say %+v", a, s.OVN, s.Rows)
		return
	}
	for _, z := range s.OVN.Ways[0].Zones {
		if want := "exec:" + ovnNamespace + "/" + ovnPod(z.Zone) + "/nb-ovsdb"; z.Where != want || z.Cause != "" {
			w.t.Errorf("%s: ovn-trace ran in %s, want %s; %s", a, z.Where, want, z.Cause)
		}
		for _, stage := range z.Stages {
			if len(stage.DecidedBy) > 0 && stage.FoundBy != "row" {
				w.t.Errorf("%s: what decided %s in zone %s was found by %q", a, stage.Stage, z.Zone, stage.FoundBy)
			}
		}
	}
}

// met are the ACLs of a trace, with their stages. Whose they are is told by what the flows
// do: the hints of flows may be of rows that are gone (ovn-kubernetes.md#logical-flows).
func (w *tracer) met(zone string, t *flow.Trace) (out []string) {
	for _, d := range t.Decisions() {
		for _, m := range d.Met {
			does := does(max(m.Tier, 0), m.Priority, m.Verdict)
			if !w.acls[zone][does+m.Match] {
				w.t.Errorf("zone %s has no row for the flow that ovn-trace met: %s %s", zone, does, m.Match)
			}
			out = append(out, fmt.Sprintf("%s %s", d.Stage, does))
		}
	}
	return out
}

// expected are the ACLs that the rows have a packet meet in a zone, and whether it comes
// through.
func (w *tracer) expected(zone string, rows *traceAnswer) (out []string, passed bool) {
	for _, s := range rows.Stages {
		if s.Zone != zone {
			continue
		}
		met := s.Passed
		if s.DecidedBy != nil {
			met = append(slices.Clone(met), *s.DecidedBy)
		}
		for _, m := range met {
			out = append(out, s.Stage+" "+w.does[zone][m.ACL])
		}
		if s.Verdict == "deny" {
			return out, false
		}
	}
	return out, true
}

// microflow is the connection's first packet as ovn-trace reads it.
func (w *tracer) microflow(a attempt, leg passage) string {
	p := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	parts := []string{p("inport == %q", leg.in), "eth.src == " + w.mac(leg.zone, nb.TablePort, leg.in)}
	to, z := "", w.lab.Zone(leg.zone)
	switch leg.in {
	case z.ElsewherePort():
		to = w.mac(leg.zone, "Logical_Router_Port", "rtots-"+leg.zone)
	case z.OutsidePort():
		to = w.mac(leg.zone, "Logical_Router_Port", "rtoj-"+leg.zone)
	default:
		to = w.mac(leg.zone, "Logical_Router_Port", "rtos-"+leg.zone)
		if leg.out != z.ElsewherePort() && leg.out != z.OutsidePort() && leg.out != z.NodePort() {
			to = w.mac(leg.zone, nb.TablePort, leg.out) // a pod on the same switch
		}
	}
	parts = append(parts, "eth.dst == "+to)
	ip, icmp := "ip4", "icmp4.type == 8 && icmp4.code == 0"
	if a.Src.Is6() {
		ip, icmp = "ip6", "icmp6.type == 128 && icmp6.code == 0"
	}
	parts = append(parts, p("%s.src == %s", ip, a.Src), p("%s.dst == %s", ip, a.Dst), "ip.ttl == 64")
	switch protocol := strings.ToLower(a.Protocol); protocol {
	case "icmp":
		parts = append(parts, icmp)
	case "tcp":
		parts = append(parts, "tcp.flags == 2")
		fallthrough
	default:
		parts = append(parts, p("%s.src == %d", protocol, a.SrcPort), p("%s.dst == %d", protocol, a.DstPort))
	}
	return strings.Join(parts, " && ")
}

// mac is the hardware address of a port.
func (w *tracer) mac(zone, table, name string) string {
	w.t.Helper()
	for _, row := range w.rows[zone][table] {
		if row.Str("name") != name {
			continue
		}
		if table == nb.TablePort {
			mac, _, _ := strings.Cut(row.Str("addresses"), " ")
			return mac
		}
		return row.Str("mac")
	}
	w.t.Fatalf("zone %s has no port %s", zone, name)
	return ""
}
