package verdict

import (
	"slices"

	"rung/model"
)

// antreaMove is a policy under Antrea that is to get another priority within its tier.
type antreaMove struct {
	key  model.Key
	tier int32
	walk int8 // the tier of the walk
	// now is the priority that it has, and others are those of the other policies of its tier,
	// in order.
	now    float64
	others []float64
}

// antreaMove is the move of a policy; one that decides nothing under Antrea has no tier.
func (x *Index) antreaMove(key model.Key) antreaMove {
	place := x.antrea.places[key]
	m := antreaMove{key: key, tier: place.Tier, walk: tierOf(&place), now: place.Priority()}
	for k, p := range x.antrea.places {
		if k != key && p.Tier == place.Tier {
			m.others = append(m.others, p.Priority())
		}
	}
	slices.Sort(m.others)
	return m
}

// movedTerms are the terms as they rank where the policy has another priority.
func (x *Index) movedTerms(m *antreaMove, priority float64) (terms [2][]term) {
	all := slices.Clone(x.antrea.standings[m.walk])
	newStanding := func(t *term) standing {
		if r := &x.rules[t.rule]; r.key == m.key {
			return standing{m.tier, priority, r.rule}
		}
		return x.antrea.standingOf(m.walk, t.priority)
	}
	for stage := range x.terms {
		for i := range x.terms[stage] {
			if t := &x.terms[stage][i]; t.tier == m.walk && x.rules[t.rule].key == m.key {
				all = append(all, newStanding(t))
			}
		}
	}
	slices.SortFunc(all, standing.compare)
	all = slices.Compact(all)
	for stage := range terms {
		terms[stage] = slices.Clone(x.terms[stage])
		for i := range terms[stage] {
			if t := &terms[stage][i]; t.tier == m.walk {
				at, _ := slices.BinarySearchFunc(all, newStanding(&x.terms[stage][i]), standing.compare)
				t.priority = int32(len(all) - at)
			}
		}
	}
	return terms
}
