package sandbox

import (
	"slices"
	"strconv"

	"rung/model/network"
	"rung/model/ovn/nb"
)

// isolationACLOps returns the operations that insert the ACLs of tier 0, their names in the transaction, and their
// matches, to tell different ACLs apart. example marks them as an example.
func isolationACLOps(i *network.Isolation, example bool) (ops []nb.Op, acls []string, matches string) {
	for n, a := range i.ACLs() {
		ids := a.ExternalIDs
		if example {
			ids = withOwner(ids)
		}
		acls = append(acls, "udn"+strconv.Itoa(n))
		ops = append(ops, InsertOp(nb.TableACL, acls[n], aclRow(a.Tier, a.Priority, a.Direction, false, a.Action, a.Match, ids)))
		matches += a.Match + "\n"
	}
	return ops, acls, matches
}

// udnIsolation returns example rows of tier 0. Their group has no ports, so they match nothing until such pods
// exist.
func udnIsolation(mgmt []string) []nb.Op {
	group := network.IsolationGroup()
	ops, acls, _ := isolationACLOps(&network.Isolation{Management: mgmt}, true)
	return append(ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": group.Name, "acls": NamedRefs(acls...),
		"external_ids": withOwner(group.IDs)}))
}

// isolationOps returns the operations that update the isolation's group. rewrite replaces its ACLs too.
func isolationOps(i *network.Isolation, db *nb.DB, rewrite bool) (ops []nb.Op) {
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
		ops, acls, _ = isolationACLOps(i, false)
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
		return append(ops, updateOp(nb.TablePortGroup, live.UUID, row))
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
