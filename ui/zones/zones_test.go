package zones_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/engine/revision"
	"rung/model"
	"rung/ui/nav"
	"rung/ui/uitest"
)

func TestZones(t *testing.T) {
	p := uitest.Demo(t)
	uitest.Units(p)
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

	s := uitest.Open(t, p, nav.To(nav.Zones))
	s.Resize(160, 45)
	s.Want("lost", "writing paused: the zone does not answer", "connection refused", "7 attempts", "behind 1",
		"stale", "not enforced", "transaction refused (3×)")
	s.Resize(120, 34)
	s.Golden("zones")
	s.Resizes()

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

func TestNoZones(t *testing.T) {
	p := uitest.Demo(t)
	p.Zones = nil
	s := uitest.Open(t, p, nav.To(nav.Zones))
	s.Want("no zones yet")
	s.Press("j", "tab", "enter", "y", "r")
	s.Resizes()
}

// Policies of all kinds are counted and listed; other rows are named where they are
// not in sync.
func TestUnits(t *testing.T) {
	p := uitest.Demo(t)
	uitest.Units(p)
	s := uitest.Open(t, p, nav.To(nav.Zones))
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
	s = uitest.Open(t, p, nav.To(nav.Zones))
	s.Resize(120, 60)
	s.Want("default deny of blue, ingress", "behind 1", "NP blue/gone")
	s.WantNot("default deny of blue, egress", "default deny of green")
	s.Press("tab", "/")
	s.Type("default deny of")
	s.Press("enter", "enter")
	s.Want("rows", "filter: (deny|ARP|", "zone ovn-worker")
}

// many are 500 zones of which five have an altered row, two are dead, one may not be
// read and three were not read yet.
func many(t *testing.T) *revision.Facts {
	p := uitest.Cluster(t)
	uitest.Many(p, 500)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	for _, z := range []string{"worker-007", "worker-133", "worker-204", "worker-377", "worker-490"} {
		uitest.Behind(p, z, k)
	}
	uitest.Dead(p, "worker-301")
	uitest.Dead(p, "worker-450")
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
func TestMany(t *testing.T) {
	p := many(t)
	s := uitest.Open(t, p, nav.To(nav.Zones))
	s.Want("500 zones ●494 ◐3 ○2 ✗1", "●494 read  ◐3 not read yet  ○2 lost  ✗1 no permission  ≠ rows differ in 5", "round 1",
		"behind: cluster-control", "489 of 500", "5 behind", "● worker-007, worker-133, worker-204 and")
	s.Golden("many")
	s.Resizes()

	s.Press("t")
	s.Want("zones: rows differ", "worker-490")
	s.WantNot("worker-301 lost", "worker-000 synced")
	s.Press("g", "j", "enter")
	s.Want("zone worker-133", "2,013 rows of worker-133 were read", "behind or frozen when it was read: ANP cluster-control")
	s.Golden("follow")
	if diff := cmp.Diff([]string{"worker-133"}, s.Console.Looked); diff != "" {
		t.Error(diff)
	}
	s.Press("esc", "t")
	s.Want("zones: unreachable", "worker-301", "worker-483")
	s.WantNot("worker-490 read")
	s.Press("t", "t")
	s.Want("zones: read in turn")
	s.Press("t")
	s.Resize(200, 60)
	s.Want("●494 read  ◐3 not read yet")

	// What changes is counted within a second, also while revisions follow each other.
	uitest.Behind(p, "worker-055", model.Key{Kind: model.KindANP, Name: "blue-tenant"})
	s.Console.Set(p)
	s.Console.Advance(time.Second)
	s.Refresh()
	s.Want("rows differ in 6", "behind: blue-tenant")
}

// A frame of 500 zones while they are being read: every revision has another zone.
func BenchmarkMany(b *testing.B) {
	p := uitest.Cluster(b)
	uitest.Many(p, 500)
	s := uitest.Open(b, p, nav.To(nav.Zones))
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
