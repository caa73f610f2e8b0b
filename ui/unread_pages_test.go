package ui_test

import (
	"testing"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// emptinesses are texts that say that something is not there.
var emptinesses = []string{"findings none", "nothing found", "no policy is wrong", "100 free", "priorities free", "ANP 0", "NP 0", "NetworkPolicy 0", "EgressFirewall 0",
	"pods 0", "0 in all", "no pods", "no policy logs", "no logging session:", "nothing to report", "no connections"}

// TestUnreadPages walks the pages of a cluster of which nothing was read: none calls anything empty.
func TestUnreadPages(t *testing.T) {
	const refused = "dial tcp 192.0.2.1:6443: connect: connection refused"
	for _, c := range []struct {
		name string
		conn model.ConnState
		why  string
		want string
	}{
		{"lost", model.ConnLost, refused, "connection refused"},
		{"refused", model.ConnDenied, "forbidden for user jane", "forbidden for user jane"},
		{"loading", model.ConnDialling, "", "still reading prod-eu, 0 objects so far"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []nav.PageKind{nav.Ladder, nav.Findings, nav.Plan, nav.Matrix, nav.Logs, nav.Sessions, nav.Ready, nav.Zones, nav.Rows, nav.Cluster} {
				p := uitest.ClusterFacts(t)
				p.Cluster, p.Broken, p.Zones, p.Loaded, p.Desired = nil, nil, nil, c.conn != model.ConnDialling, nil
				src := &p.Sources[0]
				src.Conn, src.Error, src.ReadAt = c.conn, c.why, revision.Facts{}.At
				for i := range src.Resources {
					res := &src.Resources[i]
					res.Conn, res.Error, res.Count, res.WasRead = c.conn, c.why, 0, false
				}
				s := uitest.OpenScreen(t, p, nav.PageOf(kind))
				s.Resize(200, 40)
				s.Want("findings ?", "ANP ?", "pods ?")
				if kind != nav.Cluster { // which says it of every resource
					s.Want(c.want)
				}
				s.WantNot(emptinesses...)
			}
		})
	}
}

// TestOneKindUnread has a cluster whose pods may not be read: what rests on pods is unknown, and the
// policies are shown.
func TestOneKindUnread(t *testing.T) {
	p := uitest.ClusterFacts(t)
	c := p.Cluster
	for pod := range c.Pods() {
		c, _ = c.Upsert(nil, []model.Key{pod.Key})
	}
	p.Cluster, p.Desired = c, nil
	for i := range p.Sources[0].Resources {
		if res := &p.Sources[0].Resources[i]; res.Kind == model.KindPod {
			res.Conn, res.Error, res.Count = model.ConnDenied, "pods is forbidden", 0
		}
	}
	s := uitest.OpenScreen(t, p, nav.PageOf(nav.Ladder))
	s.Resize(200, 40)
	s.Want("findings ?", "ANP 10", "pods ?")
	s.WantNot("behind", "NetworkPolicy ?")
	s = uitest.OpenScreen(t, p, nav.PageOf(nav.Matrix))
	s.Want("unknown: Pods were not read: pods is forbidden")
	s.WantNot("no pods")
}
