package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rung/model"
	"rung/model/ladder"
)

// TierSlot is a place in a tier where a policy may stand, whose priorities are fractions.
type TierSlot struct {
	Tier     string
	Priority float64
}

// The priorities of policies in tiers.
const (
	LeastPlace = 1.0
	MostPlace  = 10000.0
)

// Between is the number between two others with the fewest digits, the nearest to the middle of these:
// 5.05 between 5 and 5.1. It is neither of them.
func Between(low, high float64) float64 {
	middle := low + (high-low)/2
	for scale := 1.0; scale <= 1e9; scale *= 10 {
		if n := math.Round(middle*scale) / scale; n > low && n < high {
			return n
		}
	}
	return middle
}

// SlotsInTiers are the free places in the tiers of a ladder, in order, for a policy that is put among the
// others: one before the first policy of a tier, after the last and between any two that follow each
// other, and one in a tier that has none. Where it stands already is the slot of that place. own is its
// place, and of a policy that is not there yet one to begin with.
func SlotsInTiers(bands []ladder.Band, k model.Key, own TierSlot) (slots []TierSlot, at int) {
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
				slots = append(slots, TierSlot{b.Name, free})
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

// InsertInTiers finds a place between two policies of one tier: the next behind above, which decides first, and
// before below; without above the last before below. The zero key stands for the end of the tier. Between two
// fractions there is always room; two policies that share a priority have none.
func InsertInTiers(bands []ladder.Band, above, below model.Key) (TierSlot, error) {
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
		return TierSlot{}, errors.New("want one policy of the tier at least")
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
			return TierSlot{}, err
		case band != nil && band != b:
			return TierSlot{}, fmt.Errorf("%s is in tier %s and %s in %s: nothing stands between two tiers", above.Label(), band.Name, below.Label(),
				b.Name)
		}
		band, *end.at = b, at
	}
	switch {
	case low == high:
		return TierSlot{}, fmt.Errorf("%s and %s share priority %v, so nothing fits between them", above.Label(), below.Label(), low)
	case low > high:
		return TierSlot{}, fmt.Errorf("%s (%v) comes after %s (%v), not before", above.Label(), low, below.Label(), high)
	}
	free, _ := SlotsInTiers([]ladder.Band{*band}, model.Key{}, TierSlot{})
	free = slices.DeleteFunc(free, func(s TierSlot) bool { return s.Priority <= low || s.Priority >= high })
	switch {
	case len(free) == 0:
		return TierSlot{}, fmt.Errorf("%w in tier %s there", ErrNoRoom, band.Name)
	case above == (model.Key{}):
		return free[len(free)-1], nil
	}
	return free[0], nil
}
