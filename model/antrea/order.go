package antrea

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ladder"
)

// isSamePlace reports whether two policies are tied.
func isSamePlace(p, o *ladder.Place) bool {
	return p.Tier == o.Tier && p.Priority() == o.Priority() && p.Tier != PriorityNetwork && !p.Missing && !o.Missing
}

// decidingKinds has the kinds of policies that decide under Antrea.
var decidingKinds = []model.Kind{model.KindACNP, model.KindANNP, model.KindANP, model.KindNP, model.KindBANP, model.KindCNP}

// EffectiveOrder returns all policies of the cluster as antctl sorts them by effectivePriority
// (antrea.md#order): by tier, then by priority, whatever their kind. Ties are sorted by kind and name, for
// display only. EgressFirewalls are left out: Antrea does not know them.
func EffectiveOrder(c *model.Cluster) []ladder.Place {
	tiers := map[string]int32{}
	all := TiersInOrder(c)
	refused := refusedTiers(all)
	for _, t := range all {
		if _, not := refused[t.Name]; !not {
			tiers[t.Name] = t.Priority
		}
	}
	var out []ladder.Place
	for _, k := range decidingKinds {
		for p := range c.Policies(k) {
			out = append(out, policyPlace(p, tiers))
		}
	}
	slices.SortFunc(out, func(a, b ladder.Place) int { // policies whose tier is missing come last
		return cmp.Or(model.FalseFirst(a.Missing, b.Missing), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Priority(), b.Priority()),
			cmp.Compare(a.TierName, b.TierName), cmp.Compare(a.Policy.Kind.Abbreviation(), b.Policy.Kind.Abbreviation()),
			a.Policy.Key.Compare(b.Policy.Key))
	})
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && isSamePlace(&out[from], &out[to]) {
			to++
		}
		if to-from > 1 { // one shared list: ties may be large
			group := make([]model.PolicyKey, 0, to-from)
			for i := from; i < to; i++ {
				group = append(group, out[i].Policy.Key)
			}
			for i := from; i < to; i++ {
				out[i].Group = group
			}
		}
		from = to
	}
	return out
}

func policyPlace(p *model.Policy, tiers map[string]int32) ladder.Place {
	switch {
	case p.Tiered != nil:
		priority, ok := tiers[p.Tiered.Tier]
		return ladder.Place{Policy: p, Tier: priority, TierName: p.Tiered.Tier, Missing: !ok}
	case p.Kind == model.KindANP:
		return ladder.Place{Policy: p, Tier: PriorityANP}
	case p.Kind == model.KindNP:
		return ladder.Place{Policy: p, Tier: PriorityNetwork}
	case p.Tier == model.TierBaseline:
		return ladder.Place{Policy: p, Tier: PriorityBANP}
	}
	return ladder.Place{Policy: p, Tier: PriorityAdminCNP}
}
