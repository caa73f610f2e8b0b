package cluster_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

func TestZones(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	lost := *p.Zones[1]
	lost.Conn, lost.ConnAt, lost.SyncedAt = model.ConnLost, uitest.Now.Add(-90*time.Second), uitest.Now.Add(-95*time.Second)
	lost.Error, lost.Attempts, lost.Pending, lost.Paused = "connection refused", 7, 2, "the zone does not answer"
	p.Zones[1] = &lost
	k := model.Key{Kind: model.KindANP, Name: "multi-tenant-isolation"}
	third := *p.Zones[2]
	third.Policies = map[model.PolicyKey]*model.PolicyInZone{}
	for key, x := range p.Zones[2].Policies {
		third.Policies[key] = x
	}
	behind := *third.Policies[k]
	behind.InSync, behind.Missing, behind.DiffSince, behind.Touched = false, 1, uitest.Now.Add(-30*time.Second), uitest.Now.Add(-30*time.Second)
	behind.Error, behind.Tries = "transaction refused", 3
	third.Policies[k] = &behind
	p.Zones[2] = &third

	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Resize(160, 45)
	s.Want("lost", "writing paused: the zone does not answer", "connection refused", "7 attempts", "behind 1",
		"stale", "not enforced", "transaction refused (3×)")
	s.Resize(120, 34)
	s.Golden("zones")
	s.ResizeAll()

	s.Press("j", "j", "j") // past the last zone into the policies
	s.Type("jj")
	s.Press("enter")
	s.Want("›")
	s.Press("esc")
	s.Press("/")
	s.Type("isolation")
	s.Press("enter")
	s.Want("multi-tenant-isolation", "filter: isolation")
	s.WantNot("blue-tenant")
}

// What is below the rows of a zone is counted, and what is behind is said with since when:
// northd, a node, a process of the sandbox that died, flows that are left over.
func TestBelow(t *testing.T) {
	p := uitest.DemoFacts(t)
	behind := uitest.Now.Add(-42 * time.Second)
	live.Numbers(t, p, "ovn-control-plane", 7, 7, 7, behind)
	live.Numbers(t, p, "ovn-worker", 9, 7, 7, behind)
	live.Numbers(t, p, "ovn-worker2", 7, 7, 6, behind)
	p.Down = map[string][]model.Fault{"ovn-worker": {{Process: "ovn-northd", State: "died", Since: model.Stamp{Time: uitest.Now.Add(-12 * time.Second)}, Error: "signal: killed"}}}
	live.Flows(t, p, "ovn-worker2", behind, func(_ *revision.Southbound, flows []*flow.LogicalFlow) []*flow.LogicalFlow {
		gone := *flows[0]
		gone.UUID, gone.Hint = "ffffffff"+gone.UUID[8:], "ffffffff"
		return append(flows, &gone)
	})
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Resize(160, 45)
	s.Want("ROWS/FLOWS/NODES", "7/7/7", "9/7/7", "7/7/6", "ovn-worker  ovn-northd died 12 s ago: signal: killed; northd is behind for at least 42 s",
		"ovn-worker2  a node is behind for at least 42 s · 1 flow of a deleted ACL for 42 s: northd has not made")
	s.Want("3 zones ●▲▲", "▲ ovn-worker ", "▲ ovn-worker2 ", "● ovn-control-plane")
	s.GoldenAt("below", [2]int{80, 24}, [2]int{120, 34})
	s.Resize(80, 24)
	s.Press("g")
	s.Want("■ ovn-worker  ovn-northd died 12 s ago: signal: killed; northd is behind for", "                at least 42 s")
	s.Press("V", "V", "V")
	s.Want("zones: OVN trouble")
	if lines := strings.Count(s.PlainFrame(), "● ovn-control-plane"); lines != 0 {
		t.Errorf("a zone without trouble is shown:\n%s", s.PlainFrame())
	}
	// Of a zone that is lost nobody knows it now: the header does not count it, either.
	was := p.Zones[1]
	uitest.DeadZone(p, was.Name)
	s.Console.Set(p)
	s.Refresh()
	if lines := strings.Count(s.PlainFrame(), "ovn-worker  lost"); lines != 0 || !strings.Contains(s.PlainFrame(), "▲ ovn-worker2 ") {
		t.Errorf("a lost zone is shown:\n%s", s.PlainFrame())
	}
	p.Zones[1] = was
	s.Press("V", "V", "V")
	s.ResizeAll()
	p.Counts, p.Down, p.Southbounds = nil, nil, nil
	uitest.Sync(p)
	s.Console.Set(p)
	s.Refresh()
	s.WantNot("ROWS/FLOWS/NODES", "▲ ovn-worker")
	s.Want("3 zones ●●●")
}

func TestNoZones(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Zones = nil
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Want("no zones yet")
	s.Press("j", "tab", "enter", "y", "r")
	s.ResizeAll()
}

