package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// emptinesses are texts that say that something is not there.
var emptinesses = []string{"findings none", "nothing found", "no policy is wrong", "100 free", "priorities free", "ANP 0", "NP 0", "NetworkPolicy 0", "EgressFirewall 0",
	"pods 0", "0 in all", "no pods", "no policy logs", "no logging session:", "nothing to report", "no connections", "no zones", "behind", "does not exist", "no policies", "no policy could",
	"nothing to convert", "nothing differs", "neither end is a pod"}

// unreadWalk are the pages of the walk, by the names that the golden has.
var unreadWalk = []struct {
	name string
	page nav.Page
}{
	{"ladder", nav.NewPage(nav.Ladder)}, {"findings", nav.NewPage(nav.Findings)}, {"plan", nav.NewPage(nav.Plan)}, {"matrix", nav.NewPage(nav.Matrix)},
	{"logs", nav.NewPage(nav.Logs)}, {"sessions", nav.NewPage(nav.Sessions)}, {"zones", nav.NewPage(nav.Zones)}, {"rows", nav.NewPage(nav.Rows)},
	{"cluster", nav.NewPage(nav.Cluster)}, {"activity", nav.NewPage(nav.Activity)}, {"diff", nav.NewPage(nav.Diff)},
	{"template", nav.ToTemplate(50)}, {"omitted", nav.NewPage(nav.Omitted)},
	{"trace of pods", nav.ToTrace("blue/api-d0 red/web-f0 8080")},
	{"trace of addresses", nav.ToTrace("10.244.0.4 10.244.0.3 8080")},
	{"probe", nav.ToProbe("blue/api-d0 red/web-f0 8080")},
}

// unreadFacts are the facts of a cluster whose server is in a state: nothing, or one kind, was not read.
func unreadFacts(t *testing.T, conn model.ConnState, why string, only model.Kind) *revision.Facts {
	p := uitest.ClusterFacts(t)
	p.Desired, p.Zones, p.Loaded = nil, nil, conn != model.ConnDialling
	c := p.Cluster
	for o := range p.Cluster.Objects() {
		if k := o.ObjectKey(); only == "" || k.Kind == only {
			c, _ = c.Upsert(nil, []model.Key{k})
		}
	}
	p.Cluster = c
	src := &p.Sources[0]
	if only == "" {
		p.Broken = nil
		src.Conn, src.Error, src.ReadAt = conn, why, revision.Facts{}.At
	}
	for i := range src.Resources {
		if res := &src.Resources[i]; only == "" || res.Kind == only {
			res.Conn, res.Error, res.Count, res.WasRead = conn, why, 0, false
		}
	}
	return p
}

// TestUnreadPages walks the pages of a cluster of which nothing, or all but pods, was read: none
// calls anything empty. The line of each that says so is in testdata/unread.txt.
func TestUnreadPages(t *testing.T) {
	const refused = "dial tcp 192.0.2.1:6443: connect: connection refused"
	var got strings.Builder
	for _, c := range []struct {
		name string
		conn model.ConnState
		why  string
		only model.Kind
	}{
		{"lost", model.ConnLost, refused, ""},
		{"refused", model.ConnDenied, "forbidden for user jane", ""},
		{"loading", model.ConnDialling, "", ""},
		{"pods refused", model.ConnDenied, "pods are forbidden for user jane", model.KindPod},
	} {
		fmt.Fprintf(&got, "== %s\n", c.name)
		for _, page := range unreadWalk {
			t.Run(c.name+" "+page.name, func(t *testing.T) {
				s := uitest.OpenScreen(t, unreadFacts(t, c.conn, c.why, c.only), page.page)
				s.Resize(200, 40)
				s.Want("findings ?", "pods ?")
				if c.only == "" {
					s.Want("ANP ?")
					s.WantNot(emptinesses...)
				}
				line := ""
				for l := range strings.SplitSeq(s.PlainFrame(), "\n") {
					if line == "" && (strings.Contains(l, "unknown") || strings.Contains(l, "still reading") || strings.Contains(l, "not read") || strings.Contains(l, "may not")) {
						line = strings.Join(strings.Fields(l), " ")
					}
				}
				fmt.Fprintf(&got, "%-18s %s\n", page.name, line)
			})
		}
	}
	uitest.CompareGolden(t, "testdata/unread.txt", got.String())
}

// TestUnreadTraceDialog asks for a name while pods are not read: whether there is one is unknown.
func TestUnreadTraceDialog(t *testing.T) {
	s := uitest.OpenScreen(t, unreadFacts(t, model.ConnDenied, "pods are forbidden", model.KindPod), nav.NewPage(nav.Ladder))
	s.Press("t")
	s.Type("zzzz")
	s.Want("unknown: Pods were not read")
	s.WantNot("no pod, node or Service")
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
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 40)
	s.Want("findings ?", "ANP 10", "pods ?")
	s.WantNot("behind", "NetworkPolicy ?")
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Matrix))
	s.Want("unknown: Pods were not read: pods is forbidden")
	s.WantNot("no pods")
}
