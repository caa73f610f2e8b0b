package revision

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
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
	Tier  int         `json:"tier"`
	Stage model.Stage `json:"stage"`
	// Priority decides first, Last last: both are OVN's, higher first.
	Priority int     `json:"ovn_priority"`
	Last     int     `json:"last_ovn_priority"`
	Label    string  `json:"owner"` // as nb.Owner.Label, without what tells the rows apart
	Form     nb.Form `json:"form"`
	// Gone says that Rung knows the form, and that the policy is not there.
	Gone    bool             `json:"gone,omitempty"`
	Rows    int              `json:"rows"`    // over all zones
	Actions ladder.RuleCount `json:"actions"` // of the rows, each once for all zones
	Zones   []string         `json:"zones"`   // that have such rows

	Owner string `json:"-"` // owner type, "no owner" without one
	// Examples says that all rows are examples, see IsExample.
	Examples bool `json:"-"`
	// Filter finds the rows on the page of a zone's rows.
	Filter string `json:"-"`
}

// GroupsOfTier are the groups of a tier, of one stage when one is given: those of tier 0 by
// stage, the others by priority whatever their stage, as the policies they stand
// between.
func (l *LadderRows) GroupsOfTier(tier int, stage model.Stage) []RowGroup {
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
func FindLadderRows(r *Revision) *LadderRows {
	b := CarriedValue[rowsCache](r)
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.lastEntry.Load(); e.isGoodFor(r) {
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
	e.rows.Groups = joinZones(read, unitsOnLadder(r), r.Desired.KnowsNetwork, func(o nb.Owner) bool {
		return r.Network == nil || o.Form != nb.FormKnown || o.Network() == r.Network.Name
	})
	b.lastEntry.Store(e)
	return e.rows
}

// KnownLadderRows are rows nobody has to wait for: those of this revision where
// they were worked out, else those that were worked out last; current says which.
// Where nothing was worked out yet it waits as LadderRows does.
func KnownLadderRows(r *Revision) (rows *LadderRows, current bool) {
	if e := CarriedValue[rowsCache](r).lastEntry.Load(); e != nil {
		return e.rows, e.isGoodFor(r)
	}
	return FindLadderRows(r), true
}

// unitsOnLadder are the units the ladder has a line for, whose rows it stands for.
func unitsOnLadder(r *Revision) map[model.Key]bool {
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
	mu        sync.Mutex // whoever works it out
	zones     map[string]*zoneRows
	lastEntry atomic.Pointer[rowsEntry]
}

// rowsEntry is the last result, with the zones and objects it was worked out for.
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

// isGoodFor says whether the entry is good for a revision.
func (e *rowsEntry) isGoodFor(r *Revision) bool {
	return e != nil && e.desired == r.Desired && e.cluster == r.Cluster &&
		slices.EqualFunc(e.zones, r.Zones, func(a zoneDB, z *model.ZoneState) bool { return a == zoneDB{z.Name, z.DB} })
}

// stageCounts are the numbers of ACLs by stage of the policies that were asked about: the numbers of rules
// with named ports take a walk over pods.
type stageCounts struct {
	mu    sync.Mutex
	byKey map[model.PolicyKey]map[model.Stage]int
}

// StageACLCount is how many of the ACLs that ACLCount counts are in a stage of the
// pipeline; without a stage it is all of them.
func StageACLCount(r *Revision, k model.PolicyKey, stage model.Stage) int {
	if stage == "" {
		return ACLCount(r, k)
	}
	c := SharedValue[stageCounts](r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = map[model.PolicyKey]map[model.Stage]int{}
	}
	n, ok := c.byKey[k]
	if !ok {
		n = map[model.Stage]int{}
		for _, a := range r.ACLs(k, "") {
			n[model.Stage(a.Stage())]++
		}
		c.byKey[k] = n
	}
	return n[stage]
}

// StrayRowsAt names the live rows that decide at a priority of AdminNetworkPolicies
// although no policy stands there: old ones of policies that are not enforced as they are,
// and those of another form, of an owner that is gone or of none. Rows of but are left out.
func StrayRowsAt(r *Revision, priority int32, but model.PolicyKey) []string {
	var out []string
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if k != but && k.Kind == model.KindANP && p.LiveACLs > 0 && p.LivePriority == priority && r.WhyNoRows(k) != nil {
				out = append(out, k.Label()+" (frozen)")
			}
		}
	}
	first := ladder.PriorityAdmin - ladder.PriorityAdminStep*int(priority)
	now := r
	for now.BaseRevision() != nil {
		now = now.BaseRevision() // the zones are the same, and its rows are at hand
	}
	for _, g := range FindLadderRows(now).GroupsOfTier(model.TierAdmin, "") {
		if g.Priority > first-ladder.PriorityAdminStep && g.Last <= first {
			name := g.Label
			if g.Examples && r.Mode.Sandbox {
				name += " (sandbox example)"
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
