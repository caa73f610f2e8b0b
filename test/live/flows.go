package live

import (
	"fmt"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/revision"
)

// Flows gives a zone a Southbound database that was read, with the flows that northd of
// OVN 25.03 makes of its ACLs (model/ovn/flow/testdata); change, where set, edits them, and
// the zone's state. Missing, old and left-over flows are so since at.
func Flows(t testing.TB, p *revision.Facts, zone string, at time.Time, change func(s *revision.Southbound, flows []*flow.LogicalFlow) []*flow.LogicalFlow) {
	t.Helper()
	z := Zone(t, p, zone)
	var flows []*flow.LogicalFlow
	for a := range z.DB.ACLs() {
		flows = append(flows, aclFlows(a)...)
	}
	s := &revision.Southbound{Zone: zone, Endpoint: "unix:" + zone + "-sb.sock", Followed: true, Conn: model.ConnSynced, ConnAt: at,
		SyncedAt: p.At, Server: "OVN_Southbound 20.41.0"}
	if change != nil {
		flows = change(s, flows)
	}
	ch := []flow.RowChange{{New: &flow.Datapath{UUID: datapath, Name: zone, Switch: z.DB.SwitchByName(zone).UUID}},
		{New: &flow.Global{UUID: datapath, NbCfg: 7}}, {New: &flow.Chassis{UUID: datapath, Name: zone, NbCfg: 7}}}
	for _, f := range flows {
		ch = append(ch, flow.RowChange{New: f})
	}
	s.DB = (*flow.DB)(nil).Apply(ch)
	p.Southbounds = append(p.Southbounds, s.JoinFlows(z.DB, at))
}

const datapath = "1b0a145e-1d74-460e-9245-1d4e97da5e27"

// aclFlows are the flows of an ACL of a stage with tiers.
func aclFlows(a *nb.ACL) (out []*flow.LogicalFlow) {
	f := flow.LogicalFlow{Datapath: datapath, Pipeline: flow.Egress, Stage: "ls_out_acl_eval", Table: 6, Hint: a.UUID[:8], Priority: a.Priority + flow.PriorityOffset}
	if model.Stage(a.Stage()) == model.StageAfterLB {
		f.Pipeline, f.Stage, f.Table = flow.Ingress, "ls_in_acl_after_lb_eval", 18
	}
	tier := fmt.Sprintf("reg8[30..31] == %d && ", a.Tier)
	verdict := "allow"
	if a.Action == nb.ActionDrop {
		verdict = "drop"
	} else if a.Action == nb.ActionPass {
		verdict = "pass"
	}
	log := ""
	if a.Log {
		log = fmt.Sprintf("log(name=%q, severity=%s, verdict=%s, meter=%q); ", a.Name, a.Severity, verdict, "acl-logging__"+a.UUID)
	}
	add := func(n int, hint, does string) {
		x := f
		x.UUID = fmt.Sprintf("%s-0000-4000-8000-%012d", a.UUID[:8], n)
		x.Match, x.Actions = tier+hint+"("+a.Match+")", log+does+"next;"
		out = append(out, &x)
	}
	switch verdict {
	case "pass":
		add(0, "", "")
	case "drop":
		add(9, "reg0[9] == 1 && ", "reg8[17] = 1; ")
		add(10, "reg0[10] == 1 && ", "reg8[17] = 1; ct_commit { ct_mark.blocked = 1; ct_label.obs_point_id = 0; }; ")
	default:
		add(7, "reg0[7] == 1 && ", "reg8[16] = 1; reg0[1] = 1; ")
		add(8, "reg0[8] == 1 && ", "reg8[16] = 1; ")
	}
	return out
}

// Numbers gives a zone the numbers of what is below its rows.
func Numbers(t testing.TB, p *revision.Facts, zone string, written, made, done int64, behind time.Time) {
	t.Helper()
	ms := func(d time.Duration) int64 { return p.At.Add(-d).UnixMilli() }
	g := &nb.Global{UUID: datapath, Name: zone, Written: nb.ProgressMark{Cfg: written, Stamp: ms(12 * time.Second)},
		Made: nb.ProgressMark{Cfg: made, Stamp: ms(11 * time.Second)}, Done: nb.ProgressMark{Cfg: done, Stamp: ms(10 * time.Second)}}
	Edit(t, p, zone, func(*nb.DB) []nb.RowChange { return []nb.RowChange{{New: g}} })
	if p.Counts == nil {
		p.Counts = map[string]revision.ProgressCount{}
	}
	p.Counts[zone] = revision.ProgressCount{}.Next(g, behind)
}
