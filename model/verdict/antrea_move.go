package verdict

import (
	"slices"

	"rung/model"
)

// newMover returns the mover of a policy, for other priorities within its tier; zero if it decides nothing.
func (o *policyOrder) newMover(x *Index, key model.Key) PolicyMover {
	place, decides := o.places[key]
	if !decides {
		return PolicyMover{}
	}
	m := PolicyMover{Priority: place.Priority()}
	for k, p := range o.places {
		if k != key && p.Tier == place.Tier {
			m.OtherPriorities = append(m.OtherPriorities, p.Priority())
		}
	}
	slices.Sort(m.OtherPriorities)
	tier := walkTier(&place)
	m.Terms = func(priority float64) (terms [StageCount][]Term) {
		all := slices.Clone(o.ranks[tier])
		newStanding := func(t *Term) ruleRank {
			if r := &x.Rules[t.Rule]; r.Key == key {
				return ruleRank{place.Tier, priority, r.Index}
			}
			return o.termRank(tier, t.Priority)
		}
		for stage := range x.Terms {
			for i := range x.Terms[stage] {
				if t := &x.Terms[stage][i]; t.Tier == tier && x.Rules[t.Rule].Key == key {
					all = append(all, newStanding(t))
				}
			}
		}
		slices.SortFunc(all, ruleRank.compare)
		all = slices.Compact(all)
		for stage := range terms {
			terms[stage] = slices.Clone(x.Terms[stage])
			for i := range terms[stage] {
				if t := &terms[stage][i]; t.Tier == tier {
					at, _ := slices.BinarySearchFunc(all, newStanding(&x.Terms[stage][i]), ruleRank.compare)
					t.Priority = int32(len(all) - at)
				}
			}
		}
		return terms
	}
	return m
}
