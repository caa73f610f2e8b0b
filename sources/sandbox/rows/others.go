package rows

import (
	"maps"
	"strings"

	"rung/model/ovn/nb"
)

// Rows made up to be looked at say so by a key of their own.
const (
	NoteKey   = "rung"
	NoteValue = "sandbox"
)

func noted(ids map[string]string) map[string]string {
	ids = maps.Clone(ids)
	ids[NoteKey] = NoteValue
	return ids
}

// aclRow is an ACL that nobody logs.
func aclRow(tier, priority int, direction string, afterLB bool, action, match string,
	ids map[string]string) map[string]any {
	row := map[string]any{"priority": priority, "tier": tier, "direction": direction, "action": action, "match": match,
		"meter": nb.LoggingMeter, "external_ids": ids}
	if afterLB {
		row["options"] = map[string]string{nb.OptAfterLB: "true"}
	}
	return row
}

// udnIsolation are the rows of tier 0 that keep the default network off pods
// whose primary network is another (ovn-kubernetes.md#tier-0). The group has no port
// here, so they match nothing: the sandbox has the default network alone.
func udnIsolation(mgmt []string) []nb.Op {
	group := nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.Pair{Key: nb.KeyName, Value: "SecondaryPods"})
	pg := nb.HashedName(group[nb.KeyID])
	var asks, tells, from []string
	for _, ip := range mgmt {
		if strings.Contains(ip, ":") {
			asks, tells = append(asks, "( nd && nd.target == "+ip+" )"), append(tells, "( nd && nd.target == "+ip+" )")
			from = append(from, "ip6.src=="+ip)
			continue
		}
		asks, tells = append(asks, "( arp && arp.tpa == "+ip+" )"), append(tells, "( arp && arp.spa == "+ip+" )")
		from = append(from, "ip4.src=="+ip)
	}
	or := func(terms []string) string { return " && (" + strings.Join(terms, " || ") + ")" }
	var ops []nb.Op
	var acls []string
	add := func(name, dir string, priority int, action, more string) {
		direction, port := nb.ToLport, "outport"
		if dir == "Egress" {
			direction, port = nb.FromLport, "inport"
		}
		ids := nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.Pair{Key: nb.KeyName, Value: name},
			nb.Pair{Key: nb.KeyDirection, Value: dir})
		acls = append(acls, "udn"+name+dir)
		ops = append(ops, Insert(nb.TableACL, acls[len(acls)-1],
			aclRow(0, priority, direction, false, action, port+" == @"+pg+more, noted(ids))))
	}
	add("DenyPrimaryUDN", "Egress", 1000, nb.ActionDrop, "")
	add("AllowHostARPPrimaryUDN", "Egress", 1001, nb.ActionAllow, or(asks))
	add("DenyPrimaryUDN", "Ingress", 1000, nb.ActionDrop, "")
	add("AllowHostARPPrimaryUDN", "Ingress", 1001, nb.ActionAllow, or(tells))
	add("AllowHostPrimaryUDN", "Ingress", 1001, nb.ActionAllowRelated, or(from))
	return append(ops, Insert(nb.TablePortGroup, "", map[string]any{"name": pg, "acls": Named(acls...),
		"external_ids": noted(group)}))
}

// enhancementOf2023 are the rows that an AdminNetworkPolicy had in the
// enhancement of 2023, the example there: another controller, ids by OVN
// priority, other names. Nobody keeps them. The group has no port, so they match
// nothing. It carries no note either: its one id is how it is known.
func enhancementOf2023() []nb.Op {
	const policy, priority, number = "priority-50-example", "25000", 25000
	pg := nb.HashedName(policy + "_" + priority)
	var ops []nb.Op
	for _, d := range []struct{ dir, direction, port, side, action string }{
		{"ANPIngress", nb.ToLport, "outport", "src", nb.ActionDrop},
		{"ANPEgress", nb.FromLport, "inport", "dst", nb.ActionPass},
	} {
		ids := func(more ...nb.Pair) map[string]string {
			return nb.IDs("network-policy-controller", nb.OwnerANP, append([]nb.Pair{{Key: nb.KeyName, Value: policy},
				{Key: nb.KeyDirection, Value: d.dir}, {Key: nb.KeyPriority, Value: priority}}, more...)...)
		}
		set := ids(nb.Pair{Key: nb.KeyIPFamily, Value: "v4"})
		addresses := nb.HashedName(set[nb.KeyID])
		row := aclRow(1, number, d.direction, d.direction == nb.FromLport, d.action,
			"((ip4."+d.side+" == $"+addresses+")) && ("+d.port+" == @"+pg+")", noted(ids()))
		row["name"], row["log"], row["severity"] = policy+"_"+d.dir+"_"+priority, false, "debug"
		ops = append(ops, Insert(nb.TableAddressSet, "", map[string]any{"name": addresses, "external_ids": noted(set)}),
			Insert(nb.TableACL, "old"+d.dir, row))
	}
	return append(ops, Insert(nb.TablePortGroup, "", map[string]any{"name": pg,
		"acls":         Named("oldANPIngress", "oldANPEgress"),
		"external_ids": map[string]string{"name": policy + "_" + priority}}))
}
