package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rung/change/write"
	"rung/model"
	"rung/test/install"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui"
	"rung/ui/nav"
)

// hardCluster is a folder with 300 policies at one priority, whose names have 253 characters and of which
// half deny what the others allow, and 10,000 pods in 20 namespaces.
func hardCluster(t *testing.T) (dir string, names []string) {
	t.Helper()
	var b strings.Builder
	object := func(format string, args ...any) { fmt.Fprintf(&b, "---\n"+format, args...) }
	object("apiVersion: v1\nkind: Node\nmetadata: {name: ovn-worker}\n")
	for ns := range 20 {
		object("apiVersion: v1\nkind: Namespace\nmetadata: {name: ns-%02d, labels: {team: t-%02d}}\n", ns, ns)
		for i := range 500 {
			object("apiVersion: v1\nkind: Pod\nmetadata: {name: p-%03d, namespace: ns-%02d, labels: {app: a-%d}}\n"+
				"spec: {nodeName: ovn-worker, containers: [{name: c, ports: [{containerPort: 8080}]}]}\n"+
				"status: {phase: Running, podIP: 10.%d.%d.%d}\n", i, ns, i%3, 100+ns, i/250, i%250+1)
		}
	}
	label := strings.Repeat("x", 63) + "."
	for i := range 300 {
		name := fmt.Sprintf("%03d.%s%s%s%s", i, label, label, label, strings.Repeat("y", 57))
		names = append(names, name)
		object("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: %s}\nspec: {priority: 50,"+
			" subject: {namespaces: {matchLabels: {team: t-%02d}}}, ingress: [{name: r, action: %s, from: [{namespaces: {matchLabels:"+
			" {team: t-%02d}}}]}]}\n", name, i%20, []string{"Allow", "Deny"}[i/150], (i+1)%20)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, names
}

// TestPagesLeadWithTheirFact: in a cluster with long names and many of everything, at every size and without
// colours or signs, the fact of a page is on its first lines.
func TestPagesLeadWithTheirFact(t *testing.T) {
	install.WithoutRace(t)
	dir, names := hardCluster(t)
	g := uitest.NewGatedOn(t, write.FileOptions{Paths: []string{dir}}, nil)
	first := model.Key{Kind: model.KindANP, Name: names[0]}
	for _, p := range []struct {
		name string
		page nav.Page
		fact string // in the first lines, one of which is the header and one the crumbs
		in   int
	}{
		{"ladder", nav.NewPage(nav.Ladder), `≠`, 10},
		{"policy", nav.ToPolicy(first), `AdminNetworkPolicy 000\.`, 3},
		{"rule", nav.ToRule(first, model.Ingress, 0), `What .*500 pods`, 4},
		{"findings", nav.NewPage(nav.Findings), `■ .*conflicts`, 5},
		{"matrix", nav.NewPage(nav.Matrix), `ns-00 .*[✗✓▲]`, 7},
		{"trace", nav.ToTrace("ns-01/p-000 ns-00/p-000 TCP 8080"), `▲ .*undefined`, 3},
	} {
		t.Run(p.name, func(t *testing.T) {
			for _, ascii := range []bool{false, true} {
				s := uitest.OpenWith(t, g.Fake, ui.Options{Page: p.page, Config: ui.Config{ASCII: ascii}})
				for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 34}, {300, 100}} {
					s.Resize(size[0], size[1])
					s.WantFits()
					lines := strings.SplitN(s.PlainFrame(), "\n", p.in+1)
					fact := p.fact
					for _, sign := range []string{"≠", "■", "▲", "✗", "✓"} {
						if ascii {
							fact = strings.ReplaceAll(fact, sign, regexp.QuoteMeta(themes.ASCII(sign)))
						}
					}
					if top := strings.Join(lines[:p.in], "\n"); !regexp.MustCompile(fact).MatchString(top) {
						t.Errorf("%v, ASCII %v: no %s in\n%s", size, ascii, fact, s.PlainFrame())
					}
				}
			}
		})
	}
}
