package template

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
)

// TierForm is how sets are made where the policies of a system stand in tiers.
type TierForm struct {
	// Kind of the policies that are made.
	Kind model.Kind
	// Last is the last tier before NetworkPolicies that every cluster has, Baseline the one after them.
	Last, Baseline string
	// Bands are the policies of a cluster that decide, tier by tier; NetworkPolicies are the band of
	// their kind.
	Bands func(*model.Cluster) []ladder.Band
	// Object is the policy, as the API has it, that says at a place what an AdminNetworkPolicy or a
	// baseline says.
	Object func(admin map[string]any, at plan.TierSlot) map[string]any
}

// tierSign stands between a tier and the priority in it.
const tierSign = "/"

// tierBoard are the places in the tiers before NetworkPolicies, in order, among the bands of policies that
// stand in no tier.
type tierBoard struct {
	last  string
	bands []ladder.Band
}

func (w *World) newTierBoard() *tierBoard {
	b := &tierBoard{last: w.Tiers.Last}
	for _, band := range w.Tiers.Bands(w.Cluster) {
		if band.Tier == nil && band.Name == string(model.KindNP) {
			break
		}
		b.bands = append(b.bands, w.withoutKept(band))
	}
	return b
}

// withoutKept is a band without the policies of the set that is made anew.
func (w *World) withoutKept(band ladder.Band) ladder.Band {
	var rungs []ladder.BandRung
	for _, r := range band.Rungs {
		r.Policies = slices.DeleteFunc(slices.Clone(r.Policies), func(p ladder.RungPolicy) bool { return w.isOfKept(p.Policy) })
		if len(r.Policies) > 0 {
			rungs = append(rungs, r)
		}
	}
	band.Rungs = rungs
	return band
}

// bandOf is which band a tier is, -1 for none.
func (b *tierBoard) bandOf(tier string) int {
	return slices.IndexFunc(b.bands, func(band ladder.Band) bool { return band.Tier != nil && band.Name == tier })
}

func (b *tierBoard) parsePlace(text string) (at plan.TierSlot, err error) {
	at, err = readPlace(text)
	i := b.bandOf(at.Tier)
	if i < 0 {
		var names []string
		for _, band := range b.bands {
			if band.Tier != nil {
				names = append(names, band.Name)
			}
		}
		return at, fmt.Errorf("%s is no place: want TIER/PRIORITY such as %s/5; the tiers are %s", text, b.last, strings.Join(names, ", "))
	}
	if err != nil || !(at.Priority >= plan.LeastPlace && at.Priority <= plan.MostPlace) {
		return at, fmt.Errorf("%s: want a priority from %v to %v behind the slash", text, plan.LeastPlace, plan.MostPlace)
	}
	for _, r := range b.bands[i].Rungs {
		if r.Priority == at.Priority {
			return at, fmt.Errorf("%s is taken by %s", text, r.Policies[0].Policy.Key.Label())
		}
	}
	return at, nil
}

func (b *tierBoard) compare(x, y plan.TierSlot) int {
	return cmp.Or(cmp.Compare(b.bandOf(x.Tier), b.bandOf(y.Tier)), cmp.Compare(x.Priority, y.Priority))
}

func (b *tierBoard) freeBefore(n int, before placeBefore) ([]plan.TierSlot, string, error) {
	for i := range b.bands {
		low := 0.0
		for _, r := range b.bands[i].Rungs {
			j := slices.IndexFunc(r.Policies, func(p ladder.RungPolicy) bool {
				return before == beforeAll || decidesInTier(p.Policy, before == beforeDecides)
			})
			if j < 0 {
				low = r.Priority
				continue
			}
			first := r.Policies[j].Policy.Key.Label()
			if b.bands[i].Tier != nil {
				if at := placesBetween(b.bands[i].Name, n, low, r.Priority); at != nil {
					return at, fmt.Sprintf("free, before %s (%s)", first, placeText(plan.TierSlot{Tier: b.bands[i].Name, Priority: r.Priority})), nil
				}
			}
			if at := b.placesAbove(i, 0, n); at != nil {
				return at, "free, before " + first, nil
			}
			return nil, "", fmt.Errorf("%s comes first of all: %w", first, plan.ErrNoRoom)
		}
	}
	if at := b.placesAtEnd(b.bandOf(b.last), n); at != nil {
		return at, "free", nil
	}
	return nil, "", fmt.Errorf("tier %s: %w", b.last, plan.ErrNoRoom)
}

// decidesInTier says whether a policy denies or passes on; with allows also whether it allows. Whether a
// pod has it now is not asked: groups and Services are among what its rules may name.
func decidesInTier(p *model.Policy, allows bool) bool {
	for r := range p.AllRules() {
		if allows || r.Action != model.Allow {
			return true
		}
	}
	return false
}

