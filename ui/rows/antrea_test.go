package rows_test

import (
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// The page of a rule of Antrea: its place in Antrea's order, what it means, and that there
// are no rows to compare.
func TestAntreaGoldens(t *testing.T) {
	for _, c := range []struct {
		golden, policy string
		direction      model.Direction
	}{
		{"antrea", "acnp-with-log-setting", model.Ingress},
		{"antrea-self", "strict-ns-isolation", model.Ingress},
		{"antrea-fqdn", "acnp-fqdn-all-foobar", model.Egress},
	} {
		s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToRule(model.Key{Kind: model.KindACNP, Name: c.policy}, c.direction, 0))
		s.Golden(c.golden)
		s.ResizeAll()
	}
}
