package convert

import (
	"iter"
	"slices"

	"rung/model"
)

// tie is the policies of one tier and priority: rules with the same number are at one
// place there, whichever policy they are of.
type tie struct {
	tier     int32
	priority float64
	sayings  []*saying
}

// row are the rules with one number.
type row []*saying

// rows returns a direction's rules that can be written in the other API.
func (t *tie) rows(d model.Direction) (out []row) {
	byIndex := map[int]row{}
	most := -1
	for _, s := range t.sayings {
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

// slot is the part of a tie that gets one priority: rows of each direction, of which the
// first has number 0 in all of its policies, and so on.
type slot struct{ rows [2][]row }

// slots cuts a tie into as few as keep its order. In a slot every policy has a rule in all
// rows up to its last: with a hole, the rules behind it would move up, among those of
// other policies.
func (t *tie) slots(limit int) (out []slot) {
	for i, d := range model.Directions {
		at := 0
		put := func(rows []row) {
			if at == len(out) {
				out = append(out, slot{})
			}
			out[at].rows[i] = rows
			at++
		}
		var now []row
		filled := map[string]int{}
		for _, r := range t.rows(d) {
			if len(now) == limit || len(now) > 0 && r.hole(filled, len(now)) {
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

func (r row) hole(filled map[string]int, n int) bool {
	for _, s := range r {
		for _, p := range s.clauses {
			if filled[p.column] != n {
				return true
			}
		}
	}
	return false
}

// clauses walks the clauses of a slot with what they are of.
func (s *slot) clauses() iter.Seq2[*saying, *clause] {
	return func(yield func(*saying, *clause) bool) {
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

// fill makes the policies of a slot, each begun by begin, and their rules, each made by as.
func (s *slot) fill(begin func(*model.Policy, *clause) *model.Policy, as func(*saying, *clause) model.Rule) {
	made := map[string]*model.Policy{}
	for _, w := range s.columns() {
		made[w.clause.column] = begin(w.saying.policy, w.clause)
	}
	for s, c := range s.clauses() {
		s.to = append(s.to, add(made[c.column], as(s, c)))
	}
}

// column is the first clause of a policy that is made.
type column struct {
	saying *saying
	clause *clause
}

// columns are the policies of a slot: those of one that was given together.
func (s *slot) columns() (out []column) {
	seen := map[string]bool{}
	var order []model.PolicyKey
	for s, c := range s.clauses() {
		if !slices.Contains(order, s.policy.Key) {
			order = append(order, s.policy.Key)
		}
		if !seen[c.column] {
			seen[c.column] = true
			out = append(out, column{s, c})
		}
	}
	slices.SortStableFunc(out, func(a, b column) int {
		return slices.Index(order, a.saying.policy.Key) - slices.Index(order, b.saying.policy.Key)
	})
	return out
}
