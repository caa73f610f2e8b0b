package reconciler

import (
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// Tracker follows the desired rows and the live rows of one zone and knows, per
// policy and row, how they differ. A step costs what it changes: members and
// ports that come or go are booked where they belong, and only a policy that
// was compiled anew, or a row that came or went, is compared as a whole.
//
// It is plain memory: one goroutine, no clock, no I/O. The differences after any
// sequence of steps are those of a tracker that saw only the last state.
type Tracker struct {
	Zone    string
	Desired *compiler.Desired
	DB      *nb.DB // nil: never read
	// Observing says that the rows are somebody else's.
	Observing bool
	// MembersOf lists a desired set, where somebody has it listed already.
	MembersOf func(*compiler.SetSpec) []string

	Tracks map[model.PolicyKey]*unitTrack
	sets   map[string]*setTrack  // desired address sets by name
	groups map[string]*unitTrack // by the desired port group's name
	// holders are the units whose ACLs hang on a row that is not theirs.
	holders map[compiler.ACLHolder]map[*unitTrack]struct{}

	disowned disownedRows

	// DirtyPolicies are the policies whose join may have changed since somebody took
	// the list.
	DirtyPolicies map[model.PolicyKey]struct{}

	touchedTracks map[*unitTrack]struct{} // in the step under way
	comparedWhole map[*unitTrack]struct{} // compared as a whole in the step under way
}

// unitTrack is the knowledge of one unit, a policy or another: one that is desired, or that
// has live rows, or both.
type unitTrack struct {
	key    model.PolicyKey
	unit   *compiler.CompiledUnit // nil: no such unit in this zone
	holder compiler.ACLHolder

	sets  []*setTrack // as unit.Sets
	group memberTrack // the port group, by port names
	ACLs  aclTrack

	// Live rows by UUID. They carry an id of the policy, or are the policy's by owner
	// and name alone: the latter are in damaged, true where their id may be one of an
	// older release, or of a release that Rung does not know.
	liveACLs, liveSets, liveGroups MemberSet
	damaged                        map[string]bool
	// Of these, the sets and groups that are not desired.
	extraSets, extraGroups []string

	aclsDirty, rowsDirty bool
	touched              time.Time
	standingSince        map[diffKey]time.Time // standing differences, by row
}

// memberTrack is how a desired set or group differs from its live row: in its members and its external_ids.
type memberTrack struct {
	uuid           string // of the live row
	missing, extra MemberSet
	ids            bool // the external_ids differ
}

// stepDesired books members that joined or left the desired row. For the live row it is the other way round.
func (m *memberTrack) stepDesired(added, removed []string) {
	swapNames(&m.extra, &m.missing, added)
	swapNames(&m.missing, &m.extra, removed)
}

// setTrack is one desired address set. Without a live row nothing is booked.
type setTrack struct {
	memberTrack
	track *unitTrack
	spec  *compiler.SetSpec
	// listed are the members of a set that has no live row yet, as they were listed
	// to write one; nil where they may be others by now.
	listed []string
}

// New is a tracker of a zone whose rows were never read.
func New(zone string) *Tracker {
	return &Tracker{
		Zone: zone, Tracks: map[model.PolicyKey]*unitTrack{}, sets: map[string]*setTrack{}, groups: map[string]*unitTrack{},
		DirtyPolicies: map[model.PolicyKey]struct{}{}, holders: map[compiler.ACLHolder]map[*unitTrack]struct{}{},
	}
}

// hasRows says whether the policy wants rows.
func (tr *unitTrack) hasRows() bool { return tr.unit != nil && tr.unit.WhyNoRows == nil }

func (t *Tracker) trackOf(k model.PolicyKey) *unitTrack {
	tr := t.Tracks[k]
	if tr == nil {
		tr = &unitTrack{key: k, ACLs: aclTrack{priority: -1}}
		t.Tracks[k] = tr
		t.bookHolder(tr, compiler.HolderOf(k))
	}
	return tr
}

// CompiledUnit returns the compiled unit of a key, nil where none is desired in this zone.
func (t *Tracker) CompiledUnit(k model.PolicyKey) *compiler.CompiledUnit {
	if tr := t.Tracks[k]; tr != nil {
		return tr.unit
	}
	return nil
}

// IsOurs says whether a row is one of Rung's owner types, of a network that Rung knows.
func (t *Tracker) IsOurs(o RowOwner) bool {
	return o.Form != Foreign && t.Desired.KnowsNetwork(o.Unit.Network)
}

// MarkAll marks all policies as ones whose join may have changed.
func (t *Tracker) MarkAll() {
	for k := range t.Tracks {
		t.DirtyPolicies[k] = struct{}{}
	}
}

// TakeDirty calls take for every policy whose join may have changed since the last call.
func (t *Tracker) TakeDirty(take func(model.PolicyKey)) {
	for k := range t.DirtyPolicies {
		take(k)
	}
	clear(t.DirtyPolicies)
}

// RowsDisowned are the rows of the database that lost their owner ids while Rung looked on.
func (t *Tracker) RowsDisowned() []model.DisownedRow { return t.disowned.rowsIn(t.DB) }

func (t *Tracker) touchTrack(tr *unitTrack) { t.touchedTracks[tr] = struct{}{} }

func (t *Tracker) beginStep() {
	t.touchedTracks, t.comparedWhole = map[*unitTrack]struct{}{}, map[*unitTrack]struct{}{}
}

// finishStep compares what the step marked.
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
			unbookHolder(t.holders, tr)
		}
	}
	t.touchedTracks, t.comparedWhole = nil, nil
}

// ApplyDesired takes the next desired rows and the changes since the last. With a nil
// delta anything may have changed.
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
		tr := t.trackOf(k)
		if c := t.unitHere(k); c == nil || c != tr.unit {
			t.comparePolicy(tr)
		} else {
			// Not compiled anew: only rows with named ports may read
			// differently, and members and ports are in the delta.
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
	for i := range delta.Members {
		t.stepDesiredMembers(&delta.Members[i])
	}
	for _, d := range t.portStepsHere(delta.Ports) {
		t.stepDesiredPorts(&d)
	}
	t.finishStep(at)
}

// unitHere returns the compiled unit of a key, nil where it has no rows in this zone.
func (t *Tracker) unitHere(k model.PolicyKey) *compiler.CompiledUnit {
	if c := t.Desired.Policy(k); c != nil && c.HasRowsIn(t.Zone) {
		return c
	}
	return nil
}

// compareAll compares every policy as a whole.
func (t *Tracker) compareAll() {
	for _, tr := range t.Tracks {
		t.comparePolicy(tr)
	}
	for c := range t.Desired.Policies() {
		if !c.HasRowsIn(t.Zone) {
			continue
		}
		if tr := t.trackOf(c.Key); !t.isFresh(tr) {
			t.comparePolicy(tr)
		}
	}
}

// CompareAgain compares a unit once more. That it was looked at is no news: its age stays.
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

// comparePolicy compares all rows of one policy.
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
	tr.unit, tr.sets, tr.group = t.unitHere(tr.key), nil, memberTrack{}
	if !tr.hasRows() {
		return
	}
	if tr.unit.Holder != tr.holder { // an EgressFirewall's namespace is on another network
		unbookHolder(t.holders, tr)
		t.bookHolder(tr, tr.unit.Holder)
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

// markReowned marks the policy whose ids a row carries although another policy
// claims, or claimed, the row by its name.
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

// findExtraRows finds live sets and groups of the policy that nobody wants.
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

// NamedByFrozenRows says whether rows of a policy without desired rows, which stay and
// still decide, name a set of a unit that is gone: the set stays with them.
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
