package plan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rung/model"
	"rung/model/ladder"
)

func TestBetween(t *testing.T) {
	for _, tt := range [][3]float64{{5, 5.1, 5.05}, {5, 6, 5.5}, {5, 7, 6}, {1, 10000, 5001}, {5, 5.01, 5.005}, {5.5, 5.6, 5.55}, {0, 1, 0.5}, {1, 1.5, 1.3}} {
		if got := Between(tt[0], tt[1]); got != tt[2] {
			t.Errorf("between %g and %g: %g, want %g", tt[0], tt[1], got, tt[2])
		}
	}
	for range 2000 { // however near they are, as long as there is a number between them
		low := 1 + rand.Float64()*9000
		high := low + rand.Float64()*rand.Float64()*0.01
		if n := Between(low, high); high-low > 1e-9 && (n <= low || n >= high) {
			t.Fatalf("between %v and %v: %v", low, high, n)
		}
	}
}

// A policy can be put before, between and after all others of each tier, and stands where it stood.
func TestSlotsInTiers(t *testing.T) {
	tier := func(name string, at ...float64) ladder.Band {
		b := ladder.Band{Name: name, Tier: &model.Tier{}}
		for _, p := range at {
			r := ladder.BandRung{Priority: p}
			r.Policies = append(r.Policies, ladder.RungPolicy{Policy: &model.Policy{Meta: model.Meta{Key: model.Key{Name: "other"}}}})
			b.Rungs = append(b.Rungs, r)
		}
		return b
	}
	own := model.Key{Name: "own"}
	bands := []ladder.Band{tier("first"), tier("second", 1, 5, 5.1, 10000), {Name: "NetworkPolicy", Rungs: tier("", 0).Rungs}, tier("third", 8)}
	bands[1].Rungs = slices.Insert(bands[1].Rungs, 2, ladder.BandRung{Priority: 5.05, Policies: []ladder.RungPolicy{{Policy: &model.Policy{Meta: model.Meta{Key: own}}}}})
	slots, at := PlacesInTiers(bands, own, TierPlace{"second", 5.05})
	want := []TierPlace{{"first", 5.05}, {"second", 3}, {"second", 5.05}, {"second", 5003}, {"third", 4}, {"third", 9}}
	if !slices.Equal(slots, want) || at != 2 {
		t.Errorf("%v, at %d", slots, at)
	}
	bands[1].Rungs[1].Policies = append(bands[1].Rungs[1].Policies, bands[1].Rungs[2].Policies...) // shares 5
	bands[1].Rungs = slices.Delete(bands[1].Rungs, 2, 3)
	slots, at = PlacesInTiers(bands, own, TierPlace{"second", 5})
	if at != 2 || slots[at] != (TierPlace{"second", 5}) || slots[at+1] != (TierPlace{"second", 5.05}) {
		t.Errorf("%v, at %d", slots, at)
	}
}
