package reconciler

import (
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// portCache are the logical switch ports of a database. Ports that were looked up are remembered
// as long as none changes: many groups hold the same ports.
type portCache struct {
	db             *nb.DB
	byName, byUUID portsByKey
}

type portsByKey map[string]*nb.LogicalSwitchPort

func (m *portsByKey) get(key string, find func(string) *nb.LogicalSwitchPort) *nb.LogicalSwitchPort {
	p, known := (*m)[key]
	if !known {
		if *m == nil {
			*m = portsByKey{}
		}
		p = find(key)
		(*m)[key] = p
	}
	return p
}

// portByName is the port of a name, nil without one.
func (m *portCache) portByName(name string) *nb.LogicalSwitchPort {
	return m.byName.get(name, m.db.PortByName)
}

// portByUUID is the port with a UUID, nil without one.
func (m *portCache) portByUUID(uuid string) *nb.LogicalSwitchPort {
	return m.byUUID.get(uuid, m.db.Port)
}

// portRefs returns references to the named ports that exist, sorted as the server sorts
// them, so that it sends back the same list.
func (m *portCache) portRefs(names MemberSet) []nb.Ref {
	if len(names) == 0 {
		return nil
	}
	refs := make([]nb.Ref, 0, len(names))
	for name := range names {
		if p := m.portByName(name); p != nil {
			refs = append(refs, nb.Ref{UUID: p.UUID})
		}
	}
	slices.SortFunc(refs, func(a, b nb.Ref) int { return strings.Compare(a.UUID, b.UUID) })
	return refs
}

// compareGroup compares a whole port group, by the names of the ports.
// References to ports that do not exist are none: the server is dropping them.
func (t *Tracker) compareGroup(tr *unitTrack) {
	g := &tr.group
	*g = groupTrack{}
	var live []string
	row := t.DB.PortGroupByName(tr.unit.GroupName)
	if row != nil {
		g.uuid = row.UUID
		for _, uuid := range row.Ports {
			if p := t.ports.portByUUID(uuid); p != nil {
				live = append(live, p.Name)
			}
		}
		slices.Sort(live)
	}
	var missing MemberSet
	missing, g.extra = compareMembers(t.Desired.LogicalPorts(tr.unit, t.Zone, nil), live)
	for name := range missing {
		t.bookMissingPort(g, name)
	}
	if row != nil {
		t.compareGroupIDs(tr, row)
	}
}

func (t *Tracker) compareGroupIDs(tr *unitTrack, row *nb.PortGroup) {
	tr.group.ids = !maps.Equal(row.ExternalIDs, tr.unit.GroupIDs)
	if tr.group.ids {
		t.markReowned(row)
	}
}

// bookMissingPort books a desired port that is not in the live group.
func (t *Tracker) bookMissingPort(g *groupTrack, name string) {
	if t.ports.portByName(name) != nil {
		g.missing.Add(name)
	} else {
		g.waiting.Add(name)
	}
}

// portStepsHere picks the steps of this zone. A tracker of all zones together takes
// the net of them: a pod that moves leaves one zone and joins another, in
// whichever order that is told.
func (t *Tracker) portStepsHere(steps []compiler.PortDelta) []compiler.PortDelta {
	if t.Zone != "" {
		return slices.DeleteFunc(slices.Clone(steps), func(d compiler.PortDelta) bool { return d.Zone != t.Zone })
	}
	net := map[model.PolicyKey]map[string]int{}
	book := func(k model.PolicyKey, names []string, n int) {
		if net[k] == nil {
			net[k] = map[string]int{}
		}
		for _, name := range names {
			net[k][name] += n
		}
	}
	for i := range steps {
		book(steps[i].Policy, steps[i].Add, 1)
		book(steps[i].Policy, steps[i].Remove, -1)
	}
	var out []compiler.PortDelta
	for k, names := range net {
		d := compiler.PortDelta{Policy: k}
		for name, n := range names {
			switch {
			case n > 0:
				d.Add = append(d.Add, name)
			case n < 0:
				d.Remove = append(d.Remove, name)
			}
		}
		out = append(out, d)
	}
	return out
}

// stepDesiredPorts books subject pods that came or went.
func (t *Tracker) stepDesiredPorts(d *compiler.PortDelta) {
	tr := t.Tracks[d.Policy]
	if tr == nil || !tr.hasRows() || t.isFresh(tr) {
		return
	}
	t.touchTrack(tr)
	g := &tr.group
	for _, name := range d.Add {
		if !g.extra.remove(name) {
			t.bookMissingPort(g, name)
		}
	}
	for _, name := range d.Remove {
		if !g.missing.remove(name) && !g.waiting.remove(name) {
			g.extra.Add(name)
		}
	}
}

// stepLiveGroup takes in one changed row. before is the database before the
// step: a port that went with it has its name there.
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
		for _, u := range removed {
			if p := before.Port(u); p != nil && !tr.group.extra.remove(p.Name) {
				t.bookMissingPort(&tr.group, p.Name)
			}
		}
		for _, u := range added {
			if p := t.ports.portByUUID(u); p != nil && !tr.group.missing.remove(p.Name) && !tr.group.waiting.remove(p.Name) {
				tr.group.extra.Add(p.Name)
			}
		}
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

// stepLivePort takes in a logical switch port that came or went. It runs before
// the port groups of the step are looked at.
func (t *Tracker) stepLivePort(name string) {
	exists := t.ports.portByName(name) != nil
	for _, tr := range t.groups {
		g := &tr.group
		if exists && g.waiting.remove(name) {
			g.missing.Add(name)
			t.touchTrack(tr)
		} else if !exists && g.missing.remove(name) {
			g.waiting.Add(name)
			t.touchTrack(tr)
		}
	}
	// Rows with named ports read the subject pods that have a port.
	ns, pod, ok := strings.Cut(name, "_")
	if !ok {
		return
	}
	p := t.Desired.Cluster().Pod(ns, pod)
	if p == nil || (t.Zone != "" && p.NodeName != t.Zone) {
		return
	}
	for _, tr := range t.groups {
		if tr.unit.NamedPorts() && t.Desired.IsSubject(tr.unit, p) {
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
}
