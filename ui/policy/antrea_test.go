package policy_test

import (
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// The page of a policy of Antrea: what it applies to where rules say it, each, the rules in
// Antrea's words, and what Antrea reports; no zones, as it has no rows.
func TestAntreaGoldens(t *testing.T) {
	k := model.Key{Kind: model.KindACNP, Name: "acnp-with-log-setting"}
	uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToPolicy(k)).Golden("antrea")
	each := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToPolicy(model.Key{Kind: model.KindACNP, Name: "strict-ns-isolation"}))
	each.Golden("antrea-isolation")
	each.ResizeAll()
}
