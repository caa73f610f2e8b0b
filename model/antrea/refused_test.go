package antrea_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/antrea"
)

// Policies in a tier that admission refuses decide nothing, and have a finding of it: its
// priority is reserved, or that of another tier, the older one of which stands.
func TestRefusedTiers(t *testing.T) {
	old, young := tier("old", 30), tier("young", 30)
	old.Created, young.Created = time.Unix(1, 0), time.Unix(2, 0)
	c := clusterOf(tier("high", 251), tier("high2", 300), tier("static", 50), tier("one", 20), tier("other", 20), old, young, tier("fine", 40),
		acnp("in-high", "high", 1), acnp("in-high2", "high2", 1), acnp("in-static", "static", 1), acnp("in-one", "one", 1), annp("a", "in-other", "other", 1),
		acnp("in-old", "old", 1), acnp("in-young", "young", 1), acnp("in-fine", "fine", 1), acnp("in-app", "", 1))
	decides := map[string]bool{"in-old": true, "in-fine": true, "in-app": true}
	for _, p := range antrea.EffectiveOrder(c) {
		if p.Missing == decides[p.Policy.Name] {
			t.Errorf("%s: decides %t", p.Policy.Name, !p.Missing)
		}
	}
	told := map[string]string{}
	for _, f := range antrea.CheckCluster(c) {
		if f.Code == antrea.TierMissing && f.Severity == model.SeverityError {
			told[f.Policy.Name] = f.Message
		}
	}
	for p := range c.TieredPolicies() {
		if msg, ok := told[p.Name]; ok == decides[p.Name] || ok && !strings.Contains(msg, "is rejected (priority ") {
			t.Errorf("%s: %q", p.Name, msg)
		}
	}
}
