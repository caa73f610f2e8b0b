package rows_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

// ruleFlows opens egress 5 of cluster-control in ovn-worker with its flows.
func ruleFlows(t *testing.T, change func(*revision.Southbound, []*flow.LogicalFlow) []*flow.LogicalFlow) (*revision.Facts, *uitest.Screen) {
	t.Helper()
	p := uitest.DemoFacts(t)
	live.Flows(t, p, "ovn-worker", ruleSince, change)
	page := nav.ToRule(control, model.Egress, 5)
	page.Zone = "ovn-worker"
	s := uitest.OpenScreen(t, p, page)
	return p, s
}

// A rule unfolds the logical flows of its ACL: table, priority, packets, what they do.
func TestRuleFlows(t *testing.T) {
	_, s := ruleFlows(t, nil)
	s.Press("G")
	s.GoldenAt("flows", [2]int{80, 24}, [2]int{120, 34}, [2]int{200, 60})
	s.ResizeAll()
	s.Resize(200, 60)
	s.Want("✓ 2 flows on ovn-worker.", "table 18 from-lport-after-lb · priority 27595 · tier 1 · new, cut or untracked connections  ls_in_acl_after_lb_eval",
		"→ log as ANP:cluster-control:Egress:5, verdict drop, severity alert, meter acl-logging (this ACL's own); drop", "; drop; mark the connection as denied")
	if got := s.Console.LookedFlows; len(got) != 1 || got[0] != "ovn-worker" {
		t.Errorf("flows were wanted of %v", got)
	}
}

// Flows that are missing, or of an older row, are said with the likely cause.
func TestFlowsMissing(t *testing.T) {
	mine := func(f *flow.LogicalFlow) bool { return f.Priority == 27595 && f.Pipeline == flow.Ingress }
	drop := func(_ *revision.Southbound, flows []*flow.LogicalFlow) (out []*flow.LogicalFlow) {
		for _, f := range flows {
			if !mine(f) {
				out = append(out, f)
			}
		}
		return out
	}
	p, s := ruleFlows(t, drop)
	s.Resize(200, 60)
	s.Want("Egress:5:None  as desired, ≠ its flows are missing")
	s.Want("≠ Missing on ovn-worker for 54 s: northd has not made them: it is behind or stopped (unknown which: nb_cfg was never raised).")

	p.Down = map[string][]model.Fault{"ovn-worker": {{Process: "ovn-northd", State: "died", Since: model.Stamp{Time: uitest.Now.Add(-50 * time.Second)}, Error: "signal: killed"}}}
	s.Console.Set(p)
	s.Refresh()
	s.Want("Missing on ovn-worker for 54 s: ovn-northd died 50 s ago.")

	_, s = ruleFlows(t, func(_ *revision.Southbound, flows []*flow.LogicalFlow) []*flow.LogicalFlow {
		for i, f := range flows {
			if mine(f) {
				old := *f
				old.Priority = 27500
				flows[i] = &old
			}
		}
		return flows
	})
	s.Resize(200, 60)
	s.Want("≠ Made of an older row for 54 s:", "≠ priority 26500, the row says 26595")
}

// A flow that northd made for another ACL is shared with it: that is said, and leads to its
// row; where that ACL is gone, this is said.
func TestFlowsShared(t *testing.T) {
	open := func(lender bool) *uitest.Screen {
		t.Helper()
		p := uitest.DemoFacts(t)
		z := live.Zone(t, p, "ovn-worker")
		var mine *nb.ACL
		for a := range z.DB.ACLs() {
			if o := nb.OwnerOfRow(a); o.Name == "cluster-control" && o.Direction == "Egress" && o.Index == 4 {
				mine = a
			}
		}
		if lender {
			other := *mine
			other.UUID, other.ExternalIDs = "deadbeef-0000-4000-8000-000000000001", maps.Clone(mine.ExternalIDs)
			for k, v := range other.ExternalIDs {
				other.ExternalIDs[k] = strings.Replace(v, "cluster-control", "lender", 1)
			}
			changes := []nb.RowChange{{New: &other}}
			for g := range z.DB.PortGroups() {
				if slices.Contains(g.ACLs, mine.UUID) {
					with := *g
					with.ACLs = append(slices.Clone(g.ACLs), other.UUID)
					changes = append(changes, nb.RowChange{Old: g, New: &with})
				}
			}
			z.DB = z.DB.Apply(changes)
		}
		live.Flows(t, p, "ovn-worker", ruleSince, func(_ *revision.Southbound, flows []*flow.LogicalFlow) (out []*flow.LogicalFlow) {
			for _, f := range flows {
				if f.Hint == mine.UUID[:8] { // northd made one, for the other
					lent := *f
					lent.Hint = "deadbeef"
					out = append(out, &lent)
				} else if f.Hint != "deadbeef" {
					out = append(out, f)
				}
			}
			return out
		})
		page := nav.ToRule(control, model.Egress, 4)
		page.Zone = "ovn-worker"
		s := uitest.OpenScreen(t, p, page)
		s.Resize(200, 60)
		return s
	}
	open(false).Want("✓ 1 flow on ovn-worker.", "= northd made it for a deleted ACL (deadbeef…) and keeps it for this one")
	s := open(true)
	s.Want("✓ 1 flow on ovn-worker.", "= shared with ANP lender egress 4")
	for range 80 {
		if strings.Contains(s.Line("▸"), "shared with") {
			break
		}
		s.Press("j")
	}
	s.Press("enter")
	s.Want("› ACL lender Egress:4:None", "deadbeef-")
}

// A Southbound database that is not read is said, in a sandbox without OVN nothing is.
func TestFlowsUnread(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Southbounds = []*revision.Southbound{{Zone: "ovn-worker", Endpoint: "unix:x", Followed: true, Conn: model.ConnDenied, ConnAt: ruleSince, Error: "pods/exec is forbidden"}}
	page := nav.ToRule(control, model.Egress, 5)
	page.Zone = "ovn-worker"
	s := uitest.OpenScreen(t, p, page)
	s.Resize(200, 60)
	s.Want("Southbound database: no permission for 54 s: pods/exec is forbidden")
	p.Southbounds = nil
	s.Console.Set(p)
	s.Refresh()
	s.WantNot("logical flows")
	p.Mode.Sandbox = false
	s.Console.Set(p)
	s.Refresh()
	s.Want("No Southbound database is known for this zone: name it with --sb ZONE=ADDR.")
	if strings.Contains(s.PlainFrame(), "≠ Missing") {
		t.Error("what is not read is not missing")
	}
}
