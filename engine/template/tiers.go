package template

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
)

// tierPlaces finds positions in the tiers before NetworkPolicies, ordered among the bands of policies without
// a tier.
type tierPlaces struct {
	last  string
	bands []ladder.Band
}

func (w *World) tierPlaces() *tierPlaces {
	b := &tierPlaces{last: w.tiers.Last}
	for _, band := range w.tiers.Bands(w.Cluster) {
		if band.Tier == nil && band.Name == string(model.KindNP) {
			break
		}
		b.bands = append(b.bands, band)
	}
	return b
}

// bandIndex returns the index of a tier's band; -1 if unknown.
func (b *tierPlaces) bandIndex(tier string) int {
	return slices.IndexFunc(b.bands, func(band ladder.Band) bool { return band.Tier != nil && band.Name == tier })
}

func (b *tierPlaces) parse(text string) (at plan.TierPlace, err error) {
	tier, number, ok := strings.Cut(text, tierSign)
	if ok {
		at.Tier = tier
	}
	at.Priority, err = strconv.ParseFloat(number, 64)
	i := b.bandIndex(at.Tier)
	if i < 0 {
		var names []string
		for _, band := range b.bands {
			if band.Tier != nil {
				names = append(names, band.Name)
			}
		}
		return at, fmt.Errorf("%s is not a place: want TIER/PRIORITY such as %s/5; the tiers are %s", text, b.last, strings.Join(names, ", "))
	}
	if err != nil || !(at.Priority >= plan.LeastPlace && at.Priority <= plan.MostPlace) {
		return at, fmt.Errorf("%s: want a priority from %v to %v after the slash", text, plan.LeastPlace, plan.MostPlace)
	}
	for _, r := range b.bands[i].Rungs {
		if r.Priority == at.Priority {
			return at, fmt.Errorf("%s is taken by %s", text, r.Policies[0].Policy.Key.Label())
		}
	}
	return at, nil
}

func (b *tierPlaces) compare(x, y plan.TierPlace) int {
	return cmp.Or(cmp.Compare(b.bandIndex(x.Tier), b.bandIndex(y.Tier)), cmp.Compare(x.Priority, y.Priority))
}

func (b *tierPlaces) before(n int, before placeBefore) ([]plan.TierPlace, string, error) {
	for i, band := range b.bands {
		low := 0.0
		for _, r := range band.Rungs {
			j := slices.IndexFunc(r.Policies, func(p ladder.RungPolicy) bool {
				return before == beforeAll || isDecidingInTier(p.Policy, before == beforeDecides)
			})
			if j < 0 {
				low = r.Priority
				continue
			}
			first := r.Policies[j].Policy.Key.Label()
			if band.Tier != nil {
				if at := placesBetween(band.Name, n, low, r.Priority); at != nil {
					return at, fmt.Sprintf("free, before %s (%s)", first, placeText(plan.TierPlace{Tier: band.Name, Priority: r.Priority})), nil
				}
			}
			for k := i - 1; k >= 0; k-- {
				if at := b.placesAtEnd(k, n); at != nil {
					return at, "free, before " + first, nil
				}
			}
			return nil, "", fmt.Errorf("%s comes first of all: %w", first, plan.ErrNoSpace)
		}
	}
	if at := b.placesAtEnd(b.bandIndex(b.last), n); at != nil {
		return at, "free", nil
	}
	return nil, "", fmt.Errorf("tier %s: %w", b.last, plan.ErrNoSpace)
}

// isDecidingInTier reports whether a policy denies or passes on; with allows also whether it allows. It does
// not ask whether pods match now, since rules may name groups and Services.
func isDecidingInTier(p *model.Policy, allows bool) bool {
	for r := range p.AllRules() {
		if allows || r.Action != model.Allow {
			return true
		}
	}
	return false
}

// placesBetween returns n evenly spread positions between two priorities of a tier; nil if there is no room.
func placesBetween(tier string, n int, low, high float64) (out []plan.TierPlace) {
	for ; n > 0; n-- {
		next := max(plan.Between(low, low+2*(high-low)/float64(n+1)), plan.LeastPlace)
		if next <= low || next >= high {
			return nil
		}
		out, low = append(out, plan.TierPlace{Tier: tier, Priority: next}), next
	}
	return out
}

// placesAtEnd returns n positions behind the policies of a tier; nil if there is no room.
func (b *tierPlaces) placesAtEnd(band, n int) (out []plan.TierPlace) {
	if band < 0 || b.bands[band].Tier == nil {
		return nil
	}
	last := 0.0
	if rungs := b.bands[band].Rungs; len(rungs) > 0 {
		last = math.Floor(rungs[len(rungs)-1].Priority)
	}
	if last+float64(n) > plan.MostPlace {
		return nil
	}
	for i := range n {
		out = append(out, plan.TierPlace{Tier: b.bands[band].Name, Priority: last + float64(i+1)})
	}
	return out
}

// lastTier returns the band of the last tier before NetworkPolicies. after is the first policy behind it that
// is in no tier; empty if none.
func (b *tierPlaces) lastTier() (end int, after string) {
	for end = len(b.bands) - 1; end >= 0 && b.bands[end].Tier == nil; end-- {
		if rungs := b.bands[end].Rungs; len(rungs) > 0 {
			after = rungs[0].Policies[0].Policy.Key.Label()
		}
	}
	return end, after
}

func (b *tierPlaces) behind(at plan.TierPlace) (plan.TierPlace, string, error) {
	end, after := b.lastTier()
	note := "after every policy"
	if after != "" {
		note = "after every tier, and before " + after
	}
	free := b.placesAtEnd(end, 1)
	if free != nil && b.compare(at, free[0]) >= 0 { // already offered as an earlier position
		free[0] = plan.TierPlace{Tier: at.Tier, Priority: math.Floor(at.Priority) + 1}
	}
	if free == nil || free[0].Priority > plan.MostPlace {
		return at, "", fmt.Errorf("behind every policy: %w", plan.ErrNoSpace)
	}
	return free[0], note, nil
}

// baselinePlace returns the position behind all policies of the baseline's tier.
func (w *World) baselinePlace() (plan.TierPlace, error) {
	last := 0.0
	for _, band := range w.tiers.Bands(w.Cluster) {
		if n := len(band.Rungs); band.Name == w.tiers.Baseline && n > 0 {
			last = max(last, math.Floor(band.Rungs[n-1].Priority))
		}
	}
	at := plan.TierPlace{Tier: w.tiers.Baseline, Priority: last + 1}
	if at.Priority > plan.MostPlace {
		return at, fmt.Errorf("behind the policies of tier %s: %w", w.tiers.Baseline, plan.ErrNoSpace)
	}
	return at, nil
}
