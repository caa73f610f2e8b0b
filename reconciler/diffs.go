package reconciler

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// noPort is the reason why a subject pod is missing from the port group.
const noPort = "the logical switch port does not exist yet"

// HeldElsewhere is the reason why an undesired row stays.
const HeldElsewhere = "still referenced by a row outside the policy"

// JoinPolicy returns a policy's state in the zone, nil if the tracker does not know the policy.
func (t *Tracker) JoinPolicy(k model.PolicyKey) *model.PolicyInZone {
	tr := t.Tracks[k]
	if tr == nil || !t.Desired.KnowsNetwork(k.Network) || tr.unit == nil && t.Observing && slices.Contains(configuredKinds, k.Kind) {
		return nil
	}
	p := &model.PolicyInZone{Policy: k, Touched: tr.touched, LiveACLs: len(tr.liveACLs), LivePriority: tr.ACLs.priority}
	if tr.unit != nil {
		p.None = tr.unit.WhyNoRows
	}
	p.Why = t.whyNotComparable(tr)
	p.NotComparable = p.Why != ""
	if t.DB != nil && (p.NotComparable || p.None != nil || hasOpenSets(tr.unit)) {
		p.Rows = t.unitDigest(tr)
	}
	if p.NotComparable || p.None != nil || t.DB == nil {
		tr.diffsSince = nil
		return p
	}
	d := &diffWriter{t: t, tr: tr, p: p}
	d.addACLs()
	d.addSets()
	d.addGroup()
	why := ""
	if len(tr.extraSets) > 0 && t.NamedByFrozenRows(k) {
		why = HeldElsewhere
		p.Blocked += len(tr.extraSets)
	}
	for _, uuid := range tr.extraSets {
		d.addDiff(model.DiffExtra, nb.TableAddressSet, t.DB.AddressSet(uuid).ID(), uuid, nil).Waiting = why
	}
	for _, uuid := range tr.extraGroups {
		d.addDiff(model.DiffExtra, nb.TablePortGroup, t.DB.PortGroup(uuid).ID(), uuid, nil)
	}
	slices.SortFunc(p.Diffs, func(a, b model.RowDiff) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID), cmp.Compare(a.UUID, b.UUID),
			cmp.Compare(a.Waiting, b.Waiting))
	})
	p.InSync = p.Missing+p.Extra+p.Different == 0
	tr.diffsSince = d.since
	for _, at := range d.since {
		if p.DiffSince.IsZero() || at.Before(p.DiffSince) {
			p.DiffSince = at
		}
	}
	return p
}

// whyNotComparable names a row of the unit in a form that Rung does not compile, "" if there is none. An
// observed row whose id begins as expected may be of an older or newer release. Where Rung writes, such a row
// is stale, as when OVN-Kubernetes starts: Rung replaces it.
func (t *Tracker) whyNotComparable(tr *unitTrack) string {
	if !t.Observing {
		return ""
	}
	var strange []string
	for uuid, other := range tr.damaged {
		if other {
			strange = append(strange, uuid)
		}
	}
	slices.Sort(strange)
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for _, uuid := range strange {
			row := t.DB.Row(table, uuid)
			if row == nil {
				continue
			}
			text := "rows in the form of another OVN-Kubernetes release: " + table + " " + cmp.Or(row.IDs()[nb.KeyID], uuid)
			if more := len(strange) - 1; more > 0 {
				text += " and " + words.Count(more, "more row")
			}
			return text
		}
	}
	return ""
}

// configuredKinds are the kinds whose rows OVN-Kubernetes has by its configuration, or keeps until its next start
// (ovn-kubernetes.md#hairpin-and-node-rows, #pod-selector-sets, #multicast). If Rung only observes, such rows are
// no difference when undesired.
var configuredKinds = []model.Kind{model.KindNetpolDefault, model.KindNetpolNode, model.KindMulticastCluster, model.KindPodSelector,
	model.KindEFDNS}

// diffWriter collects the differences of one policy.
type diffWriter struct {
	t     *Tracker
	tr    *unitTrack
	p     *model.PolicyInZone
	since map[diffKey]time.Time
}

// diffKey identifies a difference while it lasts.
type diffKey struct{ table, uuid, id string }

func (d *diffWriter) addDiff(kind model.DiffKind, table, id, uuid string, fields []model.FieldDiff) *model.RowDiff {
	switch kind {
	case model.DiffMissing:
		d.p.Missing++
	case model.DiffExtra:
		d.p.Extra++
	case model.DiffDifferent:
		d.p.Different++
	}
	// A difference keeps its age while the row differs, even in other columns.
	key := diffKey{table, uuid, id}
	if d.since == nil {
		d.since = map[diffKey]time.Time{}
	}
	at, standing := d.tr.diffsSince[key]
	if !standing {
		at = d.tr.touched
	}
	d.since[key] = at
	d.p.Diffs = append(d.p.Diffs, model.RowDiff{Kind: kind, Table: table, ID: id, UUID: uuid, Fields: fields})
	diff := &d.p.Diffs[len(d.p.Diffs)-1]
	if _, damaged := d.tr.damaged[uuid]; damaged && kind == model.DiffExtra {
		diff.Note = "the policy's by owner and name, but it has no " + nb.KeyID
		if id != "" {
			diff.Note = "the policy's by owner and name, but " + nb.KeyID + " " + id + " has an unknown form"
		}
	}
	return diff
}

