package model

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
)

// ZoneReport is the report of the agent on a node about the rows of its zone, in a ZoneReport object. It stays small:
// instead of rows it holds their differences from the desired ones.
type ZoneReport struct {
	Format  int    `json:"format"` // ReportFormat
	Agent   string `json:"agent"`
	Version string `json:"version,omitempty"` // of the agent's Rung
	// LeaseNamespace and Lease name the Lease that the agent renews as long as the report holds.
	LeaseNamespace string           `json:"leaseNamespace"`
	Lease          string           `json:"lease"`
	JudgedAt       time.Time        `json:"judgedAt"` // by the clock of the node
	Connection     ReportConnection `json:"connection"`
	Rows           int              `json:"rows"`
	Units          int              `json:"units"` // judged
	// Policies are the cluster's admin policies as the agent read them.
	Policies []ReportedPolicy `json:"policies,omitempty"`
	// Differing are the units that are not in sync, admin policies and the worst first; More counts the others by kind.
	Differing []DifferingUnit `json:"differing,omitempty"`
	More      map[string]int  `json:"more,omitempty"`
	// Settings are the settings of OVN-Kubernetes that the rows show (dialect.Dialect).
	Settings json.RawMessage `json:"settings,omitempty"`
}

// ReportFormat is the format of the reports of this release.
const ReportFormat = 1

// Bounds of a report.
const (
	reportedPolicies = 1000
	reportedUnits    = 200
	reportedDiffs    = 20 // of one unit
	reportedFields   = 20 // of one row
	reportedMembers  = 10 // of one set
	reportedText     = 1000
)

// ReportConnection is the state of the agent's connection to the database of its node.
type ReportConnection struct {
	State    ConnState `json:"state"`
	Since    time.Time `json:"since,omitzero"`
	Error    string    `json:"error,omitempty"`
	Partial  string    `json:"partial,omitempty"`
	Endpoint string    `json:"endpoint,omitempty"`
	Server   string    `json:"server,omitempty"`
}

// ReportedPolicy is the content of a policy by which its rows were judged.
type ReportedPolicy struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Digest string `json:"digest"` // the first digits of PolicyDigests.Whole
}

// DifferingUnit is a PolicyInZone out of sync.
type DifferingUnit struct {
	Kind         Kind        `json:"kind"`
	Namespace    string      `json:"namespace,omitempty"`
	Name         string      `json:"name"`
	Network      string      `json:"network,omitempty"`
	State        PolicyState `json:"state"`
	Missing      int         `json:"missing,omitempty"`
	Extra        int         `json:"extra,omitempty"`
	Different    int         `json:"different,omitempty"`
	Waiting      int         `json:"waiting,omitempty"`
	Blocked      int         `json:"blocked,omitempty"`
	LiveACLs     int         `json:"liveACLs,omitempty"`
	LivePriority int32       `json:"livePriority"`
	Since        time.Time   `json:"since,omitzero"`
	Touched      time.Time   `json:"touched,omitzero"`
	Error        string      `json:"error,omitempty"`
	Why          string      `json:"why,omitempty"` // rows that cannot be compared
	NoRows       *NoRows     `json:"noRows,omitempty"`
	Diffs        []RowDiff   `json:"diffs,omitempty"`
}

// ReportDigest returns the digest of a policy's content as reports have it.
func ReportDigest(p *Policy) string { return p.Digests().Whole.String()[:12] }

