package sandbox

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// MeterRate is the number of log lines per second and ACL, OVN-Kubernetes' default (ovn-kubernetes.md#meter).
const MeterRate = 20

// ManagementAddresses returns the addresses of a node's management port. If the node names none, it is the
// second address of the nth node's default subnet.
func ManagementAddresses(node *model.Node, n int) []string {
	if node != nil && len(node.MgmtIPs) > 0 {
		return node.MgmtIPs
	}
	return []string{fmt.Sprintf("10.244.%d.2", n)}
}

// addressColumn returns the addresses column of a port: the MAC address of its first IP address, else of its
// name, and the IP addresses.
func addressColumn(name string, ips []string) string {
	first := ""
	if len(ips) > 0 {
		first = ips[0]
	}
	return strings.Join(append([]string{DeriveMAC(first, name)}, ips...), " ")
}

// SeedRows returns the first rows of a zone, which OVN-Kubernetes makes when a node starts. mgmt are the
// management port's addresses; foreign adds ACLs of other owners.
func SeedRows(zone string, mgmt []string, foreign bool) []nb.Op {
	ops := []nb.Op{
		InsertOp(nb.TableGlobal, "", map[string]any{"name": zone}),
		InsertOp(nb.TableMeterBand, "band", map[string]any{"action": "drop", "rate": MeterRate, "burst_size": 0}),
		InsertOp(nb.TableMeter, "", map[string]any{"name": nb.LoggingMeter, "unit": "pktps", "fair": true, "bands": NamedRefs("band")}),
		InsertOp(nb.TablePort, "mgmt", map[string]any{"name": nb.ManagementPort(zone), "addresses": []string{addressColumn(zone, mgmt)}}),
		InsertOp(nb.TablePort, "router", routerPortRow(nb.RouterPort(zone), RouterPortTo(zone))),
	}
	if foreign {
		ops = append(append(ops, udnIsolation(mgmt)...), example2023Rows()...)
	}
	group := func(name, port string) nb.Op {
		ids := nb.IDs(nb.DefaultController, nb.OwnerCluster, nb.IDPair{Key: nb.KeyName, Value: name})
		return InsertOp(nb.TablePortGroup, "", map[string]any{"name": nb.HashedName(ids[nb.KeyID]), "external_ids": ids,
			"ports": NamedRefs(port)})
	}
	return append(ops,
		InsertOp(nb.TableSwitch, "", map[string]any{"name": zone, "ports": NamedRefs("mgmt", "router")}),
		group(nb.GroupCluster, "mgmt"),
		group(nb.GroupClusterRtr, "router"),
	)
}

func InsertOp(table, name string, row map[string]any) nb.Op {
	return nb.Op{Kind: nb.OpInsert, Table: table, UUIDName: name, Row: row}
}

func updateOp(table, uuid string, row map[string]any) nb.Op {
	return nb.Op{Kind: nb.OpUpdate, Table: table, UUID: uuid, Row: row}
}

func deleteOp(table, uuid string) nb.Op { return nb.Op{Kind: nb.OpDelete, Table: table, UUID: uuid} }

// routerPortRow returns the row of a switch's port to a router's port.
func routerPortRow(name, to string) map[string]any {
	return map[string]any{"name": name, "type": "router", "addresses": []string{"router"}, "options": map[string]string{"router-port": to}}
}

// NamedRefs returns references to rows that the same transaction inserts.
func NamedRefs(names ...string) []nb.Ref {
	refs := make([]nb.Ref, len(names))
	for i, n := range names {
		refs[i].Name = n
	}
	return refs
}

// PodPortOp returns the operation that inserts a pod's port; id is the row's name in the transaction. The
// switch has to reference it too.
func PodPortOp(id, zone, name, namespace, uid, address string) nb.Op {
	return InsertOp(nb.TablePort, id, map[string]any{
		"name": name, "addresses": []string{address}, "port_security": []string{address},
		"options":      map[string]string{"requested-chassis": zone, "iface-id-ver": uid},
		"external_ids": map[string]string{"namespace": namespace, "pod": "true"}})
}

// NamespaceIDs returns the external_ids of a namespace's port group (ovn-kubernetes.md#owner-types).
func NamespaceIDs(namespace string) map[string]string {
	return nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: namespace})
}

// DeriveMAC returns the MAC address that OVN-Kubernetes derives from an IP address; without one it hashes
// otherwise.
func DeriveMAC(ip, otherwise string) string {
	if a, err := netip.ParseAddr(ip); err == nil {
		return nb.MAC(a)
	}
	h := sha256.Sum256([]byte(otherwise))
	return net.HardwareAddr{0x0a, 0x58, h[0], h[1], h[2], h[3]}.String()
}

// The external id of rows made up as examples.
const (
	NoteKey   = "rung"
	NoteValue = "sandbox"
)

func withOwner(ids map[string]string) map[string]string {
	ids = maps.Clone(ids)
	ids[NoteKey] = NoteValue
	return ids
}

// aclRow returns an ACL without logging.
func aclRow(tier, priority int, direction string, afterLB bool, action, match string, ids map[string]string) map[string]any {
	row := map[string]any{"priority": priority, "tier": tier, "direction": direction, "action": action, "match": match,
		"meter": nb.LoggingMeter, "external_ids": ids}
	if afterLB {
		row["options"] = map[string]string{nb.OptAfterLB: "true"}
	}
	return row
}

// example2023Rows returns the rows of the AdminNetworkPolicy example in the enhancement of 2023: another
// controller, ids with OVN priority, other names. Nothing updates them. Their group has no ports, so they
// match nothing. The group has no note; its single id identifies it.
func example2023Rows() []nb.Op {
	const policy, priority, number = "priority-50-example", "25000", 25000
	pg := nb.HashedName(policy + "_" + priority)
	var ops []nb.Op
	for _, d := range []struct{ dir, direction, port, side, action string }{
		{"ANPIngress", nb.ToLport, "outport", "src", nb.ActionDrop},
		{"ANPEgress", nb.FromLport, "inport", "dst", nb.ActionPass},
	} {
		ids := func(more ...nb.IDPair) map[string]string {
			return nb.IDs("network-policy-controller", nb.OwnerANP, append([]nb.IDPair{{Key: nb.KeyName, Value: policy},
				{Key: nb.KeyDirection, Value: d.dir}, {Key: nb.KeyPriority, Value: priority}}, more...)...)
		}
		set := ids(nb.IDPair{Key: nb.KeyIPFamily, Value: "v4"})
		addresses := nb.HashedName(set[nb.KeyID])
		row := aclRow(1, number, d.direction, d.direction == nb.FromLport, d.action,
			"((ip4."+d.side+" == $"+addresses+")) && ("+d.port+" == @"+pg+")", withOwner(ids()))
		row["name"], row["log"], row["severity"] = policy+"_"+d.dir+"_"+priority, false, "debug"
		ops = append(ops, InsertOp(nb.TableAddressSet, "", map[string]any{"name": addresses, "external_ids": withOwner(set)}),
			InsertOp(nb.TableACL, "old"+d.dir, row))
	}
	return append(ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": pg, "acls": NamedRefs("oldANPIngress", "oldANPEgress"),
		"external_ids": map[string]string{"name": policy + "_" + priority}}))
}
