package tracker

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

	Tracks map[model.PolicyKey]*track
	sets   map[string]*setTrack // desired address sets by name
	groups map[string]*track    // by the desired port group's name
	// holders are the units whose ACLs hang on a row that is not theirs.
	holders map[compiler.Holder]map[*track]struct{}

	disowned disowned
	ports    ports

	// Dirty are the policies whose join may have changed since somebody took
	// the list.
	Dirty map[model.PolicyKey]struct{}

	touched map[*track]struct{} // in the step under way
	fresh   map[*track]struct{} // compared as a whole in the step under way
}

// track is the knowledge of one unit, a policy or another: one that is desired, or that
// has live rows, or both.
type track struct {
	key   model.PolicyKey
	c     *compiler.Compiled // nil: no such unit in this zone
	holds compiler.Holder

	sets  []*setTrack // as c.Sets
	group groupTrack
	ACLs  aclTrack

	// Live rows by UUID. They carry an id of the policy, or are the policy's by owner
	// and name alone: the latter are in damaged, true where their id may be one of an
	// older release, or of a release that Rung does not know.
	liveACLs, liveSets, liveGroups Members
	damaged                        map[string]bool
	// Of these, the sets and groups that are not desired.
	extraSets, extraGroups []string

	aclsDirty, rowsDirty bool
	touched              time.Time
	since                map[diffKey]time.Time // standing differences, by row
}

// setTrack is one desired address set. Without a live row nothing is booked.
type setTrack struct {
	track          *track
	spec           *compiler.SetSpec
	uuid           string // of the live row
	missing, extra Members
	ids            bool // the external_ids differ
	// listed are the members of a set that has no live row yet, as they were listed
	// to write one; nil where they may be others by now.
	listed []string
}

// groupTrack is the desired port group of a policy, by port names. waiting are
// subject pods without a logical switch port.
type groupTrack struct {
	uuid                    string
	missing, waiting, extra Members
	ids                     bool
}

// New is a tracker of a zone whose rows were never read.
func New(zone string) *Tracker {
	return &Tracker{
		Zone: zone, Tracks: map[model.PolicyKey]*track{}, sets: map[string]*setTrack{}, groups: map[string]*track{},
		Dirty: map[model.PolicyKey]struct{}{}, holders: map[compiler.Holder]map[*track]struct{}{},
	}
}

// hasRows says whether the policy wants rows.
func (tr *track) hasRows() bool { return tr.c != nil && tr.c.None == nil }

func (t *Tracker) track(k model.PolicyKey) *track {
	tr := t.Tracks[k]
	if tr == nil {
		tr = &track{key: k, ACLs: aclTrack{priority: -1}}
		t.Tracks[k] = tr
		t.hold(tr)
	}
	return tr
}

// Compiled returns the compiled unit of a key, nil where none is desired in this zone.
func (t *Tracker) Compiled(k model.PolicyKey) *compiler.Compiled {
	if tr := t.Tracks[k]; tr != nil {
		return tr.c
	}
	return nil
}

// MarkAll marks all policies as ones whose join may have changed.
func (t *Tracker) MarkAll() {
	for k := range t.Tracks {
		t.Dirty[k] = struct{}{}
	}
}

// TakeDirty calls take for every policy whose join may have changed since the last call.
func (t *Tracker) TakeDirty(take func(model.PolicyKey)) {
	for k := range t.Dirty {
		take(k)
	}
	clear(t.Dirty)
}

// RowsDisowned are the rows of the database that lost their owner ids while Rung looked on.
func (t *Tracker) RowsDisowned() []model.DisownedRow { return t.disowned.here(t.DB) }

func (t *Tracker) touch(tr *track) { t.touched[tr] = struct{}{} }

func (t *Tracker) begin() {
	t.touched, t.fresh = map[*track]struct{}{}, map[*track]struct{}{}
}

// finish compares what the step marked.
func (t *Tracker) finish(at time.Time) {
	for tr := range t.touched {
		if tr.rowsDirty {
			t.findExtraRows(tr)
		}
		if tr.aclsDirty {
			t.compareACLs(tr)
		}
		tr.rowsDirty, tr.aclsDirty = false, false
		tr.touched = at
		t.Dirty[tr.key] = struct{}{}
		if tr.c == nil && len(tr.liveACLs)+len(tr.liveSets)+len(tr.liveGroups) == 0 {
			delete(t.Tracks, tr.key)
			if of := t.holders[tr.holds]; of != nil {
				delete(of, tr)
				if len(of) == 0 {
					delete(t.holders, tr.holds)
				}
			}
		}
	}
	t.touched, t.fresh = nil, nil
}

