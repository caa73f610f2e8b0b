package revision_test

import (
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
)

// Every kind of unit on every kind of network may differ: whose policy is nobody's has no known cause.
func TestCausesOnEveryNetwork(t *testing.T) {
	p := uitest.NetworkFacts(t)
	rev := revision.New(*p, nil)
	kinds, networks := map[model.Kind]bool{}, map[string]bool{}
	for _, z := range rev.Zones {
		z.Writes = false
		for u := range rev.Desired.Policies() {
			k := u.Key
			kinds[k.Kind], networks[k.Network] = true, true
			j := &model.PolicyInZone{Policy: k, Missing: 1, Touched: uitest.Now.Add(-time.Hour), DiffSince: uitest.Now.Add(-time.Hour),
				Diffs: []model.RowDiff{{Kind: model.DiffMissing, Table: "ACL", ID: "x"}}}
			z.Policies[k] = j
		}
	}
	for range 2 {
		revision.ExplainBehind(rev, uitest.Now, true)
	}
	for _, k := range []model.Kind{model.KindNetpolNamespace, model.KindPodSelector, model.KindNetpolDefault, model.KindNetpolNode, model.KindNP} {
		if !kinds[k] {
			t.Errorf("no unit of kind %s was altered", k)
		}
	}
	if len(networks) < 4 {
		t.Errorf("units of %d networks were altered", len(networks))
	}
}