func (d *diffWriter) addACLs() {
	a, why := &d.tr.ACLs, ""
	if d.tr.holder != (compiler.ACLHolder{}) && findHolder(d.t.DB, d.tr.holder).uuid == "" {
		why = NoHolder
	}
	for _, want := range a.missing {
		d.addDiff(model.DiffMissing, nb.TableACL, want.ID(), "", nil).Waiting = why
		if why != "" {
			d.p.Blocked++
		}
	}
	if why != "" {
		d.p.Blocked += len(a.changed)
	}
	for _, ch := range a.changed {
		d.addDiff(model.DiffDifferent, nb.TableACL, ch.desired.ID(), ch.live.UUID, diffACL(ch.desired, ch.live)).Waiting = why
	}
	for _, row := range a.extra {
		d.addDiff(model.DiffExtra, nb.TableACL, row.ID(), row.UUID, nil)
	}
	for _, e := range a.misplaced {
		d.addDiff(model.DiffExtra, nb.TableACL, e.row.ID(), e.row.UUID, nil)
	}
	for _, row := range a.Stray {
		d.addDiff(model.DiffExtra, nb.TableACL, row.ID(), row.UUID, nil).Waiting = HeldElsewhere
		d.p.Blocked++
	}
}

func (d *diffWriter) addSets() {
	for _, s := range d.tr.sets {
		if s.uuid == "" {
			d.addDiff(model.DiffMissing, nb.TableAddressSet, s.spec.ID(), "", nil)
			continue
		}
		if !s.ids && len(s.missing)+len(s.extra) == 0 {
			continue
		}
		row := d.t.DB.AddressSet(s.uuid)
		var fields []model.FieldDiff
		if len(s.missing)+len(s.extra) > 0 {
			fields = append(fields, memberDiff("addresses", len(row.Addresses), s.missing.sortedNames(), s.extra.sortedNames()))
		}
		if s.ids {
			fields = append(fields, diffMap("external_ids", s.spec.ExternalIDs, row.ExternalIDs))
		}
		d.addDiff(model.DiffDifferent, nb.TableAddressSet, s.spec.ID(), s.uuid, fields)
	}
}

func (d *diffWriter) addGroup() {
	switch {
	case !d.tr.hasRows():
		return
	case d.tr.unit.GroupName == "":
		d.addUnlinked()
		return
	}
	g, a, id := &d.tr.group, &d.tr.ACLs, d.tr.unit.GroupIDs[nb.KeyID]
	missing, waiting := d.t.missingPorts(g)
	if len(waiting) > 0 {
		d.p.Waiting = len(waiting)
		ports := memberDiff("ports", 0, waiting, nil)
		d.p.Diffs = append(d.p.Diffs, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TablePortGroup, ID: id, UUID: g.uuid,
			Waiting: noPort, Fields: []model.FieldDiff{ports}})
	}
	if g.uuid == "" {
		d.addDiff(model.DiffMissing, nb.TablePortGroup, id, "", nil)
		return
	}
	row := d.t.DB.PortGroup(g.uuid)
	var fields []model.FieldDiff
	if len(a.unlinked)+len(a.foreignHeld) > 0 {
		fields = append(fields, memberDiff("acls", len(row.ACLs), a.unlinkedIDs(), a.foreignHeld))
	}
	if len(missing)+len(g.extra) > 0 {
		fields = append(fields, memberDiff("ports", len(row.Ports), missing, g.extra.sortedNames()))
	}
	if g.ids {
		fields = append(fields, diffMap("external_ids", d.tr.unit.GroupIDs, row.ExternalIDs))
	}
	if len(fields) > 0 {
		d.addDiff(model.DiffDifferent, nb.TablePortGroup, id, g.uuid, fields)
	}
}

// missingPorts returns the missing ports of a group that exist, and the subject pods that wait for a logical
// switch port.
func (t *Tracker) missingPorts(g *memberTrack) (missing, waiting []string) {
	for _, name := range g.missing.sortedNames() {
		if t.DB.PortByName(name) != nil {
			missing = append(missing, name)
		} else {
			waiting = append(waiting, name)
		}
	}
	return missing, waiting
}

// addUnlinked adds ACLs that another handler's row should reference but does not.
func (d *diffWriter) addUnlinked() {
	a, at := &d.tr.ACLs, findHolder(d.t.DB, d.tr.holder)
	switch {
	case len(a.unlinked) == 0:
		return
	case at.uuid == "": // only in a stored database: a live one drops unreferenced ACLs
		d.addDiff(model.DiffMissing, d.tr.holder.Table, d.tr.holder.Name, "", nil).Waiting = lostHolder
		d.p.Blocked++
		return
	}
	id := d.tr.holder.Name
	if row, ok := d.t.DB.Row(d.tr.holder.Table, at.uuid).(*nb.PortGroup); ok && row.ID() != "" {
		id = row.ID()
	}
	fields := []model.FieldDiff{memberDiff("acls", len(at.acls), a.unlinkedIDs(), nil)}
	d.addDiff(model.DiffDifferent, d.tr.holder.Table, id, at.uuid, fields)
}

func (a *aclTrack) unlinkedIDs() []string {
	ids := make([]string, len(a.unlinked))
	for i, r := range a.unlinked {
		ids[i] = r.ID()
	}
	slices.Sort(ids)
	return ids
}

// memberDiff returns the difference of a set column; live is its number of live members.
func memberDiff(column string, live int, missing, extra []string) model.FieldDiff {
	desired := live - len(extra) + len(missing)
	return model.FieldDiff{Column: column, Desired: strconv.Itoa(desired), Live: strconv.Itoa(live), Missing: missing, Extra: extra}
}
