package revision

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"rung/model"
)

// Over is how a policy stands over zones.
type Over struct {
	Zones, InSync int
	States        map[model.PolicyState]int // of the zones where it is not in sync
	Worst         model.PolicyState
	Names         []string // of the zones that are worst
}

// Over judges a policy in every zone where it has rows.
func (r *Revision) Over(k model.PolicyKey, now time.Time) Over {
	o := Over{States: map[model.PolicyState]int{}, Worst: model.StateInSync}
	for _, z := range r.Zones {
		if !r.InZone(k, z.Name) {
			continue
		}
		o.Zones++
		s := z.Policy(k).State(z, now)
		if s == model.StateInSync {
			o.InSync++
			continue
		}
		o.States[s]++
		if s.Worse(o.Worst) {
			o.Worst, o.Names = s, nil
		}
		if s == o.Worst {
			o.Names = append(o.Names, z.Name)
		}
	}
	return o
}

// Others are the states in which the policy is not in sync, worst first.
func (o *Over) Others() []model.PolicyState {
	return slices.SortedFunc(maps.Keys(o.States), model.PolicyState.Compare)
}

// Worst is the zone in which a policy needs attention first, nil without zones.
func (r *Revision) Worst(k model.PolicyKey, now time.Time) (worst *model.ZoneState) {
	var state model.PolicyState
	for _, z := range r.Zones {
		if s := z.Policy(k).State(z, now); worst == nil || s.Worse(state) {
			worst, state = z, s
		}
	}
	return worst
}

// Troubled are at most n zones in which a policy is not in sync, and the others; each
// worst first, then by name.
func (r *Revision) Troubled(k model.PolicyKey, n int, now time.Time) (first, left []*model.ZoneState) {
	all := slices.Clone(r.Zones)
	states := make(map[string]model.PolicyState, len(all))
	for _, z := range all {
		states[z.Name] = z.Policy(k).State(z, now)
	}
	slices.SortStableFunc(all, func(a, b *model.ZoneState) int {
		return cmp.Or(states[a.Name].Compare(states[b.Name]), strings.Compare(a.Name, b.Name))
	})
	n = min(n, len(all))
	for n > 0 && states[all[n-1].Name] == model.StateInSync {
		n--
	}
	return all[:n], all[n:]
}

// NextZone is the zone d steps from the named one, in a circle; the first when
// there is none of that name.
func (r *Revision) NextZone(name string, d int) string {
	n := len(r.Zones)
	for i, z := range r.Zones {
		if z.Name == name {
			return r.Zones[((i+d)%n+n)%n].Name
		}
	}
	if n > 0 {
		return r.Zones[0].Name
	}
	return name
}

// ZoneTally is how policies and other rows stand in a zone.
type ZoneTally struct {
	InSync, Policies int
	// Differ are the policies and units that are not in sync although their rows
	// are known, worst first.
	Differ []UnitState
}

// UnitState is a policy or unit with its state in a zone.
type UnitState struct {
	Key   model.PolicyKey
	State model.PolicyState
}

// Tally judges everything in a zone.
func (r *Revision) Tally(z *model.ZoneState, now time.Time) (t ZoneTally) {
	for k := range z.Policies {
		if !k.Kind.IsPolicy() && !r.InZone(k, z.Name) {
			continue
		}
		s := z.Policy(k).State(z, now)
		if k.Kind.IsPolicy() {
			t.Policies++
			if s == model.StateInSync {
				t.InSync++
			}
		}
		if s.Worse(model.StateNotEnforced) {
			t.Differ = append(t.Differ, UnitState{k, s})
		}
	}
	slices.SortFunc(t.Differ, func(a, b UnitState) int { return cmp.Or(a.State.Compare(b.State), a.Key.Compare(b.Key)) })
	return t
}
