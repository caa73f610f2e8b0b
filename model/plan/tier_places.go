package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rung/model"
	"rung/model/ladder"
)

// TierPlace is a place for a policy in a tier. Priorities in tiers are fractions.
type TierPlace struct {
	Tier     string
	Priority float64
}

// The smallest and largest priority of policies in tiers.
const (
	LeastPlace = 1.0
	MostPlace  = 10000.0
)

// Between returns the number strictly between two others with the fewest digits, the nearest to their middle:
// 5.05 between 5 and 5.1.
func Between(low, high float64) float64 {
	middle := low + (high-low)/2
	for scale := 1.0; scale <= 1e9; scale *= 10 {
		if n := math.Round(middle*scale) / scale; n > low && n < high {
			return n
		}
	}
	return middle
}

// PlacesInTiers returns the free places for a policy in the tiers of a ladder, in order. A tier has one place
// before its first policy, between neighbours and after the last; an empty tier has one. own is the policy's
// current place, or the first choice for a new policy, and at the index of its slot.
func PlacesInTiers(bands []ladder.Band, k model.Key, own TierPlace) (slots []TierPlace, at int) {
	for i := range bands {
		b := &bands[i]
		if b.Tier == nil {
			continue
		}
		var taken []float64
		for j := range b.Rungs {
			if r := &b.Rungs[j]; slices.ContainsFunc(r.Policies, func(p ladder.RungPolicy) bool { return p.Policy.Key != k }) {
				taken = append(taken, r.Priority)
			}
		}
		add := func(low, high, free float64, ok bool) {
			if here := own.Tier == b.Name && own.Priority > low && own.Priority < high; here {
				at, free, ok = len(slots), own.Priority, true
			}
			if ok {
				slots = append(slots, TierPlace{b.Name, free})
			}
		}
		n := len(taken)
		if n == 0 {
			add(0, math.Inf(1), min(max(own.Priority, LeastPlace), MostPlace), true)
			continue
		}
		before := max(Between(0, taken[0]), LeastPlace)
		add(0, taken[0], before, before < taken[0])
		for j, p := range taken {
			if own.Tier == b.Name && own.Priority == p { // shared with others
				at, slots = len(slots), append(slots, own)
			}
			if j+1 < n {
				add(p, taken[j+1], Between(p, taken[j+1]), true)
			}
		}
		after := math.Floor(taken[n-1]) + 1
		add(taken[n-1], math.Inf(1), after, after <= MostPlace)
	}
	return slots, at
}

// InsertInTiers finds a place between two policies of one tier: the first after above, which decides first,
// and before below. Without above it is the last before below. The zero key stands for the end of the tier.
// Two different fractions always have room between them; equal priorities have none.
func InsertInTiers(bands []ladder.Band, above, below model.Key) (TierPlace, error) {
	find := func(k model.Key) (*ladder.Band, float64, error) {
		for i := range bands {
			for j := range bands[i].Rungs {
				r := &bands[i].Rungs[j]
				if bands[i].Tier != nil && slices.ContainsFunc(r.Policies, func(p ladder.RungPolicy) bool { return p.Policy.Key == k }) {
					return &bands[i], r.Priority, nil
				}
			}
		}
		return nil, 0, fmt.Errorf("policy %s is in no tier", k.Label())
	}
	if above == (model.Key{}) && below == (model.Key{}) {
		return TierPlace{}, errors.New("name at least one policy of the tier")
	}
	var band *ladder.Band
	low, high := math.Inf(-1), math.Inf(1)
	for _, end := range []struct {
		key model.Key
		at  *float64
	}{{above, &low}, {below, &high}} {
		if end.key == (model.Key{}) {
			continue
		}
		b, at, err := find(end.key)
		switch {
		case err != nil:
			return TierPlace{}, err
		case band != nil && band != b:
			return TierPlace{}, fmt.Errorf("%s is in tier %s and %s in %s: a policy cannot be between two tiers", above.Label(), band.Name,
				below.Label(), b.Name)
		}
		band, *end.at = b, at
	}
	switch {
	case low == high:
		return TierPlace{}, fmt.Errorf("%s and %s share priority %v, so nothing fits between them", above.Label(), below.Label(), low)
	case low > high:
		return TierPlace{}, fmt.Errorf("%s (%v) comes after %s (%v), not before", above.Label(), low, below.Label(), high)
	}
	free, _ := PlacesInTiers([]ladder.Band{*band}, model.Key{}, TierPlace{})
	free = slices.DeleteFunc(free, func(s TierPlace) bool { return s.Priority <= low || s.Priority >= high })
	switch {
	case len(free) == 0:
		return TierPlace{}, fmt.Errorf("%w in tier %s at that place", ErrNoSpace, band.Name)
	case above == (model.Key{}):
		return free[len(free)-1], nil
	}
	return free[0], nil
}
