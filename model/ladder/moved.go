package ladder

import (
	"slices"

	"rung/model"
)

// WithMoved is tier 1 as it would be with a policy at another priority, with what would be
// free. Whether the policy conflicts there is not known.
func (l *Ladder) WithMoved(k model.PolicyKey, priority int32) ([]Rung, []Gap) {
	var rungs []Rung
	var moved RungPolicy
	for _, r := range l.Tiers[model.TierAdmin].Rungs {
		i := slices.IndexFunc(r.Policies, func(p RungPolicy) bool { return p.Policy.Key == k })
		if i >= 0 {
			moved = r.Policies[i]
			moved.Conflicts = nil // not known for the new place
			r.Policies = slices.Delete(slices.Clone(r.Policies), i, i+1)
			if len(r.Policies) == 0 {
				continue
			}
		}
		rungs = append(rungs, r)
	}
	at := slices.IndexFunc(rungs, func(r Rung) bool { return r.Priority >= priority })
	switch {
	case at < 0:
		rungs = append(rungs, Rung{Priority: priority})
		at = len(rungs) - 1
	case rungs[at].Priority != priority || rungs[at].Idle:
		rungs = slices.Insert(rungs, at, Rung{Priority: priority})
	}
	rungs[at].Policies = append(slices.Clone(rungs[at].Policies), moved)
	var used []int32
	for i := range rungs {
		if rungs[i].Idle {
			continue
		}
		rungs[i].Duplicate = len(rungs[i].Policies) > 1
		used = append(used, rungs[i].Priority)
	}
	return rungs, FreeGaps(used, l.Max)
}
