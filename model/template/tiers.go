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
	// Bands are the policies of a cluster, tier by tier.
	Bands func(*model.Cluster) []ladder.Band
	// Object is the policy, as the API has it, that says at a place what an AdminNetworkPolicy or a
	// baseline says.
	Object func(admin map[string]any, at plan.TierSlot) map[string]any
}

// tierSign stands between a tier and the priority in it.
const tierSign = "/"

// tierBoard are the places in the tiers before NetworkPolicies, in order.
type tierBoard struct {
	last  string
	bands []ladder.Band
	w     *World
}

func (w *World) newTierBoard() *tierBoard {
	b := &tierBoard{last: w.Tiers.Last, w: w}
	for _, band := range w.Tiers.Bands(w.Cluster) {
		if band.Tier != nil && band.Name != w.Tiers.Baseline {
			b.bands = append(b.bands, w.withoutKept(band))
		}
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
	return slices.IndexFunc(b.bands, func(band ladder.Band) bool { return band.Name == tier })
}

func (b *tierBoard) parsePlace(text string) (at plan.TierSlot, err error) {
	at, err = readPlace(text)
	i := b.bandOf(at.Tier)
	if i < 0 {
		var names []string
		for _, band := range b.bands {
			names = append(names, band.Name)
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
			note := fmt.Sprintf("free, before %s (%s)", r.Policies[j].Policy.Key.Label(), placeText(plan.TierSlot{Tier: b.bands[i].Name, Priority: r.Priority}))
			if at := placesBetween(b.bands[i].Name, n, low, r.Priority); at != nil {
				return at, note, nil
			}
			for i--; i >= 0; i-- {
				if at := b.placesAtEnd(i, n); at != nil {
					return at, note, nil
				}
			}
			return nil, "", fmt.Errorf("%s comes first of all: %w", r.Policies[j].Policy.Key.Label(), plan.ErrNoRoom)
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

// placesAtEnd are places behind the policies of a tier, nil where there are none.
func (b *tierBoard) placesAtEnd(band, n int) (out []plan.TierSlot) {
	if band < 0 {
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

func (b *tierBoard) freeBehind(at plan.TierSlot) (plan.TierSlot, error) {
	end := len(b.bands) - 1
	free := b.placesAtEnd(end, 1)
	switch {
	case free == nil:
		return at, fmt.Errorf("behind every policy: %w", plan.ErrNoRoom)
	case b.compare(at, free[0]) >= 0:
		return b.freeAfter(at)
	}
	return free[0], nil
}

// baselinePlace is the place behind all policies of the baseline's tier.
func (w *World) baselinePlace() plan.TierSlot {
	last := 0.0
	for _, band := range w.Tiers.Bands(w.Cluster) {
		for _, r := range w.withoutKept(band).Rungs {
			if band.Name == w.Tiers.Baseline {
				last = max(last, math.Floor(r.Priority))
			}
		}
	}
	return plan.TierSlot{Tier: w.Tiers.Baseline, Priority: min(last+1, plan.MostPlace)}
}

// putIntoTiers makes the policies of a set the system's own.
func (m *setMaker) putIntoTiers() {
	for i := range m.set.Policies {
		p := &m.set.Policies[i]
		at := p.place
		if p.Key.Kind == model.KindBANP {
			at = m.world.baselinePlace()
		}
		p.Key = model.PolicyKey{Kind: m.world.Tiers.Kind, Name: policyName(m.set.Name, p.Part)}
		childObject(p.Object, "metadata")["name"] = p.Key.Name
		p.Object = m.world.Tiers.Object(p.Object, at)
	}
}
