package revision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
)

// PolicySummary is the state of a policy over all zones.
type PolicySummary struct {
	State     model.PolicyState // the worst over the zones
	InSync    int               // zones in sync
	HasNoRows bool              // no desired rows, so no zone can be in sync
	Zones     int               // number of zones
	Zone      string            // the zone that State comes from
	Text      string            // "in sync", "1 row behind ovn-worker2", "frozen: still enforced at 50"
	Waiting   int               // subject pods whose port does not exist yet
	// NotInSync lists the zones that are not in sync, by state.
	NotInSync map[model.PolicyState][]string
}

// SummarizePolicy returns the state of a policy over all zones at a time.
func SummarizePolicy(r *Revision, k model.PolicyKey, now time.Time) PolicySummary {
	s := PolicySummary{State: model.StateUnknown, NotInSync: map[model.PolicyState][]string{}}
	var worst *model.ZoneState
	c := r.DesiredFor(k).Policy(k)
	s.HasNoRows = c != nil && c.WhyNoRows != nil
	for _, z := range r.Zones {
		if c != nil && !c.HasRowsIn(z.Name) {
			continue // a node's rows are only in its own zone
		}
		s.Zones++
		p := z.PolicyJoin(k)
		st := p.StateAt(z, now)
		if st == model.StateInSync {
			s.InSync++
		} else {
			s.NotInSync[st] = append(s.NotInSync[st], z.Name)
		}
		if p != nil {
			s.Waiting += p.Waiting
		}
		if worst == nil || st.IsWorseThan(s.State) {
			s.State, s.Zone, worst = st, z.Name, z
		}
	}
	s.Text = summaryText(r, k, s.State, worst)
	return s
}

// InSyncText returns the share of zones in sync, "2/3"; "–" without desired rows or zones.
func (s PolicySummary) InSyncText() string {
	if s.HasNoRows || s.Zones == 0 {
		return "–"
	}
	return fmt.Sprintf("%s/%s", words.Thousands(s.InSync), words.Thousands(s.Zones))
}

// summaryText returns a state in a few words. z is the zone of the state, or nil without zones.
func summaryText(r *Revision, k model.PolicyKey, state model.PolicyState, z *model.ZoneState) string {
	p := z.PolicyJoin(k)
	switch state {
	case model.StateFrozen:
		return "frozen: " + frozenText(p)
	case model.StateNotEnforced:
		return "not enforced: " + NoRowsShort(r, p.None)
	case model.StateBehind:
		return words.Count(DifferingRows(p), "row") + " behind " + z.Name
	case model.StateSettling:
		if n := DifferingRows(p); n > 0 {
			return "settling, " + words.Count(n, "row")
		}
		// Not compared since it changed.
	case model.StateUnknown:
		if z != nil && !z.IsCurrent() {
			return string(z.Conn) + " " + z.Name
		}
	case model.StateStale:
		text := "stale " + z.Name
		if p != nil && p.None != nil && p.LiveACLs > 0 {
			text += ", frozen when it was read"
		}
		return text
	}
	return string(state)
}

func frozenText(p *model.PolicyInZone) string {
	if p.LivePriority >= 0 {
		return fmt.Sprintf("still enforced at %d", p.LivePriority)
	}
	return "old rows still decide"
}

// NoRowsShort returns the reason for having no rows in a few words.
func NoRowsShort(r *Revision, n *model.NoRows) string {
	if n.Code == "priority" {
		return fmt.Sprintf("above %d", r.Flags.MaxPriority)
	}
	return cmp.Or(shortReasons[n.Code], n.Code)
}

// shortReasons maps codes of model.NoRows to a few words.
var shortReasons = map[string]string{model.NoController: "no controller", "logging-annotation": "bad logging annotation",
	model.InvalidCIDR: "bad CIDR", model.InvalidSelector: "bad label selector", "host-cidrs": "bad host-cidrs of a node",
	model.InvalidOlder: "older form", "profile": "OVN-Kubernetes rejects it"}

// StatesNotInSync returns the states in which the policy is not in sync, worst first.
func (s *PolicySummary) StatesNotInSync() []model.PolicyState {
	return slices.SortedFunc(maps.Keys(s.NotInSync), model.PolicyState.Compare)
}

