package policies

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/revision"
)

// Over is how a policy stands over zones.
type Over struct {
	Zones, InSync int
	None          bool                      // it has no desired rows: nothing can be in sync
	States        map[model.PolicyState]int // of the zones where it is not in sync
	Worst         model.PolicyState
	Names         []string // of the zones that are worst
}

// OverZones judges a policy in every zone where it has rows.
func OverZones(r *revision.Revision, k model.PolicyKey, now time.Time) Over {
	o := Over{States: map[model.PolicyState]int{}, Worst: model.StateInSync, None: r.None(k) != nil}
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
func Worst(r *revision.Revision, k model.PolicyKey, now time.Time) (worst *model.ZoneState) {
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
func Troubled(r *revision.Revision, k model.PolicyKey, n int, now time.Time) (first, left []*model.ZoneState) {
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
func NextZone(r *revision.Revision, name string, d int) string {
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

// ZoneTally is how policies and other rows stand in a zone: the one count of the zones
// page and `rung zones`.
type ZoneTally struct {
	// InSync and Policies count what has desired rows, and policies that only rows are
	// left of; NotEnforced those that have none to be in sync with.
	InSync, Policies, NotEnforced int
	// States counts policies by their state, Units alike what is no policy's alone.
	States, Units map[model.PolicyState]int
	// Differ are the policies and units that are not in sync although their rows
	// are known, worst first.
	Differ []UnitState
	// Astray are the units, policies aside, that are not in sync, by kind and name.
	Astray []model.Key
}

// Short is "15/15", with what is not enforced beside it: "15/15, 1 not enforced".
func (t *ZoneTally) Short() string {
	text := fmt.Sprintf("%d/%d", t.InSync, t.Policies)
	if t.NotEnforced > 0 {
		text += fmt.Sprintf(", %d not enforced", t.NotEnforced)
	}
	return text
}

// UnitState is a policy or unit with its state in a zone.
type UnitState struct {
	Key   model.PolicyKey
	State model.PolicyState
}

// Tally judges everything in a zone.
func Tally(r *revision.Revision, z *model.ZoneState, now time.Time) (t ZoneTally) {
	t.States, t.Units = map[model.PolicyState]int{}, map[model.PolicyState]int{}
	for k := range z.Policies {
		t.add(r, z, k, now)
	}
	// What was not judged there yet.
	for p := range r.Cluster.AllPolicies() {
		if z.Policies[p.Key] == nil {
			t.add(r, z, p.Key, now)
		}
	}
	for c := range r.AllCompiled() {
		if !c.Key.Kind.IsPolicy() && z.Policies[c.Key] == nil {
			t.add(r, z, c.Key, now)
		}
	}
	slices.SortFunc(t.Differ, func(a, b UnitState) int { return cmp.Or(a.State.Compare(b.State), a.Key.Compare(b.Key)) })
	slices.SortFunc(t.Astray, model.Key.Compare)
	return t
}

func (t *ZoneTally) add(r *revision.Revision, z *model.ZoneState, k model.PolicyKey, now time.Time) {
	if !k.Kind.IsPolicy() && !r.InZone(k, z.Name) {
		return
	}
	s := z.Policy(k).State(z, now)
	if s.Worse(model.StateNotEnforced) {
		t.Differ = append(t.Differ, UnitState{k, s})
	}
	if !k.Kind.IsPolicy() {
		if t.Units[s]++; s != model.StateInSync {
			t.Astray = append(t.Astray, k)
		}
		return
	}
	t.States[s]++
	switch {
	case s == model.StateFrozen: // among those that differ
	case r.None(k) != nil:
		t.NotEnforced++
	default:
		if t.Policies++; s == model.StateInSync {
			t.InSync++
		}
	}
}
