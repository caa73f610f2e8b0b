//go:build linux

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/ovsdb"
)

const tier2 = `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: blue}
spec:
  podSelector: {matchLabels: {app: app0}}
  policyTypes: [Ingress, Egress]
  ingress:
  - from: [{podSelector: {matchLabels: {app: app1}}}, {namespaceSelector: {matchLabels: {team: green}}}]
    ports: [{port: 8080}, {port: 53, protocol: UDP}]
  egress:
  - to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: red}
spec: {podSelector: {}}
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: green}
spec:
  egress:
  - {type: Allow, to: {nodeSelector: {}}}
  - {type: Allow, to: {dnsName: www.example.com}, ports: [{protocol: TCP, port: 443}]}
  - {type: Deny, to: {cidrSelector: 0.0.0.0/0}}
`

// familyCluster is a cluster with every family of tier 2.
func familyCluster(t *testing.T, policies ...string) *cluster {
	c := newCluster(t, policies...)
	var b strings.Builder
	for i, n := range zoneNames {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  annotations:\n    k8s.ovn.org/host-cidrs: '[\"172.18.0.%d/16\"]'\n"+
			"    k8s.ovn.org/node-subnets: '{\"default\":[\"10.244.%d.0/24\"]}'\n", n, i+2, 10+i)
	}
	c.write("nodes.yaml", b.String())
	c.write("multicast.yaml", "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: music, annotations: {k8s.ovn.org/multicast-enabled: \"true\"}}\n")
	return c
}

// settledAll waits until every unit of every zone has its rows.
func (r *run) settledAll() *revision.Revision {
	r.t.Helper()
	r.until("all units have their rows", func(rev *revision.Revision) bool {
		for _, z := range rev.Zones {
			for _, k := range rev.Units() {
				if in := z.PolicyJoin(k); in != nil && in.None == nil && !in.InSync || in == nil && k.Kind != model.KindNetpolNode {
					return false
				}
			}
		}
		return true
	})
	return r.settle()
}

// The rows of tier 2 in every zone are what is compiled; when their policies go,
// the last row goes with them, and what they hung on stays.
func TestFamiliesInZones(t *testing.T) {
	c := familyCluster(t, anp("one", 34, "team=blue", "in Deny team=red"), tier2)
	r := c.start()
	rev := r.settledAll()
	for _, z := range zoneNames {
		db := ovsdb.Dump(t, c.address(z))
		asCompiled(t, rev.Cluster, z, db)
		kinds := map[string]int{}
		for _, row := range db[nb.TableACL] {
			kinds[row.IDs()[nb.KeyOwnerType]]++
		}
		for kind, n := range map[string]int{nb.OwnerNetworkPolicy: 3, nb.OwnerNetpolNamespace: 8, nb.OwnerNetpolDefault: 2, nb.OwnerNetpolNode: 1,
			nb.OwnerEgressFirewall: 3, nb.OwnerMulticastNS: 2, nb.OwnerMulticastCluster: 4, nb.OwnerUDNIsolation: 5} {
			if kinds[kind] != n {
				t.Errorf("zone %s: %d ACLs of %s, want %d", z, kinds[kind], kind, n)
			}
		}
	}
	c.write("policies.yaml", anp("one", 34, "team=blue", "in Deny team=red"))
	c.write("multicast.yaml", "")
	r.until("the units are gone", func(rev *revision.Revision) bool { return len(rev.Units()) == 1 })
	rev = r.settledAll()
	for _, z := range zoneNames {
		db := ovsdb.Dump(t, c.address(z))
		asCompiled(t, rev.Cluster, z, db)
		for table, rows := range db {
			for _, row := range rows {
				if p := row.Policy(); p != "" && p != "one" {
					t.Errorf("zone %s: %s %s is left", z, table, row.ID())
				}
			}
		}
	}
}
