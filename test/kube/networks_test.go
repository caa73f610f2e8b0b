package kube_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/kube/cluster"
)

const networkObjects = `apiVersion: v1
kind: Namespace
metadata: {name: team-a, labels: {k8s.ovn.org/primary-user-defined-network: ""}}
---
apiVersion: v1
kind: Namespace
metadata: {name: app-1}
---
apiVersion: v1
kind: Node
metadata: {name: n1, annotations: {k8s.ovn.org/node-subnets: '{"default":["10.244.1.0/24"],"team-a_blue-net":["10.20.1.0/24"]}'}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: blue-net, namespace: team-a}
spec: {topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 24}]}}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: l2net, namespace: app-1}
spec: {config: '{"type":"ovn-k8s-cni-overlay","name":"l2net","netAttachDefName":"app-1/l2net","topology":"layer2","subnets":"10.50.0.0/16"}'}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: odd, namespace: app-1}
spec: {config: '{"type":'}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: team-a}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: k8s.cni.cncf.io/v1beta1
kind: MultiNetworkPolicy
metadata: {name: web, namespace: app-1, annotations: {k8s.v1.cni.cncf.io/policy-for: l2net}}
spec: {podSelector: {}, policyTypes: [Ingress]}
`

// TestNetworks: of a cluster with networks the commands say what they say of its manifests.
func TestNetworks(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	must(t, c.Apply(t.Context(), networkObjects))
	text, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", everything+",userdefinednetworks,clusteruserdefinednetworks,network-attachment-definitions,multi-networkpolicies", "-A", "-o", "yaml")
	must(t, err)
	dump := filepath.Join(t.TempDir(), "cluster.yaml")
	must(t, os.WriteFile(dump, []byte(text), 0o600))
	for _, x := range []struct{ command, has string }{{"lint", "is not a JSON configuration"}, {"compile", "team-a"}, {"ladder", ""}} {
		want := rung(t, "", x.command, "-o", "json", "-f", dump)
		got := rung(t, "", on(c, cluster.Viewer, x.command, "-o", "json")...)
		if got.code != want.code || !strings.Contains(got.out, x.has) {
			t.Fatalf("%s: ended with %d on the cluster and with %d on manifests\n%s\n%s", x.command, got.code, want.code, got.err, got.out)
		}
		if diff := cmp.Diff(ofCluster(t, want.out), ofCluster(t, got.out)); diff != "" {
			t.Errorf("%s (-manifests +cluster)\n%s", x.command, diff)
		}
	}
}