// placesBetween are places between two priorities of a tier, as far from each other as from these; nil
// where there are none.
func placesBetween(tier string, n int, low, high float64) (out []plan.TierSlot) {
	for ; n > 0; n-- {
		next := max(plan.Between(low, low+2*(high-low)/float64(n+1)), plan.LeastPlace)
		if next <= low || next >= high {
			return nil
		}
		out, low = append(out, plan.TierSlot{Tier: tier, Priority: next}), next
	}
	return out
}

// placesAbove are places at the end of the last tier above a band, and not above another, that has some; nil
// for none.
func (b *tierBoard) placesAbove(band, top, n int) []plan.TierSlot {
	for i := band - 1; i >= top; i-- {
		if at := b.placesAtEnd(i, n); at != nil {
			return at
		}
	}
	return nil
}

// placesAtEnd are places behind the policies of a tier, nil where there are none.
func (b *tierBoard) placesAtEnd(band, n int) (out []plan.TierSlot) {
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
		out = append(out, plan.TierSlot{Tier: b.bands[band].Name, Priority: last + float64(i+1)})
	}
	return out
}

func (b *tierBoard) freeAfter(at plan.TierSlot) (plan.TierSlot, error) {
	if at == noPlace {
		at = plan.TierSlot{Tier: b.last}
	}
	i := b.bandOf(at.Tier)
	if i < 0 {
		return at, fmt.Errorf("there is no tier %s before NetworkPolicies", at.Tier)
	}
	next := math.Floor(at.Priority) + 1
	for _, r := range b.bands[i].Rungs {
		if r.Priority > at.Priority {
			if next >= r.Priority {
				next = plan.Between(at.Priority, r.Priority)
			}
			break
		}
	}
	if next > plan.MostPlace {
		return at, fmt.Errorf("behind %s: %w", placeText(at), plan.ErrNoRoom)
	}
	return plan.TierSlot{Tier: at.Tier, Priority: next}, nil
}

// lastTier is the band of the last tier before NetworkPolicies, and the first policy behind it that stands in
// no tier; empty for none.
func (b *tierBoard) lastTier() (end int, after string) {
	for end = len(b.bands) - 1; end >= 0 && b.bands[end].Tier == nil; end-- {
		for _, r := range b.bands[end].Rungs {
			after = r.Policies[0].Policy.Key.Label()
			break
		}
	}
	return end, after
}

func (b *tierBoard) freeBehind(at plan.TierSlot) (plan.TierSlot, string, error) {
	end, after := b.lastTier()
	note := "after every policy"
	if after != "" {
		note = "after every tier, and before " + after
	}
	free := b.placesAtEnd(end, 1)
	switch {
	case free == nil:
		return at, "", fmt.Errorf("behind every policy: %w", plan.ErrNoRoom)
	case b.compare(at, free[0]) >= 0:
		next, err := b.freeAfter(at)
		return next, note, err
	}
	return free[0], note, nil
}

func (b *tierBoard) freeBetween(low, high plan.TierSlot) (plan.TierSlot, error) {
	i, top, from := b.bandOf(high.Tier), max(b.bandOf(low.Tier), 0), 0.0
	if i >= 0 {
		if low.Tier == high.Tier {
			from = low.Priority
		}
		for _, r := range b.bands[i].Rungs {
			if r.Priority < high.Priority {
				from = max(from, r.Priority)
			}
		}
		if at := placesBetween(high.Tier, 1, from, high.Priority); at != nil {
			return at[0], nil
		}
		if at := b.placesAbove(i, top, 1); at != nil && (low == noPlace || b.compare(low, at[0]) < 0) {
			return at[0], nil
		}
	}
	return low, fmt.Errorf("before %s: %w", placeText(high), plan.ErrNoRoom)
}

// baselinePlace is the place behind all policies of the baseline's tier.
func (w *World) baselinePlace() (plan.TierSlot, error) {
	last := 0.0
	for _, band := range w.Tiers.Bands(w.Cluster) {
		for _, r := range w.withoutKept(band).Rungs {
			if band.Name == w.Tiers.Baseline {
				last = max(last, math.Floor(r.Priority))
			}
		}
	}
	at := plan.TierSlot{Tier: w.Tiers.Baseline, Priority: last + 1}
	if at.Priority > plan.MostPlace {
		return at, fmt.Errorf("behind the policies of tier %s: %w", w.Tiers.Baseline, plan.ErrNoRoom)
	}
	return at, nil
}

// putIntoTiers makes the policies of a set the system's own.
func (m *setMaker) putIntoTiers() (err error) {
	for i := range m.set.Policies {
		p := &m.set.Policies[i]
		at := p.place
		if p.Key.Kind == model.KindBANP {
			if at, err = m.world.baselinePlace(); err != nil {
				return err
			}
		}
		p.Key = model.PolicyKey{Kind: m.world.Tiers.Kind, Name: policyName(m.set.Name, p.Part)}
		childObject(p.Object, "metadata")["name"] = p.Key.Name
		p.Object = m.world.Tiers.Object(p.Object, at)
	}
	return nil
}
