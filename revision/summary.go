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

// PolicySummary is a policy over all zones.
type PolicySummary struct {
	State     model.PolicyState // the worst over the zones
	InSync    int               // zones in sync
	HasNoRows bool              // it has no desired rows: nothing can be in sync
	Zones     int               // zones there are
	Zone      string            // the zone State comes from
	Text      string            // "in sync", "1 row behind ovn-worker2", "frozen: still enforced at 50"
	Waiting   int               // subject pods whose port does not exist yet
	// NotInSync are the names of the zones that are not in sync, by state.
	NotInSync map[model.PolicyState][]string
}

// SummarizePolicy judges a policy over all zones at a time.
func SummarizePolicy(r *Revision, k model.PolicyKey, now time.Time) PolicySummary {
	s := PolicySummary{State: model.StateUnknown, NotInSync: map[model.PolicyState][]string{}}
	var worst *model.ZoneState
	c := r.DesiredOf(k).Policy(k)
	s.HasNoRows = c != nil && c.WhyNoRows != nil
	for _, z := range r.Zones {
		if c != nil && !c.HasRowsIn(z.Name) {
			continue // the rows of a node are in its own zone only
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

// InSyncText is in how many zones it is in sync, "2/3"; "–" where it has no desired rows or no
// zone is known.
func (s PolicySummary) InSyncText() string {
	if s.HasNoRows || s.Zones == 0 {
		return "–"
	}
	return fmt.Sprintf("%s/%s", words.Thousands(s.InSync), words.Thousands(s.Zones))
}

// summaryText is a state in a few words; z is the zone it comes from, nil without
// zones.
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

// NoRowsShort is a reason for having no rows in a few words.
func NoRowsShort(r *Revision, n *model.NoRows) string {
	switch n.Code {
	case model.NoController:
		return "no controller"
	case "priority":
		return fmt.Sprintf("above %d", r.Flags.MaxPriority)
	case "logging-annotation":
		return "bad logging annotation"
	case model.InvalidCIDR:
		return "bad CIDR"
	case model.InvalidSelector:
		return "bad label selector"
	case "host-cidrs":
		return "bad host-cidrs of a node"
	case model.InvalidOlder:
		return "older form"
	case "profile":
		return "OVN-Kubernetes cannot take it"
	}
	return n.Code
}

// StatesNotInSync are the states in which the policy is not in sync, worst first.
func (s *PolicySummary) StatesNotInSync() []model.PolicyState {
	return slices.SortedFunc(maps.Keys(s.NotInSync), model.PolicyState.Compare)
}

// WorstZone is the zone in which a policy needs attention first, nil without zones.
func WorstZone(r *Revision, k model.PolicyKey, now time.Time) *model.ZoneState {
	return r.Zone(SummarizePolicy(r, k, now).Zone)
}

// ZonesNotInSync are at most n zones in which a policy is not in sync, and the others; each
// worst first, then by name.
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

// NextZone is the zone d steps from the named one, in a circle; the first when
// there is none of that name.
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

// InSyncText is "15/15", with what is not enforced beside it: "15/15, 1 not enforced".
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

// TallyZone judges everything in a zone.
func TallyZone(r *Revision, z *model.ZoneState, now time.Time) (t ZoneTally) {
	t.States, t.Units = map[model.PolicyState]int{}, map[model.PolicyState]int{}
	for k := range z.Policies {
		if !k.Kind.IsPolicy() || k.Network == "" { // a policy of another network is there by its object, too
			t.add(r, z, k, now)
		}
	}
	// Policies and units that were not judged there yet.
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
			t.Astray = append(t.Astray, k)
		}
		return
	}
	t.States[s]++
	switch {
	case s == model.StateFrozen: // among those that differ
	case r.WhyNoRows(k) != nil:
		t.NotEnforced++
	default:
		t.Policies++
		if s == model.StateInSync {
			t.InSync++
		}
	}
}
