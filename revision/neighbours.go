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

// NeighbourRules returns the rules that decide right before and after a rule in its direction, along the
// ladder. before is nil for the first rule, after for the last.
func NeighbourRules(r *Revision, p *model.Policy, rule *model.Rule) (before, after *PlacedRule) {
	seen := false
	for _, q := range orderedPolicies(r, p) {
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

// orderedPolicies returns the policies in deciding order. If p's order is undefined, it returns only p.
func orderedPolicies(r *Revision, p *model.Policy) (out []*model.Policy) {
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
		return []*model.Policy{p} // p is not enforced
	}
	return out
}
