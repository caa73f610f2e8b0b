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

// LadderRows are the live ACLs without a policy or unit on the ladder: all of tier 0, and in other tiers rows
// of another form, another network, or an unknown or deleted owner. They decide like all others.
type LadderRows struct {
	Groups []RowGroup // by tier, stage and priority, in deciding order
	// Read counts the zones that were read, Zones all zones.
	Read, Zones int
}

// RowGroup holds the rows of one owner in one stage. Rows of tier 0, and rows without a known owner, are also
// grouped by priority.
type RowGroup struct {
	Tier  int         `json:"tier"`
	Stage model.Stage `json:"stage"`
	// Priority is the highest OVN priority of the rows, which decides first; Last is the lowest.
	Priority int     `json:"ovn_priority"`
	Last     int     `json:"last_ovn_priority"`
	Label    string  `json:"owner"` // as nb.Owner.Label, without what differs between rows
	Form     nb.Form `json:"form"`
	// Gone means that Rung knows the form but the policy does not exist.
	Gone    bool             `json:"gone,omitempty"`
	Rows    int              `json:"rows"`    // over all zones
	Actions ladder.RuleCount `json:"actions"` // of the rows, each counted once for all zones
	Zones   []string         `json:"zones"`   // zones that have such rows

	Owner string `json:"-"` // owner type, "no owner" if none
	// Examples means that all rows are examples, see IsExample.
	Examples bool `json:"-"`
	// Filter selects the rows on a zone's rows page.
	Filter string `json:"-"`
}

// GroupsOfTier returns the groups of a tier, of one stage unless stage is empty. Groups of tier 0 are sorted
// by stage, others by priority alone, like the policies around them.
func (l *LadderRows) GroupsOfTier(tier int, stage model.Stage) []RowGroup {
	if l == nil {
		return nil
	}
	out := model.Filter(l.Groups, func(g RowGroup) bool { return g.Tier == tier && (stage == "" || g.Stage == stage) })
	if tier != model.TierIsolation {
		slices.SortStableFunc(out, func(a, b RowGroup) int { return cmp.Compare(b.Priority, a.Priority) })
	}
	return out
}

// FindLadderRows computes the rows of this revision. Zones with unchanged ACLs cost only a comparison.
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

// KnownLadderRows returns this revision's rows if computed, else the last ones computed; current reports
// which. If none were computed yet, it waits as FindLadderRows does.
func KnownLadderRows(r *Revision) (rows *LadderRows, current bool) {
	if e := CarriedValue[rowsCache](r).lastEntry.Load(); e != nil {
		return e.rows, e.isGoodFor(r)
	}
	return FindLadderRows(r), true
}

// unitsOnLadder returns the units that have a line on the ladder.
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

type rowsCache struct {
	mu        sync.Mutex // held while computing
	zones     map[string]*zoneRows
	lastEntry atomic.Pointer[rowsEntry]
}

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

// isGoodFor reports whether the entry holds for a revision.
func (e *rowsEntry) isGoodFor(r *Revision) bool {
	return e != nil && e.desired == r.Desired && e.cluster == r.Cluster &&
		slices.EqualFunc(e.zones, r.Zones, func(a zoneDB, z *model.ZoneState) bool { return a == zoneDB{z.Name, z.DB} })
}

// stageCounts caches the numbers of ACLs by stage: counting rules with named ports needs a walk over pods.
type stageCounts struct {
	mu    sync.Mutex
	byKey map[model.PolicyKey]map[model.Stage]int
}

// StageACLCount returns how many of the ACLs counted by ACLCount are in a stage of the pipeline; all of them
// if stage is empty.
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

// UnownedRowsAt names live rows at a priority of AdminNetworkPolicies that no enforced policy has. They are
// old rows of policies not enforced now, and rows of another form or of an unknown or deleted owner. The
// argument but is a policy whose rows are left out.
func UnownedRowsAt(r *Revision, priority int32, but model.PolicyKey) []string {
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
		now = now.BaseRevision() // the base has the same zones, and its rows are computed
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
