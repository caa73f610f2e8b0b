package sandbox

import (
	"fmt"

	"rung/model/nb"
)

// MeterRate is how many lines a second and ACL are logged, OVN-Kubernetes'
// default (compile-spec §5.1).
const MeterRate = 20

// Addresses that service traffic to one's own pod comes from
// (compile-spec §4.1.5).
const hairpinMatch = "ip4.src == 169.254.169.5"

// seedOps are the first rows of a zone: what OVN-Kubernetes makes when a node
// starts. n is the zone's number.
func seedOps(zone string, n int, foreign bool) []nb.Op {
	insert := func(table, name string, row map[string]any) nb.Op {
		return nb.Op{Kind: nb.OpInsert, Table: table, UUIDName: name, Row: row}
	}
	ref := func(names ...string) []nb.Ref {
		refs := []nb.Ref{}
		for _, n := range names {
			refs = append(refs, nb.Ref{Name: n})
		}
		return refs
	}
	ops := []nb.Op{
		insert(nb.TableGlobal, "", map[string]any{"name": zone}),
		insert(nb.TableMeterBand, "band", map[string]any{"action": "drop", "rate": MeterRate, "burst_size": 0}),
		insert(nb.TableMeter, "", map[string]any{"name": nb.LoggingMeter, "unit": "pktps", "fair": true, "bands": ref("band")}),
	}
	node := map[string]any{"name": zone}
	if !foreign {
		return append(ops, insert(nb.TableSwitch, "", node))
	}
	mgmt := fmt.Sprintf("10.244.%d.2", n)
	node["ports"], node["acls"] = ref("mgmt", "router"), ref("netpolnode")
	acl := func(name, direction, match string, ids map[string]string) nb.Op {
		row := map[string]any{"priority": 1001, "tier": 2, "direction": direction, "action": nb.ActionAllowRelated,
			"match": match, "meter": nb.LoggingMeter, "external_ids": ids}
		if direction == nb.FromLport {
			row["options"] = map[string]string{nb.OptAfterLB: "true"}
		}
		return insert(nb.TableACL, name, row)
	}
	hairpin := func(direction string) map[string]string {
		return nb.IDs(nb.DefaultController, "NetpolDefault",
			nb.Pair{Key: nb.KeyName, Value: "allow-hairpinning"}, nb.Pair{Key: nb.KeyDirection, Value: direction})
	}
	group := func(name string, row map[string]any) nb.Op {
		ids := nb.IDs(nb.DefaultController, "Cluster", nb.Pair{Key: nb.KeyName, Value: name})
		row["name"], row["external_ids"] = nb.HashedName(ids[nb.KeyID]), ids
		return insert(nb.TablePortGroup, "", row)
	}
	return append(ops,
		insert(nb.TablePort, "mgmt", map[string]any{"name": "k8s-" + zone, "addresses": []string{macOf(mgmt, zone) + " " + mgmt}}),
		insert(nb.TablePort, "router", map[string]any{"name": "stor-" + zone, "type": "router", "addresses": []string{"router"},
			"options": map[string]string{"router-port": "rtos-" + zone}}),
		acl("netpolnode", nb.ToLport, "ip4.src=="+mgmt, nb.IDs(nb.DefaultController, "NetpolNode",
			nb.Pair{Key: nb.KeyName, Value: zone}, nb.Pair{Key: nb.KeyIP, Value: mgmt})),
		insert(nb.TableSwitch, "", node),
		acl("hairpinin", nb.ToLport, hairpinMatch, hairpin("Ingress")),
		acl("hairpinout", nb.FromLport, hairpinMatch, hairpin("Egress")),
		group("clusterPortGroup", map[string]any{"ports": ref("mgmt"), "acls": ref("hairpinin", "hairpinout")}),
		group("clusterRtrPortGroup", map[string]any{"ports": ref("router")}),
	)
}
