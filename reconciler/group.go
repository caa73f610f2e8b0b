package reconciler

import (
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// ports remembers ports that were looked up, as long as none changes: many groups
// hold the same.
type ports struct{ byName, byUUID portsBy }

type portsBy map[string]*nb.LogicalSwitchPort

func (m *portsBy) get(key string, find func(string) *nb.LogicalSwitchPort) *nb.LogicalSwitchPort {
	p, known := (*m)[key]
	if !known {
		if *m == nil {
			*m = portsBy{}
		}
		p = find(key)
		(*m)[key] = p
	}
	return p
}

func (t *tracker) portByName(name string) *nb.LogicalSwitchPort {
	return t.ports.byName.get(name, t.db.PortByName)
}

func (t *tracker) port(uuid string) *nb.LogicalSwitchPort {
	return t.ports.byUUID.get(uuid, t.db.Port)
}

// hasPort says whether a logical switch port exists in the zone.
func (t *tracker) hasPort(name string) bool { return t.portByName(name) != nil }

// compareGroup compares a whole port group, by the names of the ports.
// References to ports that do not exist are none: the server is dropping them.
func (t *tracker) compareGroup(tr *track) {
	g := &tr.group
	*g = groupTrack{}
	var live []string
	row := t.db.PortGroupByName(tr.c.GroupName)
	if row != nil {
		g.uuid = row.UUID
		for _, uuid := range row.Ports {
			if p := t.port(uuid); p != nil {
				live = append(live, p.Name)
			}
		}
		slices.Sort(live)
	}
	var missing members
	missing, g.extra = compareMembers(t.desired.Ports(tr.c, t.zone, nil), live)
	for name := range missing {
		t.lack(g, name)
	}
	if row != nil {
		t.compareGroupIDs(tr, row)
	}
}

func (t *tracker) compareGroupIDs(tr *track, row *nb.PortGroup) {
	if tr.group.ids = !maps.Equal(row.ExternalIDs, tr.c.GroupIDs); tr.group.ids {
		t.reowned(row)
	}
}

// lack books a desired port that is not in the live group.
func (t *tracker) lack(g *groupTrack, name string) {
	if t.hasPort(name) {
		g.missing.add(name)
	} else {
		g.waiting.add(name)
	}
}

// portsHere picks the steps of this zone. A tracker of all zones together takes
// the net of them: a pod that moves leaves one zone and joins another, in
// whichever order that is told.
func (t *tracker) portsHere(steps []compiler.PortDelta) []compiler.PortDelta {
	if t.zone != "" {
		return slices.DeleteFunc(slices.Clone(steps), func(d compiler.PortDelta) bool { return d.Zone != t.zone })
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
func (t *tracker) stepDesiredPorts(d *compiler.PortDelta) {
	tr := t.tracks[d.Policy]
	if tr == nil || !tr.hasRows() || t.isFresh(tr) {
		return
	}
	t.touch(tr)
	g := &tr.group
	for _, name := range d.Add {
		if !g.extra.take(name) {
			t.lack(g, name)
		}
	}
	for _, name := range d.Remove {
		if !g.missing.take(name) && !g.waiting.take(name) {
			g.extra.add(name)
		}
	}
}

// stepLiveGroup takes in one changed row. before is the database before the
// step: a port that went with it has its name there.
func (t *tracker) stepLiveGroup(before *nb.DB, uuid string, old, row *nb.PortGroup) {
	if old != nil && row != nil && old.Name == row.Name {
		tr := t.groups[row.Name]
		if tr == nil {
			return
		}
		t.touch(tr)
		if tr.group.uuid != uuid {
			return
		}
		if !slices.Equal(old.ACLs, row.ACLs) {
			tr.aclsDirty = true
		}
		added, removed := stepMembers(old.Ports, row.Ports)
		for _, u := range removed {
			if p := before.Port(u); p != nil && !tr.group.extra.take(p.Name) {
				t.lack(&tr.group, p.Name)
			}
		}
		for _, u := range added {
			if p := t.port(u); p != nil && !tr.group.missing.take(p.Name) && !tr.group.waiting.take(p.Name) {
				tr.group.extra.add(p.Name)
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
			t.touch(tr)
		}
	}
}

// stepLivePort takes in a logical switch port that came or went. It runs before
// the port groups of the step are looked at.
func (t *tracker) stepLivePort(name string) {
	exists := t.hasPort(name)
	for _, tr := range t.groups {
		g := &tr.group
		if exists && g.waiting.take(name) {
			g.missing.add(name)
			t.touch(tr)
		} else if !exists && g.missing.take(name) {
			g.waiting.add(name)
			t.touch(tr)
		}
	}
	// Rows with named ports read the subject pods that have a port.
	ns, pod, ok := strings.Cut(name, "_")
	if !ok {
		return
	}
	p := t.desired.Cluster().Pod(ns, pod)
	if p == nil || (t.zone != "" && p.NodeName != t.zone) {
		return
	}
	for _, tr := range t.groups {
		if tr.c.NamedPorts() && t.desired.IsSubject(tr.c, p) {
			tr.aclsDirty = true
			t.touch(tr)
		}
	}
}