// WorstZone returns the zone with the worst state of a policy, or nil without zones.
func WorstZone(r *Revision, k model.PolicyKey, now time.Time) *model.ZoneState {
	return r.Zone(SummarizePolicy(r, k, now).Zone)
}

// ZonesNotInSync returns at most n zones in which a policy is not in sync, and the other zones; both worst
// first, then by name.
func ZonesNotInSync(r *Revision, k model.PolicyKey, n int, now time.Time) (first, left []*model.ZoneState) {
	state := func(z *model.ZoneState) model.PolicyState { return z.PolicyJoin(k).StateAt(z, now) }
	all := slices.Clone(r.Zones)
	slices.SortStableFunc(all, func(a, b *model.ZoneState) int {
		return cmp.Or(state(a).Compare(state(b)), strings.Compare(a.Name, b.Name))
	})
	n = min(n, len(all))
	for n > 0 && state(all[n-1]) == model.StateInSync {
		n--
	}
	return all[:n], all[n:]
}

// NextZone returns the zone d steps after the named one, wrapping around; the first if the name is unknown.
func NextZone(r *Revision, name string, d int) string {
	i := slices.IndexFunc(r.Zones, func(z *model.ZoneState) bool { return z.Name == name })
	switch n := len(r.Zones); {
	case n == 0:
		return name
	case i < 0:
		return r.Zones[0].Name
	default:
		return r.Zones[((i+d)%n+n)%n].Name
	}
}

// ZoneTally counts the states of policies and other rows in a zone, for the zones page and `rung zones`.
type ZoneTally struct {
	// Policies counts policies with desired rows and deleted policies with leftover rows, InSync those in
	// sync. NotEnforced counts policies without desired rows.
	InSync, Policies, NotEnforced int
	// States counts policies by state, Units the other units.
	States, Units map[model.PolicyState]int
	// Differ are the policies and units that are not in sync although their rows are known, worst first.
	Differ []UnitState
	// UnitsOutOfSync are the units other than policies that are not in sync, by kind and name.
	UnitsOutOfSync []model.Key
}

// InSyncText returns "15/15", with the number not enforced: "15/15, 1 not enforced".
func (t *ZoneTally) InSyncText() string {
	text := words.Thousands(t.InSync) + "/" + words.Thousands(t.Policies)
	if t.NotEnforced > 0 {
		text += fmt.Sprintf(", %s not enforced", words.Thousands(t.NotEnforced))
	}
	return text
}

// UnitState is a policy or unit with its state in a zone.
type UnitState struct {
	Key   model.PolicyKey
	State model.PolicyState
}

// TallyZone counts the states of everything in a zone.
func TallyZone(r *Revision, z *model.ZoneState, now time.Time) (t ZoneTally) {
	t.States, t.Units = map[model.PolicyState]int{}, map[model.PolicyState]int{}
	for k := range z.Policies {
		if !k.Kind.IsPolicy() || k.Network == "" { // a policy on another network is also listed under its object
			t.add(r, z, k, now)
		}
	}
	// Policies and units not judged there yet.
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
	slices.SortFunc(t.UnitsOutOfSync, model.Key.Compare)
	return t
}

func (t *ZoneTally) add(r *Revision, z *model.ZoneState, k model.PolicyKey, now time.Time) {
	if !k.Kind.IsPolicy() && !r.InZone(k, z.Name) {
		return
	}
	s := z.PolicyJoin(k).StateAt(z, now)
	if s.IsWorseThan(model.StateNotEnforced) {
		t.Differ = append(t.Differ, UnitState{k, s})
	}
	if !k.Kind.IsPolicy() {
		t.Units[s]++
		if s != model.StateInSync {
			t.UnitsOutOfSync = append(t.UnitsOutOfSync, k)
		}
		return
	}
	t.States[s]++
	switch {
	case s == model.StateFrozen: // counted in Differ
	case r.WhyNoRows(k) != nil:
		t.NotEnforced++
	default:
		t.Policies++
		if s == model.StateInSync {
			t.InSync++
		}
	}
}
