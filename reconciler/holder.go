package reconciler

import (
	"slices"

	"rung/compiler"
	"rung/model/ovn/nb"
)

// NoHolder is the reason for missing rows that cannot be written yet.
const NoHolder = "the row they belong to does not exist yet"

// lostHolder is the note of a missing row that should reference existing ACLs.
const lostHolder = "its ACLs have no effect"

// heldRow is one version of a row that may reference several units' ACLs; zero if the row does not exist.
type heldRow struct {
	holder compiler.ACLHolder
	uuid   string
	acls   []string
	shared bool
}

// findHolder finds a holder's live row.
func findHolder(db *nb.DB, h compiler.ACLHolder) heldRow {
	if h.Table == nb.TableSwitch {
		return holderOfSwitch(db.SwitchByName(h.Name))
	}
	return holderOfGroup(db.PortGroupByName(h.Name))
}

func holderOfGroup(g *nb.PortGroup) heldRow {
	if g == nil {
		return heldRow{}
	}
	o := g.ExternalIDs[nb.KeyOwnerType]
	shared := (o == nb.OwnerNamespace || o == nb.OwnerCluster) && nb.IsOfNetwork(g.ExternalIDs[nb.KeyOwnerController])
	return heldRow{compiler.ACLHolder{Table: nb.TablePortGroup, Name: g.Name}, g.UUID, g.ACLs, shared}
}

func holderOfSwitch(s *nb.LogicalSwitch) heldRow {
	if s == nil {
		return heldRow{}
	}
	return heldRow{compiler.ACLHolder{Table: nb.TableSwitch, Name: s.Name}, s.UUID, s.ACLs, true}
}

// holderACLs lists the ACLs of the row that references a unit's ACLs.
func (t *Tracker) holderACLs(tr *unitTrack) []string {
	if tr.holder != (compiler.ACLHolder{}) {
		return findHolder(t.DB, tr.holder).acls
	}
	if g := t.DB.PortGroup(tr.group.uuid); g != nil && tr.hasRows() {
		return g.ACLs
	}
	return nil
}

// registerHolder registers a unit under its holder, to notice the holder's changes.
func (t *Tracker) registerHolder(tr *unitTrack, at compiler.ACLHolder) {
	tr.holder = at
	if at == (compiler.ACLHolder{}) {
		return
	}
	if t.holders[at] == nil {
		t.holders[at] = map[*unitTrack]struct{}{}
	}
	t.holders[at][tr] = struct{}{}
}

// unregisterHolder reverts registerHolder.
func unregisterHolder(holders map[compiler.ACLHolder]map[*unitTrack]struct{}, tr *unitTrack) {
	delete(holders[tr.holder], tr)
	if len(holders[tr.holder]) == 0 {
		delete(holders, tr.holder)
	}
}

// stepHolder applies a change of a heldRow; old or row is zero for an insert or delete.
func (t *Tracker) stepHolder(old, row heldRow) {
	same := old.holder == row.holder && old.shared == row.shared
	if same && slices.Equal(old.acls, row.acls) {
		return // only ports changed, as with every new pod
	}
	for _, h := range []heldRow{old, row} {
		for tr := range t.holders[h.holder] {
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
	// Where an ACL is referenced decides whether Rung can remove it.
	added, removed := old.acls, row.acls
	if same {
		added, removed = StepMembers(old.acls, row.acls)
	}
	for _, uuid := range slices.Concat(added, removed) {
		acl := t.DB.ACL(uuid)
		if acl == nil {
			continue
		}
		if tr := t.Tracks[OwnerOfRow(acl).Unit]; tr != nil {
			tr.aclsDirty = true
			t.touchTrack(tr)
		}
	}
}

// misplacedACL is an undesired ACL on rows that hold several units' ACLs: its ids were altered.
type misplacedACL struct {
	row     *nb.ACL
	holders []heldRow
}

// sortMisplaced divides undesired ACLs: found are on rows that hold several units' ACLs, stray are all others.
func sortMisplaced(db *nb.DB, rows []*nb.ACL) (found []misplacedACL, stray []*nb.ACL) {
	if len(rows) == 0 {
		return nil, nil
	}
	at := make(map[string][]heldRow, len(rows))
	for _, row := range rows {
		at[row.UUID] = nil
	}
	look := func(h heldRow) {
		for _, acl := range h.acls {
			if _, wanted := at[acl]; wanted {
				at[acl] = append(at[acl], h)
			}
		}
	}
	for g := range db.PortGroups() {
		if h := holderOfGroup(g); h.shared {
			look(h)
		}
	}
	for s := range db.Switches() {
		look(holderOfSwitch(s))
	}
	for _, row := range rows {
		if h := at[row.UUID]; len(h) > 0 {
			found = append(found, misplacedACL{row, h})
		} else {
			stray = append(stray, row)
		}
	}
	return found, stray
}

// unlinkOps removes misplaced ACLs from their rows; the server then collects them.
func unlinkOps(ops []nb.Op, tr *unitTrack) []nb.Op {
	for _, e := range tr.ACLs.misplaced {
		for _, h := range e.holders {
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: h.holder.Table, UUID: h.uuid,
				Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: e.row.UUID}}}}})
		}
	}
	return ops
}

// holderOps writes the ACLs of a unit without its own port group.
func (b *OpsBuilder) holderOps(ops []nb.Op, tr *unitTrack) []nb.Op {
	at := findHolder(b.t.DB, tr.holder)
	if at.uuid == "" {
		return ops
	}
	ops, link := b.aclOps(ops, tr)
	var unlink []nb.Ref
	for _, row := range tr.ACLs.extra {
		unlink = append(unlink, nb.Ref{UUID: row.UUID})
	}
	var ms rowMutations
	ms.add("acls", false, unlink)
	ms.add("acls", true, link)
	return ms.appendOp(ops, tr.holder.Table, at.uuid)
}
