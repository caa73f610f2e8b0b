package revision

import (
	"cmp"
	"rung/model"
	"rung/model/ladder"
)

// PlacedRule is a rule with its policy.
type PlacedRule struct {
	Policy *model.Policy
	Rule   *model.Rule
}

// NeighbourRules are the rules that decide right before and after one in its
// direction, along the ladder. Nothing is before the first and after the last.
func NeighbourRules(r *Revision, p *model.Policy, rule *model.Rule) (before, after *PlacedRule) {
	if order := r.PolicyOrder(); order != nil {
		return rulesInOrder(order, p, rule)
	}
	if prev := p.Rule(rule.Direction, rule.Index-1); prev != nil {
		before = &PlacedRule{p, prev}
	}
	if next := p.Rule(rule.Direction, rule.Index+1); next != nil {
		after = &PlacedRule{p, next}
	}
	if before != nil && after != nil || !p.Kind.IsAdmin() {
		return before, after
	}
	var last *PlacedRule
	seen := false
	for _, tier := range r.Ladder().Tiers {
		for i := range tier.Rungs {
			for j := range tier.Rungs[i].Policies {
				q := tier.Rungs[i].Policies[j].Policy
				rules := q.Rules(rule.Direction)
				switch {
				case q.Key == p.Key:
					before, seen = cmp.Or(before, last), true
				case len(rules) == 0 || !tier.Rungs[i].IsEnforced():
				case !seen:
					last = &PlacedRule{q, &rules[len(rules)-1]}
				case after == nil:
					after = &PlacedRule{q, &rules[0]}
				}
			}
		}
	}
	return before, after
}

// rulesInOrder are the rules of a direction right before and after one in an order of policies.
func rulesInOrder(order []ladder.Place, p *model.Policy, rule *model.Rule) (before, after *PlacedRule) {
	var last *PlacedRule
	seen := false
	for _, place := range order {
		rules := place.Policy.Rules(rule.Direction)
		for i := range rules {
			at := &PlacedRule{place.Policy, &rules[i]}
			switch {
			case place.Policy.Key == p.Key && i == rule.Index:
				before, seen = last, true
			case seen:
				return before, at
			}
			last = at
		}
	}
	return before, nil
}
