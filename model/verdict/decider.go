package verdict

// RuleDecider is a rule as one that decides, whatever the connection.
func (x *Index) RuleDecider(rule int32) Decider {
	r := &x.Rules[rule]
	d := Decider{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action, Reply: r.Reply, Defect: r.defect}
	if x.order != nil {
		d.Band, d.Word = x.order.bandOf(r)
	}
	if r.Policy != nil {
		d.Tier, d.RuleName = int(r.Policy.Tier), r.Policy.Rule(r.Direction, r.Index).Name
	}
	return d
}
