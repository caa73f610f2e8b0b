package sandbox

import (
	"slices"
	"strconv"
	"strings"

	"rung/model/network"
	"rung/model/ovn/nb"
)

// Isolation makes the rows of tier 0.
type Isolation struct{ network.Isolation }

// aclOps returns the operations that insert the ACLs, and the ACLs' names in the transaction.
func (i *Isolation) aclOps(owned func(map[string]string) map[string]string) (ops []nb.Op, acls []string) {
	for n, a := range i.ACLs() {
		acls = append(acls, "udn"+strconv.Itoa(n))
		ops = append(ops, InsertOp(nb.TableACL, acls[n], aclRow(a.Tier, a.Priority, a.Direction, false, a.Action, a.Match, owned(a.ExternalIDs))))
	}
	return ops, acls
}

// Text returns the matches of all ACLs, to tell different ACLs apart.
func (i *Isolation) Text() string {
	var b strings.Builder
	for _, a := range i.ACLs() {
		b.WriteString(a.Match + "\n")
	}
	return b.String()
}

// udnIsolation returns example rows of tier 0. Their group has no ports, so they match nothing until such pods
// exist.
func udnIsolation(mgmt []string) []nb.Op {
	group := network.IsolationGroup()
	ops, acls := (&Isolation{network.Isolation{Management: mgmt}}).aclOps(withOwner)
	return append(ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": group.Name, "acls": NamedRefs(acls...),
		"external_ids": withOwner(group.IDs)}))
}

// groupOps returns the operations that update the isolation's group. rewrite replaces its ACLs too.
func (i *Isolation) groupOps(db *nb.DB, rewrite bool) (ops []nb.Op) {
	group := network.IsolationGroup()
	live := db.PortGroupByName(group.Name)
	var ports []string
	for _, p := range i.Pods {
		if port := db.PortByName(nb.PortName(p.Namespace, p.Name)); port != nil {
			ports = append(ports, port.UUID)
		}
	}
	slices.Sort(ports)
	row := map[string]any{}
	if live == nil || rewrite {
		var acls []string
		ops, acls = i.aclOps(func(ids map[string]string) map[string]string { return ids })
		row["acls"], row["external_ids"] = NamedRefs(acls...), group.IDs
	}
	if live == nil || !sameSet(live.Ports, ports) {
		row["ports"] = uuidRefs(ports)
	}
	switch {
	case live == nil:
		row["name"] = group.Name
		return append(ops, InsertOp(nb.TablePortGroup, "", row))
	case len(row) > 0:
		return append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePortGroup, UUID: live.UUID, Row: row})
	}
	return nil
}

func uuidRefs(uuids []string) []nb.Ref {
	refs := make([]nb.Ref, len(uuids))
	for i, u := range uuids {
		refs[i].UUID = u
	}
	return refs
}

// sameSet reports whether two lists have the same elements; the second is sorted.
func sameSet(a, b []string) bool {
	a = slices.Clone(a)
	slices.Sort(a)
	return slices.Equal(a, b)
}
