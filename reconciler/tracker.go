package reconciler

import (
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// Tracker follows the desired and live rows of one zone and knows, per policy and row, how they differ. A step
// costs only what it changes: added and removed members and ports are applied as such. Only a recompiled
// policy, or an added or removed row, is compared as a whole.
//
// It is plain memory: one goroutine, no clock, no I/O. The differences after any sequence of steps are those
// of a tracker that saw only the last state.
type Tracker struct {
	Zone    string
	Desired *compiler.Desired
	DB      *nb.DB // nil: never read
	// Observing means that Rung does not own the rows.
	Observing bool
	// ListMembers lists a desired set, if lists are shared; may be nil.
	ListMembers func(*compiler.SetSpec) []string

	Tracks map[model.PolicyKey]*unitTrack
	sets   map[string]*setTrack  // desired address sets by name
	groups map[string]*unitTrack // by the desired port group's name
	// holders are the units without a port group of their own, by the row that references their ACLs.
	holders map[compiler.ACLHolder]map[*unitTrack]struct{}

	disowned disownedRows

	// DirtyPolicies are the policies whose state may have changed since TakeDirty.
	DirtyPolicies map[model.PolicyKey]struct{}

	touchedTracks map[*unitTrack]struct{} // in the current step
	comparedWhole map[*unitTrack]struct{} // in the current step
}

// unitTrack tracks one unit that is desired, or has live rows, or both.
type unitTrack struct {
	key    model.PolicyKey
	unit   *compiler.CompiledUnit // nil: no such unit in this zone
	holder compiler.ACLHolder

	sets  []*setTrack // as unit.Sets
	group memberTrack // the port group, by port names
	ACLs  aclTrack

	// Live rows by UUID, with an id of the unit, or assigned by owner and name alone. The latter are in
	// damaged: true if the id may come from an older or unknown release.
	liveACLs, liveSets, liveGroups MemberSet
	damaged                        map[string]bool
	// Live sets and groups that are not desired.
	extraSets, extraGroups []string

	aclsDirty, rowsDirty bool
	touched              time.Time
	diffsSince           map[diffKey]time.Time // start of each lasting difference
}

// memberTrack lists how a desired set or group differs from its live row, in members and external_ids.
type memberTrack struct {
	uuid           string // of the live row
	missing, extra MemberSet
	ids            bool // the external_ids differ
}

// stepDesired applies added and removed members of the desired row. For the live row, swap the two.
func (m *memberTrack) stepDesired(added, removed []string) {
	swapNames(&m.extra, &m.missing, added)
	swapNames(&m.missing, &m.extra, removed)
}

// setTrack is one desired address set. Without a live row it lists no differences.
type setTrack struct {
	memberTrack
	track *unitTrack
	spec  *compiler.SetSpec
	// listed are the members of a set that is being inserted, as listed for the write; nil if they may have
	// changed.
	listed []string
}

// NewTracker returns a tracker of a zone that was never read.
func NewTracker(zone string) *Tracker {
	return &Tracker{
		Zone: zone, Tracks: map[model.PolicyKey]*unitTrack{}, sets: map[string]*setTrack{}, groups: map[string]*unitTrack{},
		DirtyPolicies: map[model.PolicyKey]struct{}{}, holders: map[compiler.ACLHolder]map[*unitTrack]struct{}{},
	}
}

// hasRows reports whether the unit has desired rows.
func (tr *unitTrack) hasRows() bool { return tr.unit != nil && tr.unit.WhyNoRows == nil }

func (t *Tracker) trackUnit(k model.PolicyKey) *unitTrack {
	tr := t.Tracks[k]
	if tr == nil {
		tr = &unitTrack{key: k, ACLs: aclTrack{priority: -1}}
		t.Tracks[k] = tr
		t.registerHolder(tr, compiler.HolderForUnit(k))
	}
	return tr
}

// CompiledUnit returns the compiled unit of a key, nil if none is desired in this zone.
func (t *Tracker) CompiledUnit(k model.PolicyKey) *compiler.CompiledUnit {
	if tr := t.Tracks[k]; tr != nil {
		return tr.unit
	}
	return nil
}

// IsOurs reports whether a row has one of Rung's owner types and a known network.
func (t *Tracker) IsOurs(o RowOwner) bool {
	return o.Form != Foreign && t.Desired.KnowsNetwork(o.Unit.Network)
}

// MarkAll marks the states of all policies as possibly changed.
func (t *Tracker) MarkAll() {
	for k := range t.Tracks {
		t.DirtyPolicies[k] = struct{}{}
	}
}

// TakeDirty calls take for every policy whose state may have changed since the last call.
func (t *Tracker) TakeDirty(take func(model.PolicyKey)) {
	for k := range t.DirtyPolicies {
		take(k)
	}
	clear(t.DirtyPolicies)
}

// RowsDisowned returns the existing rows that lost their owner ids while Rung watched.
func (t *Tracker) RowsDisowned() []model.DisownedRow { return t.disowned.rowsIn(t.DB) }

func (t *Tracker) touchTrack(tr *unitTrack) { t.touchedTracks[tr] = struct{}{} }

func (t *Tracker) beginStep() {
	t.touchedTracks, t.comparedWhole = map[*unitTrack]struct{}{}, map[*unitTrack]struct{}{}
}

// finishStep compares the rows that the step marked.
func (t *Tracker) finishStep(at time.Time) {
	for tr := range t.touchedTracks {
		if tr.rowsDirty {
			t.findExtraRows(tr)
		}
		if tr.aclsDirty {
			t.compareACLs(tr)
		}
		tr.rowsDirty, tr.aclsDirty = false, false
		tr.touched = at
		t.DirtyPolicies[tr.key] = struct{}{}
		if tr.unit == nil && len(tr.liveACLs)+len(tr.liveSets)+len(tr.liveGroups) == 0 {
			delete(t.Tracks, tr.key)
			unregisterHolder(t.holders, tr)
		}
	}
	t.touchedTracks, t.comparedWhole = nil, nil
}

// ApplyDesired applies the next desired rows and their difference; a nil delta means anything may have
// changed.
func (t *Tracker) ApplyDesired(d *compiler.Desired, delta *compiler.Delta, at time.Time) {
	t.beginStep()
	first := t.Desired == nil
	t.Desired = d
	if first || delta == nil || delta.Everything {
		t.compareAll()
		t.finishStep(at)
		return
	}
	for k := range delta.Policies {
		tr := t.trackUnit(k)
		if c := t.unitInZone(k); c == nil || c != tr.unit {
			t.comparePolicy(tr)
		} else {
			// Not recompiled: only named-port rows may differ. The delta lists members and ports.
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
	for i := range delta.Members {
		t.stepDesiredMembers(&delta.Members[i])
	}
	for i := range delta.Ports {
		if d := &delta.Ports[i]; d.Zone == t.Zone {
			t.stepDesiredPorts(d)
		}
	}
	t.finishStep(at)
}

// unitInZone returns the compiled unit of a key, nil if it has no rows in this zone.
func (t *Tracker) unitInZone(k model.PolicyKey) *compiler.CompiledUnit {
	if c := t.Desired.Policy(k); c != nil && c.HasRowsIn(t.Zone) {
		return c
	}
	return nil
}

// compareAll compares all policies as a whole.
func (t *Tracker) compareAll() {
	for _, tr := range t.Tracks {
		t.comparePolicy(tr)
	}
	for c := range t.Desired.Policies() {
		if !c.HasRowsIn(t.Zone) {
			continue
		}
		if tr := t.trackUnit(c.Key); !t.isFresh(tr) {
			t.comparePolicy(tr)
		}
	}
}

// CompareAgain compares a unit again, without renewing its age.
func (t *Tracker) CompareAgain(k model.PolicyKey) {
	tr := t.Tracks[k]
	if tr == nil || t.DB == nil || t.Desired == nil {
		return
	}
	t.beginStep()
	t.comparePolicy(tr)
	at := make(map[*unitTrack]time.Time, len(t.touchedTracks))
	for touched := range t.touchedTracks {
		at[touched] = touched.touched
	}
	t.finishStep(time.Time{})
	for touched, was := range at {
		touched.touched = was
	}
}

func (t *Tracker) isFresh(tr *unitTrack) bool {
	_, ok := t.comparedWhole[tr]
	return ok
}

// comparePolicy compares all rows of one unit.
func (t *Tracker) comparePolicy(tr *unitTrack) {
	t.comparedWhole[tr] = struct{}{}
	t.touchTrack(tr)
	tr.aclsDirty, tr.rowsDirty = true, true
	for _, s := range tr.sets {
		if t.sets[s.spec.Name] == s {
			delete(t.sets, s.spec.Name)
		}
		if s.ids {
			t.markReowned(t.DB.Row(nb.TableAddressSet, s.uuid))
		}
	}
	if tr.unit != nil && t.groups[tr.unit.GroupName] == tr {
		delete(t.groups, tr.unit.GroupName)
	}
	if tr.group.ids {
		t.markReowned(t.DB.Row(nb.TablePortGroup, tr.group.uuid))
	}
	tr.unit, tr.sets, tr.group = t.unitInZone(tr.key), nil, memberTrack{}
	if !tr.hasRows() {
		return
	}
	if tr.unit.Holder != tr.holder { // the EgressFirewall's namespace is on another network
		unregisterHolder(t.holders, tr)
		t.registerHolder(tr, tr.unit.Holder)
	}
	tr.sets = make([]*setTrack, len(tr.unit.Sets))
	for i, spec := range tr.unit.Sets {
		tr.sets[i] = &setTrack{track: tr, spec: spec}
		t.sets[spec.Name] = tr.sets[i]
		t.compareSet(tr.sets[i])
	}
	if tr.unit.GroupName != "" {
		t.groups[tr.unit.GroupName] = tr
		t.compareGroup(tr)
	}
}

// markReowned marks the policy whose ids a row carries, when another policy claims or stops claiming the row
// by name.
func (t *Tracker) markReowned(row nb.Row) {
	if row == nil {
		return
	}
	if o := OwnerOfRow(row); o.Form == Ours || o.Form == Damaged {
		if tr := t.Tracks[o.Unit]; tr != nil {
			tr.rowsDirty = true
			t.touchTrack(tr)
		}
	}
}

// findExtraRows finds undesired live sets and groups of the unit.
func (t *Tracker) findExtraRows(tr *unitTrack) {
	tr.extraSets, tr.extraGroups = nil, nil
	for _, uuid := range tr.liveSets.sortedNames() {
		if s := t.sets[t.DB.AddressSet(uuid).Name]; s == nil || s.uuid != uuid {
			tr.extraSets = append(tr.extraSets, uuid)
		}
	}
	for _, uuid := range tr.liveGroups.sortedNames() {
		if o := t.groups[t.DB.PortGroup(uuid).Name]; o == nil || o.group.uuid != uuid {
			tr.extraGroups = append(tr.extraGroups, uuid)
		}
	}
}

// NamedByFrozenRows reports whether frozen rows use a set of a removed unit. Rows of a policy without desired
// rows stay and still decide, so the set stays too.
func (t *Tracker) NamedByFrozenRows(k model.PolicyKey) bool {
	tr := t.Tracks[k]
	if tr == nil || tr.unit != nil {
		return false
	}
	names := map[match.Ref]bool{}
	for uuid := range tr.liveSets {
		names[match.Ref{Kind: match.RefAddressSet, Name: t.DB.AddressSet(uuid).Name}] = true
	}
	for _, o := range t.Tracks {
		if o.unit == nil || o.unit.WhyNoRows == nil {
			continue
		}
		for uuid := range o.liveACLs {
			for ref := range match.RefsIn(t.DB.ACL(uuid).Match) {
				if names[ref] {
					return true
				}
			}
		}
	}
	return false
}
