package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// Of 500 zones those that need attention are listed, conditions are counted, and the
// same event of 500 controllers is one line.
func TestManyZones(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.ManyZones(p, 500)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	var zones []string
	var events []model.Object
	for i, z := range p.Zones {
		zones = append(zones, z.Name)
		events = append(events, &model.Event{Meta: model.Meta{Key: model.Key{Kind: model.KindEvent, Namespace: "default", Name: fmt.Sprintf("e%03d", i)}}, About: k,
			Type: "Warning", Reason: "ANPWithDuplicatePriority", Message: "This ANP cluster-control has a conflicting priority with ANP other", Reporter: z.Name, Count: 1,
			Last: uitest.Now.Add(-time.Minute - time.Duration(i)*time.Second)})
	}
	p.Cluster, _ = p.Cluster.Upsert(events, nil)
	uitest.ControllerReports(p, k, map[string]string{"worker-204": "failed to update ANP cluster-control: no space"}, zones...)
	uitest.PolicyBehind(p, "worker-377", k)
	uitest.DeadZone(p, "worker-301")
	s := uitest.OpenScreen(t, p, nav.ToPolicy(k))
	s.Press("Z")
	s.Want("worker-377", "worker-301", "and 498 more zones: 498 in sync", "ready in 499 of 500 zones, not ready in 1, rows disagree in 2",
		"1 zone (worker-204): failed to update", "ANPWithDuplicatePriority ×500 from 500 zones")
	s.WantNot("worker-490")
	s.Golden("many")
	s.ResizeAll()
	s.Press("/")
	s.Type("ready in")
	s.Press("enter", "enter")
	s.Want("policies over all zones", "■ 499 of 500")
}

// Each zone has what its controller reported beside its rows, with its age; a zone that said
// nothing and the report of a node that is gone are told, too.
func TestReportsBesideRows(t *testing.T) {
	p := uitest.ClusterFacts(t)
	k := model.Key{Kind: model.KindANP, Name: "green-tenant"}
	var zones []string
	for _, z := range p.Zones {
		zones = append(zones, z.Name)
	}
	uitest.ControllerReports(p, k, map[string]string{zones[1]: "no space"}, zones[1], zones[2], "ovn-worker9")
	uitest.PolicyBehind(p, zones[2], k)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(k))
	s.Resize(200, 60)
	s.Press("Z")
	for zone, want := range map[string]string{zones[0]: "? no report", zones[1] + " ": "■ reported not ready 7m ago", zones[2] + "  ": "≠ reported ready 30m ago"} {
		if line := s.Line(zone); !strings.Contains(line, want) {
			t.Errorf("zone %s: %q, want %s", zone, line, want)
		}
	}
	s.Want("ready in 1 of 3 zones, not ready in 1, rows disagree in 2, no report: 1 ("+zones[0]+"), zone gone: 1 (ovn-worker9)", "SetupFailed", "no space")
}
