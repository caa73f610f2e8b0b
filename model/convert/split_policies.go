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

// makePolicies makes the policies of a slot with begin, those of one source after each other, and their rules
// with as.
func (s *tiePart) makePolicies(begin func(*model.Policy, *ruleClause) *model.Policy, as func(*convertedRule, *ruleClause) model.Rule) {
	var sources []*model.Policy
	for r := range s.allClauses() {
		if !slices.Contains(sources, r.policy) {
			sources = append(sources, r.policy)
		}
	}
	made := map[string]*model.Policy{}
	for _, from := range sources {
		for r, c := range s.allClauses() {
			if r.policy == from && made[c.column] == nil {
				made[c.column] = begin(from, c)
			}
		}
	}
	for r, c := range s.allClauses() {
		r.madeRules = append(r.madeRules, addRule(made[c.column], as(r, c)))
	}
}
