package ready_test

import (
	"fmt"
	"testing"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

var (
	control = model.PolicyKey{Kind: model.KindANP, Name: "cluster-control"}
	blue    = model.PolicyKey{Kind: model.KindANP, Name: "blue-tenant"}
	green   = model.PolicyKey{Kind: model.KindANP, Name: "green-tenant"}
)

const failure = "failed to create ANP cluster-control: unable to convert peers to addresses for anp cluster-control: node ovn-worker has a host-cidrs annotation that cannot be read"

func names(p *revision.Facts) (out []string) {
	for _, z := range p.Zones {
		out = append(out, z.Name)
	}
	return out
}

// refuse lets every zone refuse the policy above the supported priorities.
func refuse(p *revision.Facts, zones []string) {
	k := model.PolicyKey{Kind: model.KindANP, Name: "experimental"}
	failed := map[string]string{}
	for _, z := range zones {
		failed[z] = "error attempting to add ANP experimental with priority 120 because, OVNK only supports priority ranges 0-99"
	}
	uitest.ControllerReports(p, k, failed, zones...)
}

// A few zones: a strip of marks, a failure in two zones told once, a report that the
// rows speak against, one of a node that is gone, and zones that said nothing.
func TestFew(t *testing.T) {
	p := uitest.ClusterFacts(t)
	all := names(p)
	for pol := range p.Cluster.Policies(model.KindANP) {
		uitest.ControllerReports(p, pol.Key, nil, all...)
	}
	refuse(p, all)
	uitest.ControllerReports(p, control, map[string]string{all[1]: failure, all[2]: failure}, all...)
	uitest.ControllerReports(p, blue, nil, append(all, "ovn-worker9")...)
	uitest.ControllerReports(p, green, nil, all...)
	uitest.PolicyBehind(p, all[2], green)
	f := uitest.NewFake(p)
	f.OnController = func(zone string, k model.PolicyKey) (*logs.Log, error) {
		return &logs.Log{Zone: zone, Policy: k, Source: "ovn-kubernetes/ovnkube-node-x/ovnkube-controller", Command: "kubectl logs x", Read: 10, First: uitest.Now}, nil
	}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.PageOf(nav.Ladder)})
	s.Press("7")
	s.Want("not verified", "■ 1 of 3", "✓■■", "≠ 3 of 3", "■ 0 of 3", "✓✓≠", "✓✓✓∅", "? 0 of 3", "2 zones (ovn-worker and ovn-worker2): failed to create")
	if l := s.Line("green-tenant"); l == "" {
		t.Error("no line for green-tenant")
	}
	s.Golden("few")
	s.ResizeAll()

	s.Press("V")
	s.Want("blue-tenant", "cluster-control")
	s.WantNot("break-glass")
	s.Press("g", "c") // the worst zone of the worst policy
	s.Want("controller of ovn-worker", "cluster-control")
	s.Press("esc", "enter")
	s.Want("1 of 3 zones ready", "2 not ready", "not verified")
	s.Golden("zones")
	s.ResizeAll()
	s.Press("c")
	s.Want("controller of ovn-worker", "failed to create")
	s.Press("esc", "enter")
	s.Want("zone ovn-worker", "filter:")
}

// 500 zones stay one line per policy, in counts.
func TestMany(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.ManyZones(p, 500)
	all := names(p)
	failed := map[string]string{}
	for i := 0; i < 37; i++ {
		failed[fmt.Sprintf("worker-%03d", 100+i)] = failure
	}
	for pol := range p.Cluster.Policies(model.KindANP) {
		uitest.ControllerReports(p, pol.Key, nil, all...)
	}
	refuse(p, all)
	uitest.ControllerReports(p, control, failed, all[:498]...)
	uitest.PolicyBehind(p, "worker-499", green)
	s := uitest.OpenScreen(t, p, nav.PageOf(nav.Ready))
	s.Want("■ 461 of 500", "37 zones (worker-100, worker-101, worker-102, worker-103 and 33 more): failed")
	s.WantNot("✓✓✓")
	s.Golden("many")
	s.Press("g", "enter")
	s.Want("461 of 500 zones ready", "37 not ready", "2 no report")
	s.Golden("many-zones")
	s.Press("V", "G")
	s.Want("worker-499", "no report")
	s.WantNot("worker-497")
}

// A node that goes leaves a stale condition behind, and no controller to ask; the
// page follows the objects.
func TestGone(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.ControllerReports(p, control, nil, "ovn-worker9")
	f := uitest.NewFake(p)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.Page{Kind: nav.Ready, Key: control}})
	s.Want("0 of 3 zones ready", "3 no report", "∅ 1 gone")
	s.Press("G", "c")
	s.Want("the node of zone ovn-worker9 is gone")
	s.Press("enter")
	s.Want("nothing to open here")
	uitest.ControllerReports(p, control, nil, names(p)...)
	f.Set(p)
	s.Refresh()
	s.Want("3 of 3 zones ready")
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{control})
	f.Set(p)
	f.Advance(time.Second)
	s.Refresh()
	s.Want("the policy no longer exists")
	s.Press("y")
}

// Without a cluster there are Rung's own reports, and no controller.
func TestDemo(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.PageOf(nav.Ready))
	s.Want("? 0 of 3")
	s.Press("c")
	s.Want("the controllers' logs are read on a cluster only")
}
