package revision

import (
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
)

// Southbound is the state and content of a zone's Southbound database. Rung reads it only while a user looks
// at its flows: until then Followed is false, and only its address is known.
type Southbound struct {
	Zone, Endpoint string
	Followed       bool
	Conn           model.ConnState
	ConnAt         time.Time // since when
	SyncedAt       time.Time // of the last rows; zero if none
	Server         string
	Error          string
	Attempts       int // since the connection was lost
	// DB holds the rows read last, nil if none. Joined compares Rows' ACLs with them a moment later.
	DB     *flow.DB
	Rows   *nb.DB
	Joined *flow.JoinedFlows
	// LateSince says since when an ACL's flows are missing or of an older row, or a flow is surplus, by UUID.
	LateSince map[string]time.Time
	// EarliestLate is the earliest of LateSince, zero if empty.
	EarliestLate time.Time
}

// IsCurrent reports whether the connection works.
func (s *Southbound) IsCurrent() bool {
	return s != nil && (s.Conn == model.ConnSynced || s.Conn == model.ConnReadOnly)
}

// HasFlows reports whether flows were read and compared with the zone's ACLs.
func (s *Southbound) HasFlows() bool { return s != nil && s.Joined != nil }

// JoinFlows returns the state with a zone's ACLs compared with the flows; what was late keeps its time.
func (s *Southbound) JoinFlows(rows *nb.DB, now time.Time) *Southbound {
	next := *s
	next.Rows, next.Joined, next.LateSince, next.EarliestLate = rows, flow.JoinFlows(rows, s.DB), map[string]time.Time{}, time.Time{}
	late := func(uuid string) {
		since, ok := s.LateSince[uuid]
		if !ok {
			since = now
		}
		next.LateSince[uuid] = since
		if next.EarliestLate.IsZero() || since.Before(next.EarliestLate) {
			next.EarliestLate = since
		}
	}
	for _, a := range next.Joined.ACLs {
		if st := a.State(); st == flow.StateMissing || st == flow.StateOld {
			late(a.UUID)
		}
	}
	for _, f := range next.Joined.Surplus {
		late(f.Row.UUID)
	}
	return &next
}

// Southbound returns the state of a zone's Southbound database, nil if unknown.
func (r *Revision) Southbound(zone string) *Southbound {
	i, ok := slices.BinarySearchFunc(r.Southbounds, zone, func(s *Southbound, zone string) int { return strings.Compare(s.Zone, zone) })
	if !ok {
		return nil
	}
	return r.Southbounds[i]
}

// ProgressCount is the progress of a zone by its numbers: how far northd and the nodes are, and since when
// they are behind. The database stamps a number only once northd has reached it.
type ProgressCount struct {
	Written, Made, Done int64
	// SeenAt is when Written was first seen. Northd and Nodes say since when each is behind without progress;
	// zero if it is not behind.
	SeenAt, Northd, Nodes time.Time
	// MayBeOlder means that the numbers have not moved since they were first seen: the zone may have been
	// behind for longer.
	MayBeOlder bool
}

// Next returns the count after the next look at a zone's numbers.
func (c ProgressCount) Next(g *nb.Global, now time.Time) ProgressCount {
	next := ProgressCount{Written: g.Written.Cfg, Made: g.Made.Cfg, Done: g.Done.Cfg, SeenAt: c.SeenAt}
	if next.Written != c.Written || c.SeenAt.IsZero() {
		next.SeenAt = now
	}
	next.MayBeOlder = c.SeenAt.IsZero() || c.MayBeOlder && next.Made == c.Made && next.Done == c.Done
	since := func(behind bool, was time.Time, moved bool) time.Time {
		switch {
		case !behind:
			return time.Time{}
		case was.IsZero() || moved:
			return now
		}
		return was
	}
	next.Northd = since(next.Made < next.Written, c.Northd, next.Made != c.Made)
	next.Nodes = since(next.Done < next.Made, c.Nodes, next.Done != c.Done)
	return next
}

// OVNDisagreement is a connection for which ovn-trace and the rows disagreed in the last trace.
type OVNDisagreement struct {
	Connection verdict.Connection
	Zone       string
	At         time.Time
	// Policies are the deciding policies, by the rows or by OVN. The first decides by the rows, if a policy
	// does.
	Policies []model.PolicyKey
	Text     string
}

// StillApplies reports whether the policies and ends still exist.
func (d *OVNDisagreement) StillApplies(c *model.Cluster) bool {
	for _, k := range d.Policies {
		if c.Policy(k) == nil {
			return false
		}
	}
	for _, e := range []verdict.Endpoint{d.Connection.From, d.Connection.To} {
		if e.Key.Name != "" && c.Get(e.Key) == nil {
			return false
		}
	}
	return true
}
