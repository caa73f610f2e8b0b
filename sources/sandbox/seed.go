package sandbox

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/nb"
)

// MeterRate is how many lines a second and ACL are logged, OVN-Kubernetes'
// default (ovn-kubernetes.md#meter).
const MeterRate = 20

// management is the addresses of a node's management port: those the node says,
// else the second address of the subnet that the nth node would have.
func management(node *model.Node, n int) []string {
	if node != nil && len(node.MgmtIPs) > 0 {
		return node.MgmtIPs
	}
	return []string{fmt.Sprintf("10.244.%d.2", n)}
}

// managementPort and routerPort name the ports of a node's switch that lead to
// the node and to the cluster's router.
func managementPort(zone string) string { return "k8s-" + zone }
func routerPort(zone string) string     { return "stor-" + zone }

// managementAddress is the address column of the management port.
func managementAddress(zone string, ips []string) string {
	return strings.Join(append([]string{macOf(ips[0], zone)}, ips...), " ")
}

// seedOps are the first rows of a zone: what OVN-Kubernetes makes when a node
// starts. mgmt are the addresses of the node's management port; foreign adds ACLs
// of others.
func seedOps(zone string, mgmt []string, foreign bool) []nb.Op {
	ops := []nb.Op{
		insert(nb.TableGlobal, "", map[string]any{"name": zone}),
		insert(nb.TableMeterBand, "band", map[string]any{"action": "drop", "rate": MeterRate, "burst_size": 0}),
		insert(nb.TableMeter, "", map[string]any{"name": nb.LoggingMeter, "unit": "pktps", "fair": true,
			"bands": named("band")}),
		insert(nb.TablePort, "mgmt", map[string]any{"name": managementPort(zone),
			"addresses": []string{managementAddress(zone, mgmt)}}),
		insert(nb.TablePort, "router", map[string]any{"name": routerPort(zone), "type": "router",
			"addresses": []string{"router"},
			"options":   map[string]string{"router-port": "rtos-" + zone}}),
	}
	if foreign {
		ops = append(append(ops, udnIsolation(mgmt)...), enhancementOf2023()...)
	}
	group := func(name, port string) nb.Op {
		ids := nb.IDs(nb.DefaultController, nb.OwnerCluster, nb.Pair{Key: nb.KeyName, Value: name})
		return insert(nb.TablePortGroup, "", map[string]any{"name": nb.HashedName(ids[nb.KeyID]), "external_ids": ids,
			"ports": named(port)})
	}
	return append(ops,
		insert(nb.TableSwitch, "", map[string]any{"name": zone, "ports": named("mgmt", "router")}),
		group(nb.GroupCluster, "mgmt"),
		group(nb.GroupClusterRtr, "router"),
	)
}

func insert(table, name string, row map[string]any) nb.Op {
	return nb.Op{Kind: nb.OpInsert, Table: table, UUIDName: name, Row: row}
}

// named refers to rows that the same transaction inserts.
func named(names ...string) []nb.Ref {
	refs := make([]nb.Ref, len(names))
	for i, n := range names {
		refs[i].Name = n
	}
	return refs
}