// ApplyDesired takes the next desired rows and the changes since the last. With a nil
// delta anything may have changed.
func (t *Tracker) ApplyDesired(d *compiler.Desired, delta *compiler.Delta, at time.Time) {
	t.begin()
	first := t.Desired == nil
	t.Desired = d
	if first || delta == nil || delta.All {
		t.compareAll()
		t.finish(at)
		return
	}
	for k := range delta.Policies {
		tr := t.track(k)
		if c := t.unit(k); c == nil || c != tr.c {
			t.comparePolicy(tr)
		} else {
			// Not compiled anew: only rows with named ports may read
			// differently, and members and ports are in the delta.
			tr.aclsDirty = true
			t.touch(tr)
		}
	}
	for i := range delta.Members {
		t.stepDesiredMembers(&delta.Members[i])
	}
	for _, d := range t.portsHere(delta.Ports) {
		t.stepDesiredPorts(&d)
	}
	t.finish(at)
}

// unit returns the compiled unit of a key, nil where it has no rows in this zone.
func (t *Tracker) unit(k model.PolicyKey) *compiler.Compiled {
	if c := t.Desired.Policy(k); c != nil && c.In(t.Zone) {
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
		if !c.In(t.Zone) {
			continue
		}
		if tr := t.track(c.Key); !t.isFresh(tr) {
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
	t.begin()
	t.comparePolicy(tr)
	at := make(map[*track]time.Time, len(t.touched))
	for touched := range t.touched {
		at[touched] = touched.touched
	}
	t.finish(time.Time{})
	for touched, was := range at {
		touched.touched = was
	}
}

func (t *Tracker) isFresh(tr *track) bool {
	_, ok := t.fresh[tr]
	return ok
}

// comparePolicy compares all rows of one policy.
func (t *Tracker) comparePolicy(tr *track) {
	t.fresh[tr] = struct{}{}
	t.touch(tr)
	tr.aclsDirty, tr.rowsDirty = true, true
	for _, s := range tr.sets {
		if t.sets[s.spec.Name] == s {
			delete(t.sets, s.spec.Name)
		}
		if s.ids {
			t.reowned(t.DB.Row(nb.TableAddressSet, s.uuid))
		}
	}
	if tr.c != nil && t.groups[tr.c.GroupName] == tr {
		delete(t.groups, tr.c.GroupName)
	}
	if tr.group.ids {
		t.reowned(t.DB.Row(nb.TablePortGroup, tr.group.uuid))
	}
	tr.c, tr.sets, tr.group = t.unit(tr.key), nil, groupTrack{}
	if !tr.hasRows() {
		return
	}
	tr.sets = make([]*setTrack, len(tr.c.Sets))
	for i, spec := range tr.c.Sets {
		tr.sets[i] = &setTrack{track: tr, spec: spec}
		t.sets[spec.Name] = tr.sets[i]
		t.compareSet(tr.sets[i])
	}
	if tr.c.GroupName != "" {
		t.groups[tr.c.GroupName] = tr
		t.compareGroup(tr)
	}
}

// reowned marks the policy whose ids a row carries although another policy
// claims, or claimed, the row by its name.
func (t *Tracker) reowned(row nb.Row) {
	if row == nil {
		return
	}
	if o := OwnerOfRow(row); o.Form == Ours || o.Form == Damaged {
		if tr := t.Tracks[o.Unit]; tr != nil {
			tr.rowsDirty = true
			t.touch(tr)
		}
	}
}

// findExtraRows finds live sets and groups of the policy that nobody wants.
func (t *Tracker) findExtraRows(tr *track) {
	tr.extraSets, tr.extraGroups = nil, nil
	for _, uuid := range tr.liveSets.sorted() {
		if s := t.sets[t.DB.AddressSet(uuid).Name]; s == nil || s.uuid != uuid {
			tr.extraSets = append(tr.extraSets, uuid)
		}
	}
	for _, uuid := range tr.liveGroups.sorted() {
		if o := t.groups[t.DB.PortGroup(uuid).Name]; o == nil || o.group.uuid != uuid {
			tr.extraGroups = append(tr.extraGroups, uuid)
		}
	}
}

// NamedByFrozenRows says whether rows of a policy without desired rows, which stay and
// still decide, name a set of a unit that is gone: the set stays with them.
func (t *Tracker) NamedByFrozenRows(k model.PolicyKey) bool {
	tr := t.Tracks[k]
	if tr == nil || tr.c != nil {
		return false
	}
	names := map[match.Ref]bool{}
	for uuid := range tr.liveSets {
		names[match.Ref{Kind: match.RefAddressSet, Name: t.DB.AddressSet(uuid).Name}] = true
	}
	for _, o := range t.Tracks {
		if o.c == nil || o.c.None == nil {
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