// Policies of all kinds are counted and listed; other rows are named where they are
// not in sync.
func TestUnits(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Resize(120, 60)
	s.Want("15/15, 1 not enforced", "NP blue/allow-web", "EF yellow/default", "BANP default")
	s.WantNot("15/16")
	s.WantNot("default deny of", "hairpin")

	deny := revision.DefaultDeny("blue", model.Ingress)
	z := *p.Zones[1]
	in := *z.Policies[deny]
	in.InSync, in.Missing, in.DiffSince, in.Touched = false, 1, uitest.Now.Add(-30*time.Second), uitest.Now.Add(-30*time.Second)
	z.Policies = maps.Clone(z.Policies)
	z.Policies[deny] = &in
	z.Policies[model.PolicyKey{Kind: model.KindNP, Namespace: "blue", Name: "gone"}] = &in
	p.Zones[1] = &z
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Resize(120, 60)
	s.Want("default deny of blue, ingress", "behind 1", "NP blue/gone")
	s.WantNot("default deny of blue, egress", "default deny of green")
	s.Press("tab", "/")
	s.Type("default deny of")
	s.Press("enter", "enter")
	s.Want("rows", "filter: (deny|ARP", "zone ovn-worker")
}

// many are 500 zones of which five have an altered row, two are dead, one may not be
// read and three were not read yet.
func many(t *testing.T) *revision.Facts {
	p := uitest.ClusterFacts(t)
	uitest.ManyZones(p, 500)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	for _, z := range []string{"worker-007", "worker-133", "worker-204", "worker-377", "worker-490"} {
		uitest.PolicyBehind(p, z, k)
	}
	uitest.DeadZone(p, "worker-301")
	uitest.DeadZone(p, "worker-450")
	for i, z := range p.Zones {
		switch z.Name {
		case "worker-480", "worker-481", "worker-482":
			p.Zones[i] = &model.ZoneState{Name: z.Name, Conn: model.ConnStarting, ConnAt: uitest.Now.Add(-time.Minute)}
		case "worker-483":
			p.Zones[i] = &model.ZoneState{Name: z.Name, Conn: model.ConnDenied, ConnAt: uitest.Now.Add(-time.Minute), Error: "no permission to exec into pods of ovn-kubernetes"}
		}
	}
	p.Sweep.Read, p.Sweep.Failed, p.Sweep.Round = 474, 3, 1
	return p
}

// 500 zones: counted in the header, worst first, filtered by state, and one line per
// policy below; opening one follows it.
func TestZonesMany(t *testing.T) {
	p := many(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Want("500 zones ●494 ◐3 ■2 ✗1", "●494 read  ◐3 not read yet  ■2 lost  ✗1 no permission  ≠ rows differ in 5", "round 1",
		"behind: cluster-control", "489 of 500", "5 behind", "≠ worker-007 and 4 more")
	s.Golden("many")
	s.ResizeAll()

	s.Press("V")
	s.Want("zones: rows differ", "worker-490")
	s.WantNot("worker-301 lost", "worker-000 synced")
	s.Press("g", "j", "enter")
	s.Want("zone worker-133", "2,013 rows of worker-133 read and compared", "behind or frozen when it was read: ANP cluster-control")
	s.Golden("follow")
	if diff := cmp.Diff([]string{"worker-133"}, s.Console.Looked); diff != "" {
		t.Error(diff)
	}
	s.Press("esc", "V")
	s.Want("zones: unreachable", "worker-301", "worker-483")
	s.WantNot("worker-490 read", "worker-480")
	s.Press("V")
	s.Want("zones: OVN trouble", "no zone matches: OVN trouble")
	s.Press("V", "V")
	s.Want("zones: read in turn")
	s.Press("V")
	s.Resize(200, 60)
	s.Want("●494 read  ◐3 not read yet")

	// What changes is counted within a second, also while revisions follow each other.
	uitest.PolicyBehind(p, "worker-055", model.Key{Kind: model.KindANP, Name: "blue-tenant"})
	s.Console.Set(p)
	s.Console.Advance(time.Second)
	s.Refresh()
	s.Want("rows differ in 6", "behind: blue-tenant")
}

// A frame of 500 zones while they are being read: every revision has another zone.
func BenchmarkMany(b *testing.B) {
	p := uitest.ClusterFacts(b)
	uitest.ManyZones(p, 500)
	s := uitest.OpenScreen(b, p, nav.NewPage(nav.Zones))
	i := 0
	for b.Loop() {
		z := *p.Zones[100+i%400]
		z.SyncedAt = z.SyncedAt.Add(time.Second)
		p.Zones[100+i%400] = &z
		b.StopTimer()
		s.Console.Set(p)
		b.StartTimer()
		s.Refresh()
		i++
	}
}

// A filter that nothing matches is said to match nothing once, not by each table.
func TestNothingMatchesOnce(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Zones))
	s.Press("/")
	s.Type("zzzz")
	s.Press("enter")
	s.Want("0 of 19 match")
	if n := strings.Count(s.PlainFrame(), "nothing matches"); n != 1 {
		t.Errorf("said %d times:\n%s", n, s.PlainFrame())
	}
	s.WantFits()
}

