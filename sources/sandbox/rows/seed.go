package rows

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// MeterRate is how many lines a second and ACL are logged, OVN-Kubernetes'
// default (ovn-kubernetes.md#meter).
const MeterRate = 20

// Management is the addresses of a node's management port: those the node says,
// else the second address of the subnet that the nth node would have.
func Management(node *model.Node, n int) []string {
	if node != nil && len(node.MgmtIPs) > 0 {
		return node.MgmtIPs
	}
	return []string{fmt.Sprintf("10.244.%d.2", n)}
}

// ManagementAddress is the address column of the management port.
func ManagementAddress(zone string, ips []string) string {
	return strings.Join(append([]string{MAC(ips[0], zone)}, ips...), " ")
}

// Seed are the first rows of a zone: what OVN-Kubernetes makes when a node
// starts. mgmt are the addresses of the node's management port; foreign adds ACLs
// of others.
func Seed(zone string, mgmt []string, foreign bool) []nb.Op {
	ops := []nb.Op{
		Insert(nb.TableGlobal, "", map[string]any{"name": zone}),
		Insert(nb.TableMeterBand, "band", map[string]any{"action": "drop", "rate": MeterRate, "burst_size": 0}),
		Insert(nb.TableMeter, "", map[string]any{"name": nb.LoggingMeter, "unit": "pktps", "fair": true,
			"bands": Named("band")}),
		Insert(nb.TablePort, "mgmt", map[string]any{"name": nb.ManagementPort(zone),
			"addresses": []string{ManagementAddress(zone, mgmt)}}),
		Insert(nb.TablePort, "router", map[string]any{"name": nb.RouterPort(zone), "type": "router",
			"addresses": []string{"router"},
			"options":   map[string]string{"router-port": "rtos-" + zone}}),
	}
	if foreign {
		ops = append(append(ops, udnIsolation(mgmt)...), enhancementOf2023()...)
	}
	group := func(name, port string) nb.Op {
		ids := nb.IDs(nb.DefaultController, nb.OwnerCluster, nb.Pair{Key: nb.KeyName, Value: name})
		return Insert(nb.TablePortGroup, "", map[string]any{"name": nb.HashedName(ids[nb.KeyID]), "external_ids": ids,
			"ports": Named(port)})
	}
	return append(ops,
		Insert(nb.TableSwitch, "", map[string]any{"name": zone, "ports": Named("mgmt", "router")}),
		group(nb.GroupCluster, "mgmt"),
		group(nb.GroupClusterRtr, "router"),
	)
}

func Insert(table, name string, row map[string]any) nb.Op {
	return nb.Op{Kind: nb.OpInsert, Table: table, UUIDName: name, Row: row}
}

// named refers to rows that the same transaction inserts.
func Named(names ...string) []nb.Ref {
	refs := make([]nb.Ref, len(names))
	for i, n := range names {
		refs[i].Name = n
	}
	return refs
}
