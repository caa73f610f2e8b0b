package reconciler

import (
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model/ovn/nb"
)

// portRefs returns references to the existing ports among names, in the server's order, so that it sends back
// the same list.
func (t *Tracker) portRefs(names MemberSet) []nb.Ref {
	var refs []nb.Ref
	for name := range names {
		if p := t.DB.PortByName(name); p != nil {
			refs = append(refs, nb.Ref{UUID: p.UUID})
		}
	}
	slices.SortFunc(refs, func(a, b nb.Ref) int { return strings.Compare(a.UUID, b.UUID) })
	return refs
}

// portNames returns the names of a group's ports that exist. It skips deleted ports, since the server is
// dropping the references.
func portNames(db *nb.DB, uuids []string) (names []string) {
	for _, uuid := range uuids {
		if p := db.Port(uuid); p != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// compareGroup compares a whole port group, by port names. Missing ports include subject pods that still lack
// a logical switch port.
func (t *Tracker) compareGroup(tr *unitTrack) {
	tr.group = memberTrack{}
	row, desired := t.DB.PortGroupByName(tr.unit.GroupName), t.Desired.LogicalPorts(tr.unit, t.Zone, nil)
	if row == nil {
		tr.group.missing, _ = compareMembers(desired, nil)
		return
	}
	live := portNames(t.DB, row.Ports)
	slices.Sort(live)
	tr.group.uuid = row.UUID
	tr.group.missing, tr.group.extra = compareMembers(desired, live)
	t.compareGroupIDs(tr, row)
}

func (t *Tracker) compareGroupIDs(tr *unitTrack, row *nb.PortGroup) {
	tr.group.ids = !maps.Equal(row.ExternalIDs, tr.unit.GroupIDs)
	if tr.group.ids {
		t.markReowned(row)
	}
}

// stepDesiredPorts applies added and removed subject pods.
func (t *Tracker) stepDesiredPorts(d *compiler.PortDelta) {
	tr := t.Tracks[d.Policy]
	if tr == nil || !tr.hasRows() || t.isFresh(tr) {
		return
	}
	t.touchTrack(tr)
	tr.group.stepDesired(d.Add, d.Remove)
}

// stepLiveGroup applies one changed row. before is the previous database, which still has the names of deleted
// ports.
func (t *Tracker) stepLiveGroup(before *nb.DB, uuid string, old, row *nb.PortGroup) {
	if old != nil && row != nil && old.Name == row.Name {
		tr := t.groups[row.Name]
		if tr == nil {
			return
		}
		t.touchTrack(tr)
		if tr.group.uuid != uuid {
			return
		}
		if !slices.Equal(old.ACLs, row.ACLs) {
			tr.aclsDirty = true
		}
		added, removed := StepMembers(old.Ports, row.Ports)
		tr.group.stepDesired(portNames(before, removed), portNames(t.DB, added))
		t.compareGroupIDs(tr, row)
		return
	}
	for _, r := range []*nb.PortGroup{old, row} {
		if r == nil {
			continue
		}
		if tr := t.groups[r.Name]; tr != nil {
			t.compareGroup(tr)
			tr.aclsDirty, tr.rowsDirty = true, true
			t.touchTrack(tr)
		}
	}
}

// stepLivePort applies an added or deleted logical switch port, before the port groups of the step.
func (t *Tracker) stepLivePort(name string) {
	for _, tr := range t.groups {
		if tr.group.missing.Has(name) {
			t.touchTrack(tr)
		}
	}
	// Rows with named ports depend on which subject pods have a port.
	ns, pod, _ := strings.Cut(name, "_")
	p := t.Desired.Cluster().Pod(ns, pod)
	if p == nil || p.NodeName != t.Zone {
		return
	}
	for _, tr := range t.groups {
		if tr.unit.NamedPorts() && t.Desired.IsSubject(tr.unit, p) {
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
}