// Which column is which zone, and how a policy stands there, is seen at any width.
func TestEveryZoneHasItsName(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	for _, w := range []int{80, 100, 120, 160} {
		s.Resize(w, 40)
		head := s.Line("PRIO")
		for _, name := range []string{"control-plane", "worker", "worker2"} {
			if !strings.Contains(head+" ", name+" ") {
				t.Errorf("at %d no %q in %q", w, name, head)
			}
		}
		if l := s.Line("experimental"); strings.Count(l, "not enforced") != 3 {
			t.Errorf("at %d: %q", w, l)
		}
	}

	zone := p.Zones[0]
	p = uitest.DemoFacts(t)
	p.Zones = nil
	for _, n := range []string{"0-12", "0-17", "1-3", "1-99", "2-4", "2-5", "3-201"} {
		z := *zone
		z.Name = "ip-10-0-" + n + ".eu-west-1.compute.internal"
		p.Zones = append(p.Zones, &z)
	}
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Resize(140, 40)
	if l := s.Line("PRIO"); !strings.Contains(l, " 0-12 ") || !strings.Contains(l+" ", " 3-201 ") {
		t.Errorf("ends of names: %q", l)
	}
	s.Resize(80, 40)
	if l := strings.Join(strings.Fields(s.Line("PRIO")), " "); l != "PRIO POLICY 1 2 3 4 5 6 7 REPORTED" {
		t.Errorf("numbers: %q", l)
	}
	s.Want("1 0-12", "7 3-201", "✓ in sync", "✗ not enforced", "multi-tenant-isolation ")
	if l := s.Line("experimental"); strings.Count(l, "✗") != 7 {
		t.Errorf("signs: %q", l)
	}
	for y, l := range strings.Split(s.PlainFrame(), "\n") {
		if strings.Contains(l, "34 cluster-control") {
			s.Send(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft})
			break
		}
	}
	s.Press("enter")
	s.Want("› cluster-control")
	s.Press("esc")
	s.ResizeAll()
	for h := 8; h < 24; h++ {
		s.Resize(80, h)
		s.WantFits()
	}
}

// The lower table has what controllers reported of each policy: counts with the sign of the
// worst, and a message that two zones share once.
func TestReported(t *testing.T) {
	const failure = "a host-cidrs annotation cannot be read"
	for name, n := range map[string]int{"few": 3, "many": 500} {
		t.Run(name, func(t *testing.T) {
			p := uitest.ClusterFacts(t)
			if n > 3 {
				uitest.ManyZones(p, n)
			}
			var all []string
			for _, z := range p.Zones {
				all = append(all, z.Name)
			}
			anp := func(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }
			uitest.ControllerReports(p, anp("cluster-control"), map[string]string{all[1]: failure, all[2]: failure}, all...)
			uitest.ControllerReports(p, anp("blue-tenant"), nil, append(all, "ovn-worker9")...)
			uitest.ControllerReports(p, anp("green-tenant"), nil, all...)
			uitest.PolicyBehind(p, all[2], anp("green-tenant"))
			s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
			s.Resize(200, 60)
			s.Want("REPORTED")
			s.Want(fmt.Sprintf("■ %d of %d", n-2, n), fmt.Sprintf("✓ %d of %d", n, n), fmt.Sprintf("≠ %d of %d", n, n), fmt.Sprintf("? 0 of %d", n))
			if n == 3 {
				s.Want("reported by 2 zones (" + all[1] + " and " + all[2] + "): " + failure)
			}
			s.Press(":")
			s.Type("conditions")
			s.Want("their controllers' reports on each policy")
		})
	}
}

// TestReportedZones: zones of which node agents report are named so, with the age of the last sign of life.
func TestReportedZones(t *testing.T) {
	p := uitest.ClusterFacts(t)
	for i, z := range p.Zones {
		next := *z
		if i > 0 {
			next.Conn, next.Agent, next.Endpoint, next.DB, next.SyncedAt = model.ConnSwept, "rung-observe-"+z.Name, "agent rung-observe-"+z.Name, nil, uitest.Now.Add(-4*time.Second)
		}
		if i == 2 {
			next.Conn, next.Agent, next.Error = model.ConnLost, "", "node agent rung-observe-"+z.Name+" is silent since 14:01:58"
		}
		p.Zones[i] = &next
	}
	p.Sweep = revision.SweepState{Reported: 1, OldestReport: uitest.Now.Add(-4 * time.Second)}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Want("by agent", "4s ago", "silent since")
	s.Golden("reported")
	s.Press("enter")
	s.ResizeAll()
	page := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	page.Want("by node agents, the oldest 4s old")
}
