package index

import (
	"rung/model"
	"rung/model/verdict"
)

// antreaDecider adds what is said of a rule under Antrea only.
func (x *Index) antreaDecider(d *verdict.Decider, r *Rule) {
	switch place, native := x.antrea.places[r.Key]; {
	case r.Key.Kind == model.KindNetpolNamespace:
		d.Band = model.KindNP.Short()
	case r.Policy == nil:
		d.Band = "always"
	case native && r.Policy.Antrea != nil:
		d.Band = place.TierName
		if d.Word = r.Policy.Rule(r.Direction, r.Index).Antrea.Action; r.Action != r.Policy.Rule(r.Direction, r.Index).Action {
			d.Word = "Drop" // of what its layer 7 protocols do not let through
		}
	default:
		d.Band = r.Policy.Kind.Short()
	}
}

// RuleDecider is a rule as one that decides, whatever the connection.
func (x *Index) RuleDecider(rule int32) verdict.Decider {
	r := &x.Rules[rule]
	d := verdict.Decider{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action, Defect: r.defect}
	if x.OnAntrea() {
		x.antreaDecider(&d, r)
	}
	if r.Policy != nil {
		d.Tier, d.RuleName = int(r.Policy.Tier), r.Policy.Rule(r.Direction, r.Index).Name
	}
	return d
}
