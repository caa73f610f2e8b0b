package pod_test

import (
	"slices"
	"strings"
	"testing"

	"rung/model"
	"rung/pages/page"
	"rung/pages/pod"
	"rung/revision"
	"rung/test/uitest"
)

// Among Antrea's tiers the command said tier 1 or 3, no priority, and Deny for what the API
// calls Drop; the screen put what isolates the pod behind the baseline, which is asked after
// it. Both say now where each stands.
func TestPlacedTouches(t *testing.T) {
	r := revision.New(*uitest.AntreaFacts(t), nil)
	told := pod.FactsOfPod(r, r.Cluster.Pod("default", "web-0"), uitest.Now)
	var got []string
	for _, l := range told.Lines {
		switch {
		case !l.IsPrinted():
			got = append(got, "# "+strings.Trim(page.Cell{More: l.Full}.String(), "─ "))
		case l.Rule == 1 || l.Rule < 0 || l.PolicyKey.Kind == model.KindNP:
			var cells []string
			for _, c := range pod.Table.PrintedColumns() {
				cells = append(cells, c.Cell(l).String())
			}
			got = append(got, strings.Join(cells[:6], "|"))
		}
	}
	for _, want := range [][]string{
		{"# tier securityops (100) · first match decides", "securityops 100|5|ACNP strict-ns-isolation|ingress 1|Drop|subject and peer"},
		{"# NetworkPolicy · unless a tier above decided", "–||NP default/allow-web|ingress 0|Allow|subject", "–||default deny of default|ingress|Deny|isolated",
			"# tier baseline (253) · first match decides"},
	} {
		at := slices.Index(got, want[0])
		for _, line := range want {
			next := slices.Index(got, line)
			if at < 0 || next < at {
				t.Errorf("%q is not there, or not in its place:\n%s", line, strings.Join(got, "\n"))
			}
			at = next
		}
	}
}

// A command says as well that a pod is being deleted.
func TestDeleting(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	p := *r.Cluster.Pod("blue", "api-d0")
	p.Deleting = true
	if text := pod.FactsOfPod(r, &p, uitest.Now).SummaryText(); !strings.HasPrefix(text, "pod blue/api-d0  10.244.1.10  ovn-worker  Running  being deleted\n") {
		t.Error(text)
	}
}

// A command marks a policy that is not enforced where it is named: the names of rules, beside which
// it is said why, have no room in a narrow terminal. Programs read the name alone.
func TestNotEnforcedIsMarked(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	told := pod.FactsOfPod(r, r.Cluster.Pod("red", "canary-0"), uitest.Now)
	seen := 0
	for _, l := range told.Lines {
		for _, c := range pod.Table.PrintedColumns() {
			if l.IsPrinted() && c.Key == "policy" && l.PolicyKey.Name == "experimental" {
				seen++
				if got, exact := c.Cell(l).String(), c.Exact(l); got != "✗ ANP experimental" || exact != "ANP experimental" {
					t.Errorf("%s is %q, for programs %q", l.ID, got, exact)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("it is not there")
	}
}
