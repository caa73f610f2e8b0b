package verdict

import "rung/model"

// antreaDecider adds what is said of a rule under Antrea only.
func (x *Index) antreaDecider(d *Decider, r *ruleRef) {
	switch place, native := x.antrea.places[r.key]; {
	case r.key.Kind == model.KindNetpolNamespace:
		d.Band = model.KindNP.Short()
	case r.policy == nil:
		d.Band = "always"
	case native && r.policy.Antrea != nil:
		d.Band = place.TierName
		if d.Word = r.policy.Rule(r.direction, r.rule).Antrea.Action; r.action != r.policy.Rule(r.direction, r.rule).Action {
			d.Word = "Drop" // of what its layer 7 protocols do not let through
		}
	default:
		d.Band = r.policy.Kind.Short()
	}
}

// ruleDecider is a rule as one that decides, whatever the connection.
func (x *Index) ruleDecider(rule int32) Decider {
	r := &x.rules[rule]
	d := Decider{Policy: r.key, Direction: r.direction, Rule: r.rule, Action: r.action, Defect: r.defect}
	if x.onAntrea() {
		x.antreaDecider(&d, r)
	}
	if r.policy != nil {
		d.Tier, d.RuleName = int(r.policy.Tier), r.policy.Rule(r.direction, r.rule).Name
	}
	return d
}
