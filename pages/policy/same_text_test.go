package policy_test

import (
	"testing"

	"rung/model"
	"rung/pages/page"
	"rung/pages/policy"
	"rung/revision"
	"rung/test/uitest"
)

// Of a rule about nodes the command said that no pod is behind it, and ports stood beside each
// other without a comma; a rule of Antrea without peers had none on the screen.
func TestRulesToldTheSame(t *testing.T) {
	for _, c := range []struct {
		facts            *revision.Facts
		key              model.Key
		rule, column, is string
	}{
		{uitest.DemoFacts(t), model.Key{Kind: model.KindANP, Name: "cluster-control"}, "egress 1", "pods", "–"},
		{uitest.DemoFacts(t), model.Key{Kind: model.KindANP, Name: "cluster-control"}, "egress 2", "pods", "2"},
		{uitest.DemoFacts(t), model.Key{Kind: model.KindANP, Name: "cluster-control"}, "egress 2", "ports", "tcp 8991, tcp 8992"},
		{uitest.AntreaFacts(t), model.Key{Kind: model.KindACNP, Name: "default-cluster-deny"}, "ingress 0", "peers", "everything"},
	} {
		r := revision.New(*c.facts, nil)
		p := r.Cluster.Policy(c.key)
		said := map[page.ColumnPlace]string{}
		for _, x := range policy.ListRules(r, p) {
			for _, col := range policy.RuleTable(p, !r.BySelectors(p)).Columns {
				if x.ID() == c.rule && col.Key == c.column {
					said[col.Place] = col.Cell(x).String()
				}
			}
		}
		if said[page.OnScreen] != c.is || said[page.Printed] != c.is {
			t.Errorf("%s %s %s: %v, want %q", c.key.Label(), c.rule, c.column, said, c.is)
		}
	}
}
