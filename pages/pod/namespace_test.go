package pod_test

import (
	"context"
	"strings"
	"testing"

	"rung/model/verdict"
	"rung/pages/pod"
	"rung/revision"
	"rung/test/uitest"
)

// Both directions of the connections agree with the verdicts of the pairs, and say nothing before they are known.
func TestNamespaceConnections(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	m, err := revision.FindMatrix(r, context.Background(), verdict.Ports{})
	if err != nil {
		t.Fatal(err)
	}
	for ns := range r.Cluster.Namespaces() {
		facts := pod.FactsOfNamespace(r, ns, m, nil)
		self, n := m.Namespace(ns.Name), 0
		if self == nil {
			if facts.Pods > 0 || len(facts.Reaches) > 0 {
				t.Errorf("%s: no pods, but %d and %v", ns.Name, facts.Pods, facts.Reaches)
			}
			continue
		}
		for v, names := range facts.ReachedBy {
			for _, name := range names {
				n++
				if got := m.Cell(m.Namespace(name), self).Verdict(); got != v {
					t.Errorf("%s → %s: %s, not %s", name, ns.Name, got, v)
				}
			}
		}
		for v, names := range facts.Reaches {
			for _, name := range names {
				n++
				if got := m.Cell(self, m.Namespace(name)).Verdict(); got != v {
					t.Errorf("%s → %s: %s, not %s", ns.Name, name, got, v)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has pods, but no connections", ns.Name)
		}
		if text := pod.FactsOfNamespace(r, ns, nil, nil).Text(); !strings.Contains(text, "working out") || strings.Contains(text, "may reach") {
			t.Errorf("%s before its connections are known:\n%s", ns.Name, text)
		}
	}
}

// Policies of other namespaces that apply to no pod here are left out, policies of the namespace are not.
func TestNamespacePolicies(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	found, err := revision.AllFindings(r, context.Background())
	if err != nil {
		t.Fatal(err)
	}
	facts := pod.FactsOfNamespace(r, r.Cluster.Namespace("yellow"), nil, found)
	listed := map[string]int{}
	for _, p := range facts.Policies {
		listed[p.Policy] = p.Pods
	}
	for p := range r.Cluster.AllPolicies() {
		n := 0
		for _, s := range r.Subjects(p.Key) {
			if s.Namespace == "yellow" {
				n++
			}
		}
		got, ok := listed[p.Key.String()]
		if want := n > 0 || p.Namespace == "yellow"; ok != want || got != n {
			t.Errorf("%s: listed %t with %d pods, not %t with %d", p.Key, ok, got, want, n)
		}
	}
	text := facts.Text()
	for _, want := range []string{"namespace yellow  6 pods", "EF yellow/default", "egress   denied for", "isolated by NP yellow/web-to-vault"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
