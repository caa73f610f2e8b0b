package zones_test

import (
	"maps"
	"testing"
	"time"

	"rung/engine"
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
	s.Want("lost", "writing paused: the zone does not answer", "connection refused", "7 attempts", "behind 1",
		"stale", "not enforced", "transaction refused (3×)")
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
	s.Want("no zone is known yet")
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
	s.Want("15/16", "NP blue/allow-web", "EF yellow/default", "BANP default") // experimental is not enforced
	s.WantNot("default deny of", "hairpin")

	deny := engine.DefaultDeny("blue", model.Ingress)
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
	s.Want("rows", "filter: (deny|ARP|ICMP) of blue, ingr", "zone ovn-worker")
}
