package cluster_test

import (
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// addResource changes one resource of the API server.
func addResource(p *revision.Facts, name string, f func(*model.SourceResource)) {
	for i := range p.Sources[0].Resources {
		if r := &p.Sources[0].Resources[i]; r.Name == name {
			f(r)
		}
	}
}

func TestFine(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.ClusterFacts(t), nav.NewPage(nav.Ladder))
	s.Press("8")
	s.Want("context       prod-eu", "https://api.prod-eu.example:6443", "admin@example", "observed", "off: read-only  W allows them", "✓ pods", "yes: create pods/exec in ovn-kubernetes",
		"●3 read", "not followed until the log is opened (4)")
	s.ResizeAll()
	s.Press("enter")
	s.Want("contexts")
}

// The API server is gone: everything ages, and what was read stays.
func TestDead(t *testing.T) {
	p := uitest.ClusterFacts(t)
	src := &p.Sources[0]
	src.Conn, src.At, src.ReadAt, src.Error = model.ConnLost, uitest.Now.Add(-3*time.Minute), uitest.Now.Add(-3*time.Minute), "connection refused"
	for i := range src.Resources {
		r := &src.Resources[i]
		r.Conn, r.At, r.Attempts, r.Error = model.ConnLost, model.Stamp{Time: uitest.Now.Add(-3 * time.Minute)}, 14, "the API server does not answer: connection refused; tried again within 30s"
	}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	s.Want("prod-eu lost, read 3m ago", "■ pods", "lost since 14:02:00 (3m)", "had 12 objects", "connection refused")
	s.Want("tried again within 30s (14 failed attempts)")
	s.Golden("dead")
}

// No permission for pods, neither to list nor to exec; changes are refused too; one
// CRD is not there.
func TestRefused(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.AllowChanges(p, false, "pods", "pods/exec")
	addResource(p, "pods", func(r *model.SourceResource) {
		r.Conn, r.Count, r.Attempts, r.At = model.ConnDenied, 0, 3, model.Stamp{Time: uitest.Now.Add(-9 * time.Minute)}
		r.Error = "no permission to list pods; to check: kubectl --context=prod-eu auth can-i list pods"
	})
	addResource(p, "adminnetworkpolicies.policy.networking.k8s.io", func(r *model.SourceResource) {
		r.Conn, r.Count, r.At = model.ConnAbsent, 0, model.Stamp{Time: uitest.Now.Add(-9 * time.Minute)}
		r.Error = "the API server does not serve it: install the CRD of network-policy-api, or enable AdminNetworkPolicy in OVN-Kubernetes"
	})
	addResource(p, "egressfirewalls.k8s.ovn.org", func(r *model.SourceResource) { r.Conn, r.Count = model.ConnAbsent, 0 })
	for i, z := range p.Zones {
		next := *z
		next.Conn, next.DB, next.SyncedAt, next.Policies = model.ConnDenied, nil, time.Time{}, nil
		next.Error = "no permission to exec into pods of ovn-kubernetes"
		p.Zones[i] = &next
	}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	s.Resize(120, 60)
	s.Want("✗ pods", "auth can-i list pods", "no: list, watch pods", "the pods that policies select are unknown", "not checked against live rows",
		"no: create, delete, patch, update adminnetworkpolicies", "these changes are not offered", "does not serve it", "(optional)", "✗3 no permission", "$ kubectl --context=prod-eu auth can-i")
	s.Golden("refused")
	s.ResizeAll()
	s.Press("/")
	s.Type("no: create pods")
	s.Press("enter", "y")
	s.Want("kubectl command  kubectl --context=prod-eu auth can-")
}

// 500 zones: what the sweep does.
func TestMany(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.ManyZones(p, 500)
	uitest.DeadZone(p, "worker-301")
	p.Sweep.Failed = 1
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	s.Want("500 zones  ●499 read  ■1 lost", "20 followed live, 480 read in turn: all of them, 1 failed last time, the oldest 51s ago, round 3")
	p.Sweep.Read, p.Sweep.Oldest, p.Sweep.Round = 312, time.Time{}, 0
	s.Console.Set(p)
	s.Refresh()
	s.Want("480 read in turn: 312 of them so far, 1 failed last time")
}

// Without a cluster the page says where things come from instead.
func TestNoCluster(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Cluster))
	s.Want("no cluster", "the built-in demo", "written by Rung",
		"pods          41 in all: policies can select 39; 1 on the host network, 1 completed")
	s.WantNot("resources of the API server")
	s.ResizeAll()
}

// On Antrea the page and the header say that there are no rows and zones, and how changes are made.
func TestAntrea(t *testing.T) {
	p := uitest.AntreaFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	s.Want("Antrea: 7 tiers   SANDBOX  writes", "rows          none, and no zones: Antrea has no OVN rows",
		"changes       ALLOWED  after a preview and a confirmation; W returns to")
	s.Golden("antrea")
	p.Mode.Name, p.Mode.Title, p.Mode.Writes = revision.ClusterMode, "prod-eu", false
	s.Console.Set(p)
	s.Refresh()
	s.Want("prod-eu  Antrea: 7 tiers   READ-ONLY", "off: read-only  W allows them")
	s.WantNot("WRITES", "no zones yet")
	p.Mode.Writes, p.Mode.WriteBack = true, true
	s.Console.Set(p)
	s.Refresh()
	s.Want("WRITES FILES")
}
