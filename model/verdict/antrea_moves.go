package verdict

import (
	"slices"

	"rung/model"
)

// moving is a policy under Antrea that is to get another priority within its tier, and those
// of the other policies there.
type moving struct {
	key   model.Key
	tier  int32
	walk  int8 // the tier of the walk
	now   float64
	rungs []float64
}

func (o *antreaOrder) moving(key model.Key) moving {
	place := o.places[key]
	m := moving{key: key, tier: place.Tier, walk: tierOf(&place), now: place.Priority()}
	for k, p := range o.places {
		if k != key && p.Tier == place.Tier {
			m.rungs = append(m.rungs, p.Priority())
		}
	}
	slices.Sort(m.rungs)
	return m
}

// AtPriority counts what flips where the policy gets a priority, which need not be whole
// under Antrea.
func (m *Moves) AtPriority(priority float64) []Total {
	if !m.x.onAntrea() {
		return m.At(int32(priority))
	}
	s := &m.standing
	if m.there && priority == s.now || s.tier == 0 {
		return nil
	}
	at, tied := slices.BinarySearch(s.rungs, priority)
	key := [2]int{at, 0}
	if tied {
		key[1] = 1
	}
	out, known := m.known[key]
	if !known {
		out = m.countFlips(m.restood(priority))
		m.known[key] = out
	}
	return out
}

// restood are the terms as they rank where the policy has another priority.
func (m *Moves) restood(priority float64) (terms [2][]term) {
	s, o := &m.standing, m.x.antrea
	all := slices.Clone(o.standings[s.walk])
	newStanding := func(t *term) standing {
		if r := &m.x.rules[t.rule]; r.key == s.key {
			return standing{s.tier, priority, r.rule}
		}
		return o.standingOf(s.walk, t.priority)
	}
	for stage := range m.x.terms {
		for i := range m.x.terms[stage] {
			if t := &m.x.terms[stage][i]; t.tier == s.walk && m.x.rules[t.rule].key == s.key {
				all = append(all, newStanding(t))
			}
		}
	}
	slices.SortFunc(all, standing.compare)
	all = slices.Compact(all)
	for stage := range terms {
		terms[stage] = slices.Clone(m.x.terms[stage])
		for i := range terms[stage] {
			if t := &terms[stage][i]; t.tier == s.walk {
				at, _ := slices.BinarySearchFunc(all, newStanding(&m.x.terms[stage][i]), standing.compare)
				t.priority = int32(len(all) - at)
			}
		}
	}
	return terms
}
