package index

import (
	"slices"

	"rung/model"
)

// AntreaMove is a policy under Antrea that is to get another priority within its tier.
type AntreaMove struct {
	key  model.Key
	Tier int32
	walk int8 // the tier of the walk
	// now is the priority that it has, and others are those of the other policies of its tier,
	// in order.
	Now    float64
	Others []float64
}

// AntreaMove is the move of a policy; one that decides nothing under Antrea has no tier.
func (x *Index) AntreaMove(key model.Key) AntreaMove {
	place := x.antrea.places[key]
	m := AntreaMove{key: key, Tier: place.Tier, walk: tierOf(&place), Now: place.Priority()}
	for k, p := range x.antrea.places {
		if k != key && p.Tier == place.Tier {
			m.Others = append(m.Others, p.Priority())
		}
	}
	slices.Sort(m.Others)
	return m
}

// MovedTerms are the terms as they rank where the policy has another priority.
func (x *Index) MovedTerms(m *AntreaMove, priority float64) (terms [2][]Term) {
	all := slices.Clone(x.antrea.standings[m.walk])
	newStanding := func(t *Term) standing {
		if r := &x.Rules[t.Rule]; r.Key == m.key {
			return standing{m.Tier, priority, r.Index}
		}
		return x.antrea.standingOf(m.walk, t.Priority)
	}
	for stage := range x.Terms {
		for i := range x.Terms[stage] {
			if t := &x.Terms[stage][i]; t.Tier == m.walk && x.Rules[t.Rule].Key == m.key {
				all = append(all, newStanding(t))
			}
		}
	}
	slices.SortFunc(all, standing.compare)
	all = slices.Compact(all)
	for stage := range terms {
		terms[stage] = slices.Clone(x.Terms[stage])
		for i := range terms[stage] {
			if t := &terms[stage][i]; t.Tier == m.walk {
				at, _ := slices.BinarySearchFunc(all, newStanding(&x.Terms[stage][i]), standing.compare)
				t.Priority = int32(len(all) - at)
			}
		}
	}
	return terms
}
