package reconciler

import (
	"cmp"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// ApplyLive applies an update of the zone's database. It compares only the rows that Changes name, each once,
// before and after. A Resync compares everything.
func (t *Tracker) ApplyLive(u model.ZoneUpdate) {
	if u.DB == nil {
		return
	}
	before := t.DB
	t.beginStep()
	t.DB = u.DB
	if u.Resync || before == nil {
		t.indexAll(before)
		if t.Desired != nil {
			t.compareAll()
		}
		t.finishStep(u.At)
		return
	}
	changed := changedRows(u.Changes)
	for uuid, ch := range changed[nb.TableAddressSet] {
		if t.stepSet(before, uuid, ch) {
			delete(changed[nb.TableAddressSet], uuid)
		}
	}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for uuid := range changed[table] {
			t.indexRow(table, uuid, before.Row(table, uuid), t.DB.Row(table, uuid))
		}
	}
	if t.Desired != nil {
		t.stepLive(before, changed)
	}
	t.finishStep(u.At)
}

// changedRows returns the last change of each row, by table and UUID, so that each row is compared once.
func changedRows(changes []nb.RowChange) map[string]map[string]*nb.RowChange {
	out := map[string]map[string]*nb.RowChange{}
	for i := range changes {
		row := cmp.Or(changes[i].New, changes[i].Old)
		table := nb.TableName(row)
		if out[table] == nil {
			out[table] = map[string]*nb.RowChange{}
		}
		out[table][row.RowUUID()] = &changes[i]
	}
	return out
}

// stepLive applies the changed rows: first ports, then the groups that hold them.
func (t *Tracker) stepLive(before *nb.DB, changed map[string]map[string]*nb.RowChange) {
	names, renamed := MemberSet{}, false
	for uuid := range changed[nb.TablePort] {
		old, now := before.Port(uuid), t.DB.Port(uuid)
		if old != nil {
			names.Add(old.Name)
		}
		if now != nil {
			names.Add(now.Name)
			renamed = renamed || (old != nil && old.Name != now.Name)
		}
	}
	for name := range names {
		if (before.PortByName(name) == nil) != (t.DB.PortByName(name) == nil) {
			t.stepLivePort(name)
		}
	}
	for uuid := range changed[nb.TableAddressSet] {
		t.stepLiveSet(uuid, before.AddressSet(uuid), t.DB.AddressSet(uuid))
	}
	for uuid := range changed[nb.TablePortGroup] {
		old, row := before.PortGroup(uuid), t.DB.PortGroup(uuid)
		t.stepLiveGroup(before, uuid, old, row)
		t.stepHolder(holderOfGroup(old), holderOfGroup(row))
	}
	for uuid := range changed[nb.TableSwitch] {
		t.stepHolder(holderOfSwitch(before.Switch(uuid)), holderOfSwitch(t.DB.Switch(uuid)))
	}
	if renamed {
		// Groups hold ports by UUID, so any group may be affected.
		for _, tr := range t.groups {
			t.compareGroup(tr)
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
}

// indexAll finds the owners of all rows again. before is the previous database, nil at first.
func (t *Tracker) indexAll(before *nb.DB) {
	for _, tr := range t.Tracks {
		tr.liveACLs, tr.liveSets, tr.liveGroups, tr.damaged = nil, nil, nil, nil
		tr.aclsDirty, tr.rowsDirty = true, true
		t.touchTrack(tr)
	}
	for r := range t.DB.OwnedRows() {
		table := nb.TableName(r)
		t.indexRow(table, r.RowUUID(), nil, r)
		if old := before.Row(table, r.RowUUID()); old != nil {
			t.disowned.noteChange(old, r, OwnerOfRow(old))
		}
	}
}

// indexRow moves a row from its old owner's track to its new owner's.
func (t *Tracker) indexRow(table, uuid string, old, row nb.Row) {
	mark := func(tr *unitTrack) {
		tr.aclsDirty = tr.aclsDirty || table != nb.TableAddressSet
		tr.rowsDirty = tr.rowsDirty || table != nb.TableACL
		t.touchTrack(tr)
	}
	if old != nil && row != nil && SameBooking(old, row) {
		// The usual case: only members changed, so the owner and its list of rows stay.
		if o := OwnerOfRow(row); o.Form != Foreign {
			t.touchTrack(t.trackUnit(o.Unit))
		}
		return
	}
	if old != nil {
		if o := OwnerOfRow(old); o.Form != Foreign {
			if row != nil {
				t.disowned.noteChange(old, row, o)
			}
			if tr := t.Tracks[o.Unit]; tr != nil {
				delete(*tr.liveRows(table), uuid)
				delete(tr.damaged, uuid)
				mark(tr)
			}
		}
	}
	if row != nil {
		if o := OwnerOfRow(row); o.Form != Foreign {
			delete(t.disowned, uuid)
			tr := t.trackUnit(o.Unit)
			tr.liveRows(table).Add(uuid)
			if o.Form == Damaged {
				if tr.damaged == nil {
					tr.damaged = map[string]bool{}
				}
				tr.damaged[uuid] = o.IsOtherRelease
			}
			mark(tr)
		}
	}
}

// SameBooking reports whether two versions of a row differ at most in set members or ports.
func SameBooking(old, row nb.Row) bool {
	switch o := old.(type) {
	case *nb.AddressSet:
		r := row.(*nb.AddressSet)
		return o.Name == r.Name && maps.Equal(o.ExternalIDs, r.ExternalIDs)
	case *nb.PortGroup:
		r := row.(*nb.PortGroup)
		return o.Name == r.Name && maps.Equal(o.ExternalIDs, r.ExternalIDs) && slices.Equal(o.ACLs, r.ACLs)
	}
	return false
}

func (tr *unitTrack) liveRows(table string) *MemberSet {
	switch table {
	case nb.TableACL:
		return &tr.liveACLs
	case nb.TableAddressSet:
		return &tr.liveSets
	}
	return &tr.liveGroups
}
