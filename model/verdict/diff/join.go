package diff

import (
	"cmp"
	"slices"
)

// JoinNetwork adds the difference on a network other than the default one. other has the connections of the
// pods on that network, which d lacks.
func (d *Difference) JoinNetwork(other *Difference, network string) {
	named := func(gs []FlipGroup) []FlipGroup {
		gs = slices.Clone(gs)
		for i := range gs {
			gs[i].Network, gs[i].Example.Network = network, network
		}
		return gs
	}
	d.Flips = append(d.Flips, named(other.Flips)...)
	d.OtherDeciders = append(d.OtherDeciders, named(other.OtherDeciders)...)
	for _, list := range [][]FlipGroup{d.Flips, d.OtherDeciders} {
		slices.SortStableFunc(list, func(a, b FlipGroup) int {
			return cmp.Or(a.After.HarmRank()-b.After.HarmRank(), a.Before.HarmRank()-b.Before.HarmRank(), cmp.Compare(b.Pairs, a.Pairs))
		})
	}
	for _, t := range other.Totals {
		d.Totals = addToTotals(d.Totals, t)
	}
	sortTotals(d.Totals)
	d.Reaches = append(d.Reaches, other.Reaches...)
	for _, h := range other.StillDeniedPairs {
		h.Network = network
		d.StillDeniedPairs = append(d.StillDeniedPairs, h)
	}
	for i := range other.Watched {
		if i < len(d.Watched) {
			d.Watched[i] = append(d.Watched[i], named(other.Watched[i])...)
		}
	}
	d.joinRules(other.Rules)
}

// joinRules adds the uses of rules on another network. A rule is used if it is used on any network.
func (d *Difference) joinRules(uses []RuleUse) {
	for _, u := range uses {
		i := slices.IndexFunc(d.Rules, func(o RuleUse) bool {
			return o.Policy == u.Policy && o.Direction == u.Direction && o.Rule == u.Rule && o.IsBefore == u.IsBefore
		})
		if i < 0 {
			d.Rules = append(d.Rules, u)
			continue
		}
		have := &d.Rules[i]
		have.Matches, have.Decides = have.Matches || u.Matches, have.Decides || u.Decides
		have.Instead = append(slices.Clone(have.Instead), u.Instead...)
	}
}

// sortTotals sorts the most harmful change first.
func sortTotals(totals []PairTotal) {
	slices.SortFunc(totals, func(a, b PairTotal) int {
		return cmp.Or(a.After.HarmRank()-b.After.HarmRank(), a.Before.HarmRank()-b.Before.HarmRank())
	})
}
