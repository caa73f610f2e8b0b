package policies

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// Summary is a policy over all zones.
type Summary struct {
	State   model.PolicyState // the worst over the zones
	InSync  int               // zones in sync
	None    bool              // it has no desired rows: nothing can be in sync
	Zones   int               // zones there are
	Zone    string            // the zone State comes from
	Text    string            // "in sync", "1 row behind ovn-worker2", "frozen: still decides at 50"
	Since   time.Time         // since when it differs, or until when the rows are known; zero when not known
	Waiting int               // subject pods whose port does not exist yet
}

// Summarize judges a policy over all zones at a time.
func Summarize(r *revision.Revision, k model.PolicyKey, now time.Time) Summary {
	s := Summary{State: model.StateUnknown}
	var worst *model.ZoneState
	c := r.DesiredOf(k).Policy(k)
	s.None = c != nil && c.None != nil
	for _, z := range r.Zones {
		if c != nil && !c.In(z.Name) {
			continue // the rows of a node are in its own zone only
		}
		s.Zones++
		p := z.Policy(k)
		st := p.State(z, now)
		if st == model.StateInSync {
			s.InSync++
		}
		if p != nil {
			s.Waiting += p.Waiting
		}
		if worst == nil || st.Worse(s.State) {
			s.State, s.Zone, worst = st, z.Name, z
		}
	}
	s.Text = summaryText(r, k, s.State, worst)
	p := worst.Policy(k)
	switch s.State {
	case model.StateBehind, model.StateSettling:
		s.Since = p.DiffSince
	case model.StateStale:
		s.Since = worst.SyncedAt
	}
	return s
}

// Short is in how many zones it is in sync, "2/3"; "–" where it has no desired rows or no
// zone is known.
func (s Summary) Short() string {
	if s.None || s.Zones == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.InSync, s.Zones)
}

// summaryText is a state in a few words; z is the zone it comes from, nil without
// zones.
func summaryText(r *revision.Revision, k model.PolicyKey, state model.PolicyState, z *model.ZoneState) string {
	p := z.Policy(k)
	switch state {
	case model.StateFrozen:
		return "frozen: " + frozenText(p)
	case model.StateNotEnforced:
		return "not enforced: " + NoRowsShort(r, p.None)
	case model.StateBehind:
		return words.Count(revision.DifferingRows(p), "row") + " behind " + z.Name
	case model.StateSettling:
		if n := revision.DifferingRows(p); n > 0 {
			return "settling, " + words.Count(n, "row")
		}
		// Not compared since it changed.
	case model.StateUnknown:
		if z != nil && !z.Current() {
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
		return fmt.Sprintf("still decides at %d", p.LivePriority)
	}
	return "old rows still decide"
}

// NoRowsShort is a reason for having no rows in a few words.
func NoRowsShort(r *revision.Revision, n *model.NoRows) string {
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
