package liverows

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
	"rung/revision"
)

// LadderRows are the live ACLs that no policy or unit of the ladder stands for:
// all of tier 0, and in the other tiers rows of another form, of another network
// and of owners that are unknown or gone. They decide like all others.
type LadderRows struct {
	Groups []RowGroup // by tier, stage and priority, as they decide
	// Read counts the zones whose rows were read, of Zones.
	Read, Zones int
}

// RowGroup are such rows that belong together: of one owner in one stage, and of
// one priority where the owner says nothing about what the others have.
type RowGroup struct {
	Tier  int
	Stage model.Stage
	Label string // as nb.Owner.Label, without what tells the rows apart
	Owner string // owner type, "no owner" without one
	Form  nb.Form
	// Gone says that Rung knows the form, and that the policy is not there.
	Gone bool
	// Priority decides first, Last last: both are OVN's, higher first.
	Priority, Last int
	Actions        ladder.RuleCount // of the rows, each once for all zones
	Rows           int              // over all zones
	Zones          []string         // that have such rows
	// Examples says that all rows are examples, see IsExample.
	Examples bool
	// Filter finds the rows on the page of a zone's rows.
	Filter string
}

// Of are the groups of a tier, of one stage when one is given: those of tier 0 by
// stage, the others by priority whatever their stage, as the policies they stand
// between.
func (l *LadderRows) Of(tier int, stage model.Stage) []RowGroup {
	if l == nil {
		return nil
	}
	var out []RowGroup
	for _, g := range l.Groups {
		if g.Tier == tier && (stage == "" || g.Stage == stage) {
			out = append(out, g)
		}
	}
	if tier != model.TierIsolation {
		slices.SortStableFunc(out, func(a, b RowGroup) int { return cmp.Compare(b.Priority, a.Priority) })
	}
	return out
}

// FindLadderRows works out those of this revision. Zones whose ACLs are the same as
// the last time cost a walk along them.
func FindLadderRows(r *revision.Revision) *LadderRows {
	b := revision.Carried[rowsCache](r)
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.last.Load(); e.holds(r) {
		return e.rows
	}
	e := &rowsEntry{desired: r.Desired, cluster: r.Cluster, rows: &LadderRows{Zones: len(r.Zones)}}
	zones := make(map[string]*zoneRows, len(r.Zones))
	var read []*zoneRows
	for _, z := range r.Zones {
		e.zones = append(e.zones, zoneDB{z.Name, z.DB})
		if z.DB == nil {
			continue
		}
		zr := readZone(z.Name, z.DB, b.zones[z.Name])
		zones[z.Name] = zr
		read = append(read, zr)
	}
	b.zones = zones
	e.rows.Read = len(read)
	e.rows.Groups = joinZones(read, onLadder(r))
	b.last.Store(e)
	return e.rows
}

// KnownLadderRows are rows nobody has to wait for: those of this revision where
// they were worked out, else those that were worked out last; current says which.
// Where nothing was worked out yet it waits as LadderRows does.
func KnownLadderRows(r *revision.Revision) (rows *LadderRows, current bool) {
	if e := revision.Carried[rowsCache](r).last.Load(); e != nil {
		return e.rows, e.holds(r)
	}
	return FindLadderRows(r), true
}

// onLadder are the units the ladder has a line for, whose rows it stands for.
func onLadder(r *revision.Revision) map[model.Key]bool {
	on := map[model.Key]bool{}
	for c := range r.AllCompiled() {
		on[c.Key] = true
	}
	for p := range r.Cluster.AllPolicies() {
		on[p.Key] = true
	}
	for _, u := range r.Ladder().Tiers[model.TierNetwork].Units {
		on[u.Key] = true
	}
	return on
}

// rowsCache keeps what was read of zones from one revision to the next.
type rowsCache struct {
	counts stageCounts
	mu     sync.Mutex // whoever works it out
	zones  map[string]*zoneRows
	last   atomic.Pointer[rowsEntry]
}

// rowsEntry is what was worked out last, and for what.
type rowsEntry struct {
	zones   []zoneDB
	desired *compiler.Desired
	cluster *model.Cluster
	rows    *LadderRows
}

type zoneDB struct {
	name string
	db   *nb.DB
}

// holds says whether the entry is good for a revision.
func (e *rowsEntry) holds(r *revision.Revision) bool {
	if e == nil || e.desired != r.Desired || e.cluster != r.Cluster || len(e.zones) != len(r.Zones) {
		return false
	}
	for i, z := range r.Zones {
		if e.zones[i] != (zoneDB{z.Name, z.DB}) {
			return false
		}
	}
	return true
}
