package reconciler

import (
	"slices"
	"strconv"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// OpsBuilder collects the operations of one transaction. Inserted ACLs get unique names in it.
type OpsBuilder struct {
	t     *Tracker
	names int
}

// NewOps begins a transaction.
func (t *Tracker) NewOps() *OpsBuilder { return &OpsBuilder{t: t} }

// PolicyOps returns the fewest operations that turn a policy's live rows into the desired ones, for one
// transaction. It returns none if the rows must not be touched.
func (b *OpsBuilder) PolicyOps(k model.PolicyKey) []nb.Op {
	t := b.t
	tr := t.Tracks[k]
	if tr == nil || t.DB == nil || !t.Desired.KnowsNetwork(k.Network) || (tr.unit != nil && tr.unit.WhyNoRows != nil) {
		return nil
	}
	var ops []nb.Op
	for _, s := range tr.sets {
		ops = b.setOps(ops, s)
	}
	for _, uuid := range tr.extraSets {
		ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: uuid})
	}
	switch {
	case tr.holder != (compiler.ACLHolder{}):
		ops = b.holderOps(ops, tr)
	case tr.hasRows() && tr.unit.GroupName != "":
		ops = b.groupOps(ops, tr)
	}
	ops = unlinkOps(ops, tr)
	for _, uuid := range tr.extraGroups {
		ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TablePortGroup, UUID: uuid})
	}
	for i := range ops {
		ops[i].Policy = k.String()
	}
	return ops
}

// setOps writes an address set.
func (b *OpsBuilder) setOps(ops []nb.Op, s *setTrack) []nb.Op {
	if s.uuid == "" {
		row := map[string]any{"name": s.spec.Name, "external_ids": s.spec.ExternalIDs}
		// If no member changes meanwhile, the inserted row is compared with this list.
		s.listed = b.t.wantedMembers(s)
		if len(s.listed) > 0 {
			row["addresses"] = s.listed
		}
		return append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: row})
	}
	var ms rowMutations
	if len(s.extra) > 0 {
		ms = append(ms, nb.Mutation{Column: "addresses", Strings: s.extra.sortedNames()})
	}
	if len(s.missing) > 0 {
		ms = append(ms, nb.Mutation{Column: "addresses", Insert: true, Strings: s.missing.sortedNames()})
	}
	ops = ms.appendOp(ops, nb.TableAddressSet, s.uuid)
	if s.ids {
		ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TableAddressSet, UUID: s.uuid,
			Row: map[string]any{"external_ids": s.spec.ExternalIDs}})
	}
	return ops
}

// aclOps writes a unit's ACLs and returns the references to add to their holder.
func (b *OpsBuilder) aclOps(ops []nb.Op, tr *unitTrack) (all []nb.Op, link []nb.Ref) {
	a := &tr.ACLs
	for _, want := range a.missing {
		b.names++
		name := "acl" + strconv.Itoa(b.names)
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: name, Row: ACLRow(want)})
		link = append(link, nb.Ref{Name: name})
	}
	for _, ch := range a.changed {
		row := map[string]any{}
		for i := range nb.ACLColumns {
			if c := &nb.ACLColumns[i]; !c.Same(ch.desired, ch.live) {
				row[c.Name] = WrittenValue(c.Value(ch.desired))
			}
		}
		ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: ch.live.UUID, Row: row})
	}
	for _, row := range a.unlinked {
		link = append(link, nb.Ref{UUID: row.UUID})
	}
	return ops, link
}

// rowMutations collects the mutations of one row.
type rowMutations []nb.Mutation

func (ms *rowMutations) add(column string, insert bool, refs []nb.Ref) {
	if len(refs) > 0 {
		*ms = append(*ms, nb.Mutation{Column: column, Insert: insert, Refs: refs})
	}
}

// appendOp appends the row's operation, if it has mutations.
func (ms rowMutations) appendOp(ops []nb.Op, table, uuid string) []nb.Op {
	if len(ms) == 0 {
		return ops
	}
	return append(ops, nb.Op{Kind: nb.OpMutate, Table: table, UUID: uuid, Mutations: ms})
}

// groupOps writes the ACLs and their port group. The server collects ACLs that leave the group
// (ovn-kubernetes.md#acl-columns).
func (b *OpsBuilder) groupOps(ops []nb.Op, tr *unitTrack) []nb.Op {
	t, a, g := b.t, &tr.ACLs, &tr.group
	ops, link := b.aclOps(ops, tr)
	var unlink []nb.Ref
	if g.uuid == "" {
		row := map[string]any{"name": tr.unit.GroupName, "external_ids": tr.unit.GroupIDs}
		if len(link) > 0 {
			row["acls"] = link
		}
		if ports := t.portRefs(g.missing); len(ports) > 0 {
			row["ports"] = ports
		}
		return append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: row})
	}
	group := t.DB.PortGroup(g.uuid)
	for _, row := range a.extra {
		if slices.Contains(group.ACLs, row.UUID) {
			unlink = append(unlink, nb.Ref{UUID: row.UUID})
		}
	}
	for _, uuid := range a.foreignHeld {
		unlink = append(unlink, nb.Ref{UUID: uuid})
	}
	var ms rowMutations
	ms.add("acls", false, unlink)
	ms.add("acls", true, link)
	ms.add("ports", false, t.portRefs(g.extra))
	ms.add("ports", true, t.portRefs(g.missing))
	ops = ms.appendOp(ops, nb.TablePortGroup, g.uuid)
	if g.ids {
		ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePortGroup, UUID: g.uuid,
			Row: map[string]any{"external_ids": tr.unit.GroupIDs}})
	}
	return ops
}

// ACLRow returns the columns of a new row, without empty ones.
func ACLRow(a *nb.ACL) map[string]any {
	row := make(map[string]any, len(nb.ACLColumns))
	for i := range nb.ACLColumns {
		c := &nb.ACLColumns[i]
		switch v := WrittenValue(c.Value(a)).(type) {
		case nil:
		case map[string]string:
			if len(v) > 0 {
				row[c.Name] = v
			}
		case bool:
			if v {
				row[c.Name] = v
			}
		default:
			row[c.Name] = v
		}
	}
	return row
}
