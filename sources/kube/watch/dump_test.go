package watch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/kube"
)

// shortNames are what a dump calls resources that have a shorter name.
var shortNames = map[string]string{
	"namespaces": "ns", "pods": "po", "nodes": "no", "services": "svc", "endpointslices.discovery.k8s.io": "endpointslices",
	"adminnetworkpolicies.policy.networking.k8s.io": "anp", "baselineadminnetworkpolicies.policy.networking.k8s.io": "banp",
	"networkpolicies.networking.k8s.io": "netpol", "egressfirewalls.k8s.ovn.org": "egressfirewalls",
}

// A dump, as README, help and clusters.md make it, has every kind that Rung reads of a cluster; what
// most clusters do not have, and kubectl therefore refuses, stands in a table below it.
func TestDumpsAreWhole(t *testing.T) {
	rare := []model.Kind{model.KindCNP, model.KindEvent}
	for _, r := range slices.Concat(kube.NetworkResources, kube.TieredResources) {
		rare = append(rare, r.Kind)
	}
	var usual, more []string
	for _, r := range watchedResources(1) {
		if !slices.Contains(rare, r.kind) {
			usual = append(usual, shortNames[r.name])
		} else if !slices.Contains(more, r.name) {
			more = append(more, r.name)
		}
	}
	slices.Sort(usual)
	for _, name := range []string{"README.md", "cli/root.go", "docs/clusters.md"} {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		dump := regexp.MustCompile(`kubectl get (\S*\banp\b\S*) -A -o yaml`).FindStringSubmatch(string(text))
		if dump == nil {
			t.Errorf("%s has no dump", name)
			continue
		}
		got := strings.Split(dump[1], ",")
		slices.Sort(got)
		if diff := cmp.Diff(usual, got); diff != "" {
			t.Errorf("%s (-read +dumped)\n%s", name, diff)
		}
		if name != "docs/clusters.md" {
			continue
		}
		_, section, _ := strings.Cut(string(text), "\n## A dump\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, r := range more {
			if !strings.Contains(section, "`"+r+"`") {
				t.Errorf("docs/clusters.md#a-dump does not name %s", r)
			}
		}
	}
}
