package revision

import (
	"slices"

	"rung/model"
)

// PlacedRule is a rule with its policy.
type PlacedRule struct {
	Policy *model.Policy
	Rule   *model.Rule
}

// NeighbourRules are the rules that decide right before and after one in its
// direction, along the ladder. Nothing is before the first and after the last.
func NeighbourRules(r *Revision, p *model.Policy, rule *model.Rule) (before, after *PlacedRule) {
	seen := false
	for _, q := range neighbours(r, p) {
		rules := q.Rules(rule.Direction)
		for i := range rules {
			switch at := (&PlacedRule{q, &rules[i]}); {
			case q.Key == p.Key && i == rule.Index:
				seen = true
			case seen:
				return before, at
			default:
				before = at
			}
		}
	}
	return before, nil
}

// neighbours are the policies in the order in which they decide, as far as they are ordered: the rules of others
// stand next to those of their policy alone.
func neighbours(r *Revision, p *model.Policy) (out []*model.Policy) {
	if r.PolicyOrder() != nil {
		return PoliciesAsTheyDecide(r)
	}
	if !p.Kind.IsAdmin() {
		return []*model.Policy{p}
	}
	for _, tier := range r.Ladder().Tiers {
		for i := range tier.Rungs {
			for j := range tier.Rungs[i].Policies {
				if q := tier.Rungs[i].Policies[j].Policy; q.Key == p.Key || tier.Rungs[i].IsEnforced() {
					out = append(out, q)
				}
			}
		}
	}
	if !slices.ContainsFunc(out, func(q *model.Policy) bool { return q.Key == p.Key }) {
		return []*model.Policy{p} // nothing decides by it
	}
	return out
}