// NewZoneReport reports a zone's state as judged at a time. The caller adds the agent and the settings.
func NewZoneReport(z *ZoneState, c *Cluster, now time.Time) *ZoneReport {
	r := &ZoneReport{Format: ReportFormat, JudgedAt: now, Rows: z.RowCount(), Units: len(z.Policies),
		Connection: ReportConnection{State: z.Conn, Since: z.ConnAt.Truncate(time.Second), Error: clipText(z.Error), Partial: clipText(z.Partial),
			Endpoint: clipText(z.Endpoint), Server: clipText(z.Server)}}
	for _, kind := range []Kind{KindANP, KindBANP, KindCNP} {
		for p := range c.Policies(kind) {
			if len(r.Policies) < reportedPolicies {
				r.Policies = append(r.Policies, ReportedPolicy{p.Kind, p.Name, ReportDigest(p)})
			}
		}
	}
	for k, p := range z.Policies {
		if p.InSync && p.None == nil && !p.NotComparable && p.Error == "" {
			continue
		}
		u := DifferingUnit{Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, Network: k.Network, State: p.StateAt(z, now), Missing: p.Missing,
			Extra: p.Extra, Different: p.Different, Waiting: p.Waiting, Blocked: p.Blocked, LiveACLs: p.LiveACLs, LivePriority: p.LivePriority,
			Since: p.DiffSince, Touched: p.Touched, Error: clipText(p.Error)}
		if p.None != nil {
			u.NoRows = &NoRows{Code: p.None.Code, Message: clipText(p.None.Message)}
		}
		if p.NotComparable {
			u.Why = cmp.Or(clipText(p.Why), "not comparable")
		}
		r.Differing = append(r.Differing, u)
	}
	slices.SortFunc(r.Differing, func(a, b DifferingUnit) int {
		return cmp.Or(FalseFirst(!a.Kind.IsAdmin(), !b.Kind.IsAdmin()), stateOrder[a.State]-stateOrder[b.State],
			strings.Compare(a.key().String(), b.key().String()))
	})
	for i := range r.Differing[min(len(r.Differing), reportedUnits):] {
		if r.More == nil {
			r.More = map[string]int{}
		}
		r.More[string(r.Differing[reportedUnits+i].Kind)]++
	}
	r.Differing = r.Differing[:min(len(r.Differing), reportedUnits)]
	left := reportedUnits // differing rows of all units
	for i := range r.Differing {
		u := &r.Differing[i]
		diffs := z.Policies[u.key()].Diffs
		u.Diffs = clipDiffs(diffs[:min(len(diffs), reportedDiffs, max(left, 1))])
		left -= len(u.Diffs)
	}
	return r
}

func (u *DifferingUnit) key() PolicyKey {
	return PolicyKey{Kind: u.Kind, Namespace: u.Namespace, Name: u.Name, Network: u.Network}
}

// clipDiffs copies differences, with the first fields and set members of each.
func clipDiffs(in []RowDiff) []RowDiff {
	out := slices.Clone(in)
	for i := range out {
		out[i].Note, out[i].Waiting = clipText(out[i].Note), clipText(out[i].Waiting)
		fields := slices.Clone(out[i].Fields[:min(len(out[i].Fields), reportedFields)])
		for j := range fields {
			f := &fields[j]
			f.Desired, f.Live = clipText(f.Desired), clipText(f.Live)
			f.Missing = MapList(f.Missing[:min(len(f.Missing), reportedMembers)], clipText)
			f.Extra = MapList(f.Extra[:min(len(f.Extra), reportedMembers)], clipText)
		}
		out[i].Fields = fields
	}
	return out
}

func clipText(s string) string {
	r := []rune(s)
	return string(r[:min(len(r), reportedText)])
}

// SameFindings reports whether two reports say the same, whenever they were judged.
func (r *ZoneReport) SameFindings(o *ZoneReport) bool {
	if r == nil || o == nil {
		return r == o
	}
	a, b := *r, *o
	a.JudgedAt, b.JudgedAt, a.Rows, b.Rows = time.Time{}, time.Time{}, 0, 0
	return CompactJSON(a) == CompactJSON(b)
}

// UnitsInZone returns the units of a zone by a report. behind is added to the times of the node's clock, up to now. Of units, the
// reader's desired units, the ones without a place in the report are in sync, unless the report left out some of their
// kind: then their state is unknown, and they are left out here too.
func (r *ZoneReport) UnitsInZone(units iter.Seq[PolicyKey], behind time.Duration, now time.Time) map[PolicyKey]*PolicyInZone {
	out := map[PolicyKey]*PolicyInZone{}
	at := func(t time.Time) time.Time {
		switch {
		case t.IsZero():
			return t
		case t.Add(behind).After(now):
			return now // or a difference would settle forever
		}
		return t.Add(behind)
	}
	for i := range r.Differing {
		u := &r.Differing[i]
		out[u.key()] = &PolicyInZone{Policy: u.key(), DiffSince: at(u.Since), Touched: at(u.Touched), Missing: u.Missing, Extra: u.Extra,
			Different: u.Different, Waiting: u.Waiting, Blocked: u.Blocked, Diffs: u.Diffs, None: u.NoRows, LiveACLs: u.LiveACLs,
			LivePriority: u.LivePriority, Error: u.Error, NotComparable: u.Why != "", Why: u.Why,
			InSync: u.Missing == 0 && u.Extra == 0 && u.Different == 0 && u.NoRows == nil}
	}
	for k := range units {
		if out[k] == nil && r.More[string(k.Kind)] == 0 {
			out[k] = &PolicyInZone{Policy: k, InSync: true, LivePriority: -1}
		}
	}
	return out
}
