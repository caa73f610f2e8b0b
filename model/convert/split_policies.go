package convert

import (
	"iter"
	"slices"

	"rung/model"
)

// policyTie has the policies of one tier and priority. Rules with the same number share a place, whichever
// policy they belong to.
type policyTie struct {
	tier     int32
	priority float64
	rules    []*convertedRule
}

// ruleRow has the rules with one number.
type ruleRow []*convertedRule

// rowsOfDirection returns the rows of a direction, without rules that cannot be expressed.
func (t *policyTie) rowsOfDirection(d model.Direction) (out []ruleRow) {
	byIndex := map[int]ruleRow{}
	most := -1
	for _, s := range t.rules {
		if i := s.rule.Index; s.rule.Direction == d && len(s.clauses) > 0 {
			byIndex[i] = append(byIndex[i], s)
			most = max(most, i)
		}
	}
	for i := range most + 1 {
		if len(byIndex[i]) > 0 {
			out = append(out, byIndex[i])
		}
	}
	return out
}

// tiePart holds the part of a tie with one priority. Its rows have numbers from 0 in each direction, the
// same in all of its policies.
type tiePart struct{ rows [2][]ruleRow }

// splitByPriority cuts a tie into as few slots as keep its order. In a slot every policy has a rule in each row
// up to its last: without one, its later rules would move up between rules of other policies.
func (t *policyTie) splitByPriority(limit int) (out []tiePart) {
	for i, d := range model.Directions {
		at := 0
		put := func(rows []ruleRow) {
			if at == len(out) {
				out = append(out, tiePart{})
			}
			out[at].rows[i] = rows
			at++
		}
		var now []ruleRow
		filled := map[string]int{}
		for _, r := range t.rowsOfDirection(d) {
			if len(now) == limit || len(now) > 0 && r.hasUnfilledColumn(filled, len(now)) {
				put(now)
				now, filled = nil, map[string]int{}
			}
			now = append(now, r)
			for _, s := range r {
				for _, p := range s.clauses {
					filled[p.column] = len(now)
				}
			}
		}
		if len(now) > 0 {
			put(now)
		}
	}
	return out
}

func (r ruleRow) hasUnfilledColumn(filled map[string]int, n int) bool {
	for _, s := range r {
		for _, p := range s.clauses {
			if filled[p.column] != n {
				return true
			}
		}
	}
	return false
}

// allClauses yields the clauses of a slot with their rules.
func (s *tiePart) allClauses() iter.Seq2[*convertedRule, *ruleClause] {
	return func(yield func(*convertedRule, *ruleClause) bool) {
		for _, r := range slices.Concat(s.rows[0], s.rows[1]) {
			for _, s := range r {
				for _, c := range s.clauses {
					if !yield(s, c) {
						return
					}
				}
			}
		}
	}
}

// makePolicies makes the policies of a slot with begin, and their rules with as.
func (s *tiePart) makePolicies(begin func(*model.Policy, *ruleClause) *model.Policy, as func(*convertedRule, *ruleClause) model.Rule) {
	made := map[string]*model.Policy{}
	for _, w := range s.policyColumns() {
		made[w.clause.column] = begin(w.rule.policy, w.clause)
	}
	for s, c := range s.allClauses() {
		s.madeRules = append(s.madeRules, addRule(made[c.column], as(s, c)))
	}
}

// policyColumn is the first clause of a new policy.
type policyColumn struct {
	rule   *convertedRule
	clause *ruleClause
}

// policyColumns returns the new policies of a slot, grouped by source policy.
func (s *tiePart) policyColumns() (out []policyColumn) {
	seen := map[string]bool{}
	var order []model.PolicyKey
	for s, c := range s.allClauses() {
		if !slices.Contains(order, s.policy.Key) {
			order = append(order, s.policy.Key)
		}
		if !seen[c.column] {
			seen[c.column] = true
			out = append(out, policyColumn{s, c})
		}
	}
	slices.SortStableFunc(out, func(a, b policyColumn) int {
		return slices.Index(order, a.rule.policy.Key) - slices.Index(order, b.rule.policy.Key)
	})
	return out
}
