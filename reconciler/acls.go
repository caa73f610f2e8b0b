package reconciler

import (
	"cmp"
	"maps"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// aclTrack lists how a policy's ACLs differ, each list in a fixed order.
type aclTrack struct {
	missing []*nb.ACL // desired
	changed []aclChange
	// unlinked are desired live rows that their port group does not reference.
	unlinked []*nb.ACL
	// extra are undesired rows of the policy, referenced by its port groups. foreignHeld holds the UUIDs of
	// foreign rows in the port group.
	extra       []*nb.ACL
	foreignHeld []string
	// misplaced are undesired ACLs of the policy, referenced by a row that holds several units' ACLs. Stray
	// are undesired ACLs that only other rows can reference.
	misplaced []misplacedACL
	Stray     []*nb.ACL

	priority int32 // the ANP priority of the live rows, or -1
}

type aclChange struct{ live, desired *nb.ACL }

// compareACLs compares all ACLs of a policy at once; there are few, unlike members.
func (t *Tracker) compareACLs(tr *unitTrack) {
	tr.ACLs = aclTrack{priority: t.livePriority(tr)}
	if tr.unit != nil && tr.unit.WhyNoRows != nil {
		return
	}
	out := &tr.ACLs
	inGroup := make(MemberSet, len(tr.liveACLs))
	hangs := inGroup // in any of the policy's groups
	// The unit's own port group must hold no other ACLs. A row shared by several units holds their ACLs too.
	own := tr.holder == (compiler.ACLHolder{})
	for _, uuid := range t.holderACLs(tr) {
		if tr.liveACLs.Has(uuid) {
			inGroup.Add(uuid)
		} else if own && t.DB.ACL(uuid) != nil {
			out.foreignHeld = append(out.foreignHeld, uuid)
		}
	}
	slices.Sort(out.foreignHeld)
	for uuid := range tr.liveGroups {
		if uuid == tr.group.uuid {
			continue
		}
		if len(hangs) == len(inGroup) {
			hangs = maps.Clone(inGroup)
		}
		for _, acl := range t.DB.PortGroup(uuid).ACLs {
			hangs.Add(acl)
		}
	}
	byID := make(map[string][]*nb.ACL, len(tr.liveACLs))
	for uuid := range tr.liveACLs {
		row := t.DB.ACL(uuid)
		byID[row.ID()] = append(byID[row.ID()], row)
	}
	var desired []*nb.ACL // the policy's ACLs for the switch ports of this zone
	if tr.hasRows() {
		desired = t.Desired.ACLs(tr.unit, t.Zone, t.DB)
	}
	var off []*nb.ACL // in none of the policy's groups
	leftover := func(rows []*nb.ACL) {
		for _, row := range rows {
			if hangs.Has(row.UUID) {
				out.extra = append(out.extra, row)
			} else {
				off = append(off, row)
			}
		}
	}
	for _, want := range desired {
		rows := byID[want.ID()]
		delete(byID, want.ID())
		if len(rows) == 0 {
			out.missing = append(out.missing, want)
			continue
		}
		// Of several rows with one id, prefer one in use.
		slices.SortFunc(rows, func(a, b *nb.ACL) int {
			switch ia, ib := inGroup.Has(a.UUID), inGroup.Has(b.UUID); {
			case ia && !ib:
				return -1
			case ib && !ia:
				return 1
			}
			return cmp.Compare(a.UUID, b.UUID)
		})
		row := rows[0]
		if !nb.SameACL(row, want) {
			out.changed = append(out.changed, aclChange{row, want})
		}
		if !inGroup.Has(row.UUID) {
			out.unlinked = append(out.unlinked, row)
		}
		leftover(rows[1:])
	}
	for _, rows := range byID {
		leftover(rows)
	}
	byIDThenUUID := func(a, b *nb.ACL) int { return cmp.Or(cmp.Compare(a.ID(), b.ID()), cmp.Compare(a.UUID, b.UUID)) }
	slices.SortFunc(out.extra, byIDThenUUID)
	slices.SortFunc(off, byIDThenUUID)
	out.misplaced, out.Stray = sortMisplaced(t.DB, off)
}

// livePriority returns the ANP priority that all live ACLs of the policy agree on, or -1.
func (t *Tracker) livePriority(tr *unitTrack) int32 {
	found := int32(-1)
	if tr.key.Kind != model.KindANP {
		return found
	}
	for uuid := range tr.liveACLs {
		if _, damaged := tr.damaged[uuid]; damaged {
			continue // the index may be lost with the id
		}
		row := t.DB.ACL(uuid)
		p := compiler.LivePriority(row.Priority, OwnerOfRow(row).Index)
		if p < 0 || (found >= 0 && p != found) {
			return -1
		}
		found = p
	}
	return found
}
