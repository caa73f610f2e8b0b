package verdicts

import (
	"slices"
	"testing"

	"rung/model"
	"rung/model/antrea"
	"rung/model/convert"
	"rung/sources/manifests"
	"rung/test/made"
)

// TestWritten writes the policies of random clusters as objects of their API: what is read
// again is what was written.
func TestWritten(t *testing.T) {
	seen := map[model.Kind]int{}
	check := func(p *model.Policy) {
		if !p.Kind.IsAdmin() && !p.Kind.IsTiered() {
			return
		}
		for r := range p.AllRules() {
			if r.Tiered != nil && len(r.Tiered.L7) > 0 {
				return // a text only
			}
		}
		if p.HasLogging { // the annotation, as whoever reads a policy has it
			q := *p
			q.Annotations = map[string]string{model.AnnotationLogging: p.Logging}
			p = &q
		}
		out, err := manifests.PolicyObject(p)
		if err != nil {
			t.Fatalf("%s: %v", p.Key.Label(), err)
		}
		for r := range out.AllRules() {
			if r.Tiered != nil && r.Tiered.Generated {
				r.Name, r.Tiered.Generated = "", false // none was written
			}
		}
		if d := made.DiffPolicies(p, out); d != "" {
			t.Fatalf("%s: -want +got\n%s\n%s", p.Key.Label(), d, out.YAML)
		}
		seen[p.Kind]++
	}
	for seed := range draws(40, 400) {
		c, _ := newWorld(uint64(seed) + 80_000).cluster()
		for p := range c.AllPolicies() {
			check(p)
		}
		for _, p := range convert.ToCNP(slices.Collect(c.AllPolicies())).Policies {
			check(p)
		}
		c = newAntreaWorld(uint64(seed) + 80_000).cluster()
		for p := range c.AllPolicies() {
			check(p)
		}
		for p := range c.TieredPolicies() {
			q := *p
			if p.Tiered.Tier == antrea.Baseline {
				q.Tier = model.TierBaseline // as whoever reads a policy says
			}
			check(&q)
		}
	}
	t.Log(seen)
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP, model.KindACNP, model.KindANNP} {
		if seen[k] < 20 {
			t.Errorf("%d %s drawn", seen[k], k)
		}
	}
}
