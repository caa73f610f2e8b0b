package ladder

import (
	"slices"

	"rung/model"
)

// OfKeys returns the ladder of some policies and units. Rungs keep their marks and gaps, which refer to all
// policies. Conflicts are those of a kept policy.
func (l *Ladder) OfKeys(keep func(model.Key) bool) *Ladder {
	out := l.narrowed(func(c *RuleConflict) bool { return keep(c.A) || keep(c.B) },
		func(p *model.Policy) bool { return keep(p.Key) }, func(u *Unit) bool { return keep(u.Key) })
	for i := range out.Tiers {
		if t := &out.Tiers[i]; t.Tier == model.TierNetwork {
			t.Namespaces = nil
			t.groupByNamespace()
		}
	}
	return out
}

// narrowed returns the ladder with only the kept conflicts, policies on rungs and units. The caller narrows
// the namespaces.
func (l *Ladder) narrowed(keepConflict func(*RuleConflict) bool, keepPolicy func(*model.Policy) bool, keepUnit func(*Unit) bool) *Ladder {
	out := *l
	out.Conflicts, out.Tiers = nil, slices.Clone(l.Tiers)
	at := map[int]int{} // of conflicts
	for i := range l.Conflicts {
		if keepConflict(&l.Conflicts[i]) {
			at[i] = len(out.Conflicts)
			out.Conflicts = append(out.Conflicts, l.Conflicts[i])
		}
	}
	for i := range out.Tiers {
		t := &out.Tiers[i]
		var rungs []Rung
		for _, r := range t.Rungs {
			r.Policies = slices.DeleteFunc(slices.Clone(r.Policies), func(p RungPolicy) bool { return !keepPolicy(p.Policy) })
			for j := range r.Policies {
				r.Policies[j].Conflicts = conflictsAt(r.Policies[j].Conflicts, at)
			}
			if len(r.Policies) > 0 {
				rungs = append(rungs, r)
			}
		}
		t.Rungs = rungs
		if t.Tier != model.TierNetwork {
			continue
		}
		t.Policies = slices.DeleteFunc(slices.Clone(t.Policies), func(p RungPolicy) bool {
			return !keepUnit(&Unit{Key: p.Policy.Key, Policy: &p})
		})
		t.Units = slices.DeleteFunc(slices.Clone(t.Units), func(u Unit) bool { return !keepUnit(&u) })
		t.countKinds()
	}
	return &out
}

// conflictsAt maps indexes of conflicts to a shorter list, without those missing from it.
func conflictsAt(all []int, at map[int]int) (out []int) {
	for _, i := range all {
		if n, ok := at[i]; ok {
			out = append(out, n)
		}
	}
	return out
}

func (t *Tier) countKinds() {
	t.Counts = map[model.Kind]int{}
	for i := range t.Policies {
		t.Counts[t.Policies[i].Policy.Kind]++
	}
}

// PolicyCount returns the number of policies.
func (l *Ladder) PolicyCount() (n int) {
	for i := range l.Tiers {
		t := &l.Tiers[i]
		n += len(t.Policies)
		for j := range t.Rungs {
			n += len(t.Rungs[j].Policies)
		}
	}
	return n
}

// UnitCount returns the number of units that belong to no policy.
func (l *Ladder) UnitCount() (n int) {
	for i := range l.Tiers {
		for j := range l.Tiers[i].Units {
			if l.Tiers[i].Units[j].Policy == nil {
				n++
			}
		}
	}
	return n
}

// WithMoved returns tier 1 with a policy moved to another priority, and its gaps. Conflicts at the new
// priority are not computed.
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
