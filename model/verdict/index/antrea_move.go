package index

import (
	"slices"

	"rung/model"
)

// mover is a policy that may get another priority within its tier.
func (o *antreaOrder) mover(x *Index, key model.Key) Mover {
	place, decides := o.places[key]
	if !decides {
		return Mover{}
	}
	m := Mover{Now: place.Priority()}
	for k, p := range o.places {
		if k != key && p.Tier == place.Tier {
			m.Others = append(m.Others, p.Priority())
		}
	}
	slices.Sort(m.Others)
	tier := tierOf(&place)
	m.Terms = func(priority float64) (terms [2][]Term) {
		all := slices.Clone(o.standings[tier])
		newStanding := func(t *Term) standing {
			if r := &x.Rules[t.Rule]; r.Key == key {
				return standing{place.Tier, priority, r.Index}
			}
			return o.standingOf(tier, t.Priority)
		}
		for stage := range x.Terms {
			for i := range x.Terms[stage] {
				if t := &x.Terms[stage][i]; t.Tier == tier && x.Rules[t.Rule].Key == key {
					all = append(all, newStanding(t))
				}
			}
		}
		slices.SortFunc(all, standing.compare)
		all = slices.Compact(all)
		for stage := range terms {
			terms[stage] = slices.Clone(x.Terms[stage])
			for i := range terms[stage] {
				if t := &terms[stage][i]; t.Tier == tier {
					at, _ := slices.BinarySearchFunc(all, newStanding(&x.Terms[stage][i]), standing.compare)
					t.Priority = int32(len(all) - at)
				}
			}
		}
		return terms
	}
	return m
}
