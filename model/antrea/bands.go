package antrea

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
)

// LadderBands returns the ladder of a cluster on Antrea (antrea.md#order), in the order in which bands decide:
// all Tiers, the NetworkPolicies, and other kinds with policies.
func LadderBands(c *model.Cluster) []ladder.Band {
	var out []ladder.Band
	for _, t := range TiersInOrder(c) {
		if t.Name == Baseline {
			out = append(out, ladder.Band{Name: string(model.KindNP), Priority: PriorityNetwork})
		}
		out = append(out, ladder.Band{Name: t.Name, Tier: t, Priority: t.Priority})
	}
	for _, p := range EffectiveOrder(c) {
		b := ensureBand(&out, &p)
		if n := len(b.Rungs); n == 0 || b.Rungs[n-1].Priority != p.Priority() {
			b.Rungs = append(b.Rungs, ladder.BandRung{Priority: p.Priority(), Tied: p.IsTied()})
		}
		r := &b.Rungs[len(b.Rungs)-1]
		r.Policies = append(r.Policies, ladder.NewRungPolicy(p.Policy))
	}
	return out
}

// DecidingBands returns the ladder without what Antrea rejects: rejected tiers, missing tiers, and policy
// priorities out of range.
func DecidingBands(c *model.Cluster) (out []ladder.Band) {
	refused := refusedTiers(slices.Collect(c.Tiers()))
	for _, b := range LadderBands(c) {
		_, no := refused[b.Name]
		if b.Missing || no && b.Tier != nil {
			continue
		}
		b.Rungs = slices.DeleteFunc(b.Rungs, func(r ladder.BandRung) bool {
			return b.Tier != nil && !(r.Priority >= plan.LeastPlace && r.Priority <= plan.MostPlace)
		})
		out = append(out, b)
	}
	return out
}

// ensureBand returns the band of a policy's place. It inserts a missing band in deciding order.
func ensureBand(bands *[]ladder.Band, p *ladder.Place) *ladder.Band {
	name := cmp.Or(p.TierName, string(p.Policy.Kind))
	at := len(*bands)
	for i := range *bands {
		b := &(*bands)[i]
		if b.Name == name && b.Missing == p.Missing {
			return b
		}
		if at == len(*bands) && !p.Missing && b.Priority > p.Tier {
			at = i
		}
	}
	*bands = slices.Insert(*bands, at, ladder.Band{Name: name, Priority: p.Tier, Missing: p.Missing})
	return &(*bands)[at]
}
