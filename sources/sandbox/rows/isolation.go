package rows

import (
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// Isolation is the work of tier 0 that keeps pods whose primary network is another off the default
// one (networks.md#tier-0).
type Isolation struct {
	// Management are the addresses of the node's management port.
	Management []string
	Pods       []*model.Pod // those of the zone whose ports are isolated
}

// isolationGroup are the external ids and the name of the group of isolated ports.
func isolationGroup() (ids map[string]string, name string) {
	ids = nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: "SecondaryPods"})
	return ids, nb.HashedName(ids[nb.KeyID])
}

// aclOps are the operations that insert its ACLs, and their names within the transaction.
func (i *Isolation) aclOps(owned func(map[string]string) map[string]string) (ops []nb.Op, acls []string) {
	_, pg := isolationGroup()
	var asks, tells, from []string
	for _, ip := range i.Management {
		if strings.Contains(ip, ":") {
			asks, tells = append(asks, "( nd && nd.target == "+ip+" )"), append(tells, "( nd && nd.target == "+ip+" )")
			from = append(from, "ip6.src=="+ip)
			continue
		}
		asks, tells = append(asks, "( arp && arp.tpa == "+ip+" )"), append(tells, "( arp && arp.spa == "+ip+" )")
		from = append(from, "ip4.src=="+ip)
	}
	or := func(terms []string) string { return " && (" + strings.Join(terms, " || ") + ")" }
	add := func(name, dir string, priority int, action, of, more string) {
		direction, port := nb.ToLport, "outport"
		if dir == "Egress" {
			direction, port = nb.FromLport, "inport"
		}
		ids := nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: name},
			nb.IDPair{Key: nb.KeyDirection, Value: dir})
		acls = append(acls, "udn"+strconv.Itoa(len(acls)))
		ops = append(ops, InsertOp(nb.TableACL, acls[len(acls)-1],
			aclRow(0, priority, direction, false, action, port+" == "+of+more, owned(ids))))
	}
	all := "@" + pg
	add("DenyPrimaryUDN", "Egress", 1000, nb.ActionDrop, all, "")
	add("DenyPrimaryUDN", "Ingress", 1000, nb.ActionDrop, all, "")
	if len(i.Management) > 0 {
		add("AllowHostARPPrimaryUDN", "Egress", 1001, nb.ActionAllow, all, or(asks))
		add("AllowHostARPPrimaryUDN", "Ingress", 1001, nb.ActionAllow, all, or(tells))
		add("AllowHostPrimaryUDN", "Ingress", 1001, nb.ActionAllowRelated, all, or(from))
	}
	for _, p := range i.Pods {
		if len(p.OpenPorts) == 0 {
			continue
		}
		name, port := "OpenPort-"+p.Namespace+"/"+p.Name, strconv.Quote(nb.PortName(p.Namespace, p.Name))
		add(name, "Ingress", 1001, nb.ActionAllowRelated, port, " && (arp || nd || ("+strings.Join(p.OpenPorts, " || ")+"))")
		add(name, "Egress", 1001, nb.ActionAllow, port, " && (arp || nd)")
	}
	return ops, acls
}

// Text says what the ACLs are, so that others can be told from these.
func (i *Isolation) Text() string {
	var b strings.Builder
	ops, _ := i.aclOps(func(ids map[string]string) map[string]string { return ids })
	for _, op := range ops {
		b.WriteString(op.Row["match"].(string))
		b.WriteByte('\n')
	}
	return b.String()
}

// udnIsolation are the rows of tier 0 as an example to look at: their group has no port, so they
// match nothing until there are such pods.
func udnIsolation(mgmt []string) []nb.Op {
	ids, pg := isolationGroup()
	ops, acls := (&Isolation{Management: mgmt}).aclOps(withOwner)
	return append(ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": pg, "acls": NamedRefs(acls...),
		"external_ids": withOwner(ids)}))
}

// groupOps are the operations that make the isolation what it is to be. rewrite says that its ACLs
// are not known to be these.
func (i *Isolation) groupOps(db *nb.DB, rewrite bool) (ops []nb.Op) {
	ids, pg := isolationGroup()
	live := db.PortGroupByName(pg)
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
		row["acls"], row["external_ids"] = NamedRefs(acls...), ids
	}
	if live == nil || !sameSet(live.Ports, ports) {
		row["ports"] = uuidRefs(ports)
	}
	switch {
	case live == nil:
		row["name"] = pg
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

// sameSet says whether two lists hold the same; the second is sorted.
func sameSet(a, b []string) bool {
	a = slices.Clone(a)
	slices.Sort(a)
	return slices.Equal(a, b)
}
