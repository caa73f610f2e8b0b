package flow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// zone are the rows of a real zone: those of Rung's demo and five more kinds of ACL,
// written to a Northbound database, and what northd of OVN 25.03 made of them.
type zone struct {
	ACLs       []*nb.ACL
	PortGroups []*nb.PortGroup
	Switches   []*nb.LogicalSwitch
	Flows      []*flow.LogicalFlow
	Datapaths  []*flow.Datapath
	Groups     []*flow.Group
}

func realZone(t testing.TB) *zone {
	t.Helper()
	raw, err := os.ReadFile("testdata/ovn-25.03.json")
	z := &zone{}
	if err == nil {
		err = json.Unmarshal(raw, z)
	}
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func (z *zone) rows(more ...nb.Row) *nb.DB {
	var ch []nb.RowChange
	for _, r := range z.ACLs {
		ch = append(ch, nb.RowChange{New: r})
	}
	for _, r := range z.PortGroups {
		ch = append(ch, nb.RowChange{New: r})
	}
	for _, r := range z.Switches {
		ch = append(ch, nb.RowChange{New: r})
	}
	for _, r := range more {
		ch = append(ch, nb.RowChange{New: r})
	}
	return (*nb.DB)(nil).Apply(ch)
}

func (z *zone) flows(more ...flow.Row) *flow.DB {
	var ch []flow.RowChange
	for _, r := range z.Flows {
		ch = append(ch, flow.RowChange{New: r})
	}
	for _, r := range z.Datapaths {
		ch = append(ch, flow.RowChange{New: r})
	}
	for _, r := range z.Groups {
		ch = append(ch, flow.RowChange{New: r})
	}
	for _, r := range more {
		ch = append(ch, flow.RowChange{New: r})
	}
	return (*flow.DB)(nil).Apply(ch)
}

func (z *zone) acl(t *testing.T, name string) *nb.ACL {
	t.Helper()
	i := slices.IndexFunc(z.ACLs, func(a *nb.ACL) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no ACL %s", name)
	}
	return z.ACLs[i]
}

func of(t *testing.T, j *flow.JoinedFlows, a *nb.ACL) *flow.ACL {
	t.Helper()
	i := slices.IndexFunc(j.ACLs, func(x *flow.ACL) bool { return x.UUID == a.UUID })
	if i < 0 {
		t.Fatalf("no ACL %s", a.UUID)
	}
	return j.ACLs[i]
}

// Every flow of the ACL stages of a real zone is some ACL's or named as OVN's own, every
// ACL that applies somewhere has its flows, and nothing in them is unknown.
func TestJoinReal(t *testing.T) {
	z := realZone(t)
	j := flow.JoinFlows(z.rows(), z.flows())
	mine := 0
	for _, a := range j.ACLs {
		mine += len(a.Flows)
		switch state := a.State(); state {
		case flow.StateMade:
			if len(a.Flows) == 0 || len(a.Switches) == 0 {
				t.Errorf("%s %s: %d flows on %v", a.UUID, a.Name, len(a.Flows), a.Switches)
			}
		case flow.StateNoPort:
			if len(a.Flows) != 0 {
				t.Errorf("%s %s has no port and %d flows", a.UUID, a.Name, len(a.Flows))
			}
		default:
			t.Errorf("%s %s: %s, missing on %v, cause %q", a.UUID, a.Name, state, a.Missing, j.WhyMissing(a))
		}
		for _, f := range a.Flows {
			if f.Row.Hint != a.UUID[:8] || len(flow.ActionTexts(f.Acts)) == 0 && (f.Part != flow.PartEval || f.Verdict != "") {
				t.Errorf("%s: %s: %v", a.UUID, f.Row.Actions, flow.ActionTexts(f.Acts))
			}
		}
	}
	if got := mine + len(j.Own) + len(j.Surplus); got != len(z.Flows) {
		t.Errorf("%d flows, %d of them found", len(z.Flows), got)
	}
	for _, f := range j.Surplus {
		t.Errorf("left over: %+v", f.Row)
	}
	for _, f := range j.Own {
		if f.Own == "a flow of OVN's own" || f.UnknownActions > 0 {
			t.Errorf("not named: %s %d %s: %s", f.Row.Stage, f.Row.Priority, f.Row.Match, f.Row.Actions)
		}
	}
	if j.UnknownActions != 0 {
		t.Errorf("%d actions are not known", j.UnknownActions)
	}
	const want = "87 flows of 45 ACLs · 11 ACLs without ports in this zone"
	if got := j.SummaryText(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// What an admin reads of the flows of one ACL of each kind.
func TestExplained(t *testing.T) {
	z := realZone(t)
	j := flow.JoinFlows(z.rows(), z.flows())
	text := func(a *flow.ACL) (out []string) {
		for _, f := range a.Flows {
			var on []string
			for _, d := range f.Datapaths {
				on = append(on, d.Name)
			}
			out = append(out, fmt.Sprintf("%s %s %s table %d prio %d tier %d, %s: %s", strings.Join(on, "+"), f.Stage, f.Part,
				f.Row.Table, f.Row.Priority, f.Tier, f.Hint, strings.Join(flow.ActionTexts(f.Acts), "; ")))
		}
		return out
	}
	byMatch := func(match string) *nb.ACL {
		i := slices.IndexFunc(z.ACLs, func(a *nb.ACL) bool { return a.Match == match })
		if i < 0 {
			t.Fatalf("no ACL with %s", match)
		}
		return z.ACLs[i]
	}
	quarantine, glass := z.acl(t, "ANP:quarantine:Egress:0"), z.acl(t, "ANP:break-glass:Egress:0")
	for _, c := range []struct {
		acl  *nb.ACL
		want []string
	}{
		{quarantine, []string{
			"ovn-worker from-lport-after-lb eval table 18 prio 25000 tier 1, new, cut or untracked connections: log as ANP:quarantine:Egress:0, verdict drop, severity alert, meter acl-logging (this ACL's own); drop",
			"ovn-worker from-lport-after-lb eval table 18 prio 25000 tier 1, established connections: log as ANP:quarantine:Egress:0, verdict drop, severity alert, meter acl-logging (this ACL's own); drop; mark the connection as denied",
		}},
		{glass, []string{
			"ovn-worker from-lport-after-lb eval table 18 prio 28000 tier 1, new connections, or cut ones: log as ANP:break-glass:Egress:0, verdict allow, severity notice, meter acl-logging (this ACL's own); allow; remember the connection",
			"ovn-worker from-lport-after-lb eval table 18 prio 28000 tier 1, established connections, or untracked packets: log as ANP:break-glass:Egress:0, verdict allow, severity notice, meter acl-logging (this ACL's own); allow",
		}},
		{z.acl(t, "ANP:cluster-control:Egress:4"), []string{"ovn-worker from-lport-after-lb eval table 18 prio 27596 tier 1, every packet: "}},
		{byMatch("outport == @lab_group && tcp.dst == 99"), []string{
			"extra+ovn-worker to-lport eval table 6 prio 1900 tier 0, new, cut or untracked connections: log as labrej, verdict reject, severity warning; reject",
			"extra+ovn-worker to-lport eval table 6 prio 1900 tier 0, established connections: log as labrej, verdict reject, severity warning; reject; mark the connection as denied",
		}},
		{byMatch("inport == @lab_group && udp.dst == 99"), []string{
			"extra+ovn-worker from-lport before table 4 prio 1901 tier -1, every packet: skip connection tracking",
			"extra+ovn-worker from-lport eval table 8 prio 1901 tier -1, every packet: allow",
		}},
		{byMatch("outport == @lab_group && udp.dst == 98"), []string{
			"extra+ovn-worker to-lport eval table 6 prio 1902 tier 0, new connections, or cut ones: allow; remember the connection; label or sample the connection",
			"extra+ovn-worker to-lport eval table 6 prio 1902 tier 0, established connections, or untracked packets: allow; remember the connection; label or sample the connection",
		}},
	} {
		if diff := cmp.Diff(c.want, text(of(t, j, c.acl))); diff != "" {
			t.Errorf("%s %s (-want +got)\n%s", c.acl.Name, c.acl.Match, diff)
		}
	}
}

// Rows that flows do not follow: what is missing, old or left over, and why.
func TestJoinBehind(t *testing.T) {
	z := realZone(t)
	gone := z.acl(t, "ANP:quarantine:Egress:0")
	moved := *z.acl(t, "ANP:break-glass:Egress:0")
	moved.Priority, moved.Log, moved.Action = 26900, false, nb.ActionDrop
	added := *z.acl(t, "ANP:cluster-control:Egress:5")
	added.UUID = "99999999-0000-4000-8000-000000000001"
	for i, g := range z.PortGroups {
		if slices.Contains(g.ACLs, z.acl(t, "ANP:cluster-control:Egress:5").UUID) {
			c := *g
			c.ACLs = append(slices.Clone(g.ACLs), added.UUID)
			z.PortGroups[i] = &c
		}
	}
	half := z.acl(t, "ANP:cluster-control:Egress:5")
	z.Flows = slices.DeleteFunc(z.Flows, func(f *flow.LogicalFlow) bool {
		return f.Hint == half.UUID[:8] && strings.Contains(f.Match, "reg0[10]")
	})
	global := &nb.Global{UUID: "g", Written: nb.ProgressMark{Cfg: 9, Stamp: 1000}, Made: nb.ProgressMark{Cfg: 7, Stamp: 2000}, Done: nb.ProgressMark{Cfg: 7, Stamp: 3000}}
	rows := z.rows(&moved, &added, global).Apply([]nb.RowChange{{Old: gone}})
	j := flow.JoinFlows(rows, z.flows())
	if a := of(t, j, &moved); a.State() != flow.StateOld {
		t.Errorf("a changed row is %s", a.State())
	} else if diff := cmp.Diff([]string{"priority 27000, the row says 26900", "action allow, the row says drop",
		"log true, the row says false"}, a.Flows[0].Differs); diff != "" {
		t.Errorf("a changed row (-want +got)\n%s", diff)
	}
	for _, a := range []*nb.ACL{&added, half} {
		if x := of(t, j, a); x.State() != flow.StateMissing || !slices.Equal(x.Missing, []string{"ovn-worker"}) ||
			j.WhyMissing(x) != "northd is behind: rows #9, flows #7" {
			t.Errorf("%s is %s on %v, cause %q", a.UUID, x.State(), x.Missing, j.WhyMissing(x))
		}
	}
	if len(j.Surplus) != 2 || j.Surplus[0].Row.Hint != gone.UUID[:8] {
		t.Errorf("surplus: %+v", j.Surplus)
	}
	const want = "84 flows of 42 ACLs · 2 ACLs without flows · 1 ACL with flows of an older row · 11 ACLs without ports in this zone · 2 flows of deleted ACLs"
	if got := j.SummaryText(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// A flow for DHCP has a hint, which is no ACL's: it is not left over.
func TestOwnWithHint(t *testing.T) {
	z := realZone(t)
	dhcp := &flow.LogicalFlow{UUID: "99999999-0000-4000-8000-000000000002", Datapath: z.Datapaths[0].UUID, Pipeline: flow.Egress, Table: 6, Priority: 34000,
		Match: "udp.src == 67", Actions: "reg8[16] = 1; next;", Stage: "ls_out_acl_eval", Hint: "6bebcdb6"}
	if j := flow.JoinFlows(z.rows(), z.flows(dhcp)); len(j.Surplus) != 0 {
		t.Errorf("left over: %+v", j.Surplus[0].Row)
	}
}

// Two ACLs whose UUIDs begin alike: the flow is that of the one it is like.
func TestSameHint(t *testing.T) {
	z := realZone(t)
	one := z.acl(t, "ANP:quarantine:Egress:0")
	two := *z.acl(t, "ANP:quarantine:Ingress:0")
	two.UUID = one.UUID[:35] + "0"
	if two.UUID == one.UUID {
		two.UUID = one.UUID[:35] + "1"
	}
	j := flow.JoinFlows(z.rows(&two), z.flows())
	if a, b := of(t, j, one), of(t, j, &two); len(a.Flows) != 2 || len(b.Flows) != 0 || a.State() != flow.StateMade {
		t.Errorf("%d flows (%s) and %d", len(a.Flows), a.State(), len(b.Flows))
	}
}

func TestProgress(t *testing.T) {
	at := func(s int64) int64 { return s * 1000 }
	now := time.UnixMilli(at(1000))
	for _, c := range []struct {
		global  nb.Global
		chassis []*flow.Chassis
		seen    time.Time
		want    string
	}{
		{nb.Global{}, nil, time.Time{}, "not tracked: nb_cfg was never raised (ovn-nbctl --wait=hv sync raises it)"},
		{nb.Global{Written: nb.ProgressMark{Cfg: 4, Stamp: at(990)}, Made: nb.ProgressMark{Cfg: 4, Stamp: at(991)}, Done: nb.ProgressMark{Cfg: 4, Stamp: at(1001)}}, nil,
			time.Time{}, "rows written #4 10s ago · flows made #4 9s ago · nodes done #4 just now"},
		{nb.Global{Written: nb.ProgressMark{Cfg: 5, Stamp: at(1)}, Made: nb.ProgressMark{Cfg: 4, Stamp: at(700)}, Done: nb.ProgressMark{Cfg: 4, Stamp: at(701)}}, nil,
			time.UnixMilli(at(995)), "rows written #5 5s ago · flows made #4 5m ago: northd is behind · nodes done #4 4m ago"},
		{nb.Global{Written: nb.ProgressMark{Cfg: 5}, Made: nb.ProgressMark{Cfg: 5}, Done: nb.ProgressMark{Cfg: 4}}, []*flow.Chassis{{UUID: "a", Name: "n2", NbCfg: 4}, {UUID: "b", Name: "n1", NbCfg: 5}},
			time.Time{}, "rows written #5 · flows made #5 · nodes done #4: n2 is behind"},
		{nb.Global{Written: nb.ProgressMark{Cfg: 5}, Made: nb.ProgressMark{Cfg: 5}, Done: nb.ProgressMark{Cfg: 4}}, nil, time.Time{},
			"rows written #5 · flows made #5 · nodes done #4: a node is behind"},
	} {
		c.global.UUID = "g"
		rows := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &c.global}})
		var ch []flow.RowChange
		for _, x := range c.chassis {
			ch = append(ch, flow.RowChange{New: x})
		}
		p := flow.ReadProgress(rows, (*flow.DB)(nil).Apply(ch))
		if got := p.Text(now, c.seen); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
