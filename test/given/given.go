package given

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rung/model"
	"rung/sources/manifests"
)

// someCluster has two system namespaces and four tenants, each with two pods.
const someCluster = `
apiVersion: v1
kind: Node
metadata: {name: worker, labels: {node-role: worker}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.2/16"]'}}
---
apiVersion: v1
kind: Node
metadata: {name: control, labels: {node-role: control}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.3/16"]'}}
`

func Objects() string {
	var b strings.Builder
	b.WriteString(someCluster)
	ip := 2
	ns := func(name, labels string, pods ...string) {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}}\n", name, labels)
		for i, p := range pods {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s-%d, namespace: %s, labels: {app: %s}}\n"+
				"spec: {nodeName: %s, containers: [{name: c, ports: [{name: http, containerPort: 8080, protocol: TCP}]}]}\n"+
				"status: {phase: Running, podIPs: [{ip: 10.244.0.%d}]}\n", p, i, name, p, []string{"worker", "control"}[i%2], ip)
			ip++
		}
	}
	ns("kube-system", "", "dns")
	ns("kube-public", "")
	ns("monitoring", "team: ops", "prom")
	for _, tenant := range []string{"blue", "green", "red"} {
		ns(tenant, "tenant: "+tenant, "web", "db")
	}
	return b.String()
}

func ANPKey(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// Cluster is the cluster of someObjects with policies, of which none may be
// broken.
func Cluster(t testing.TB, policies ...string) *model.Cluster {
	t.Helper()
	text := Objects()
	for _, p := range policies {
		text += "---\n" + strings.TrimSpace(p) + "\n"
	}
	res := manifests.Parse("cluster.yaml", []byte(text), manifests.Options{})
	for _, b := range res.Broken {
		t.Fatalf("the cluster of the test: %s", b)
	}
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	return c
}

// ANP writes an AdminNetworkPolicy; rules are "in allow tenant=blue tcp/80",
// "out deny 0.0.0.0/0", subjects "" or "tenant=blue" or "name=kube-system".
func ANP(name string, priority int, subject string, rules ...string) string {
	head := fmt.Sprintf("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: %s\nspec:\n  priority: %d\n", name, priority)
	return head + policySpec(subject, rules)
}

func BANP(subject string, rules ...string) string {
	return "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata:\n  name: default\nspec:\n" +
		policySpec(subject, rules)
}

func policySpec(subject string, rules []string) string {
	var b, in, out strings.Builder
	fmt.Fprintf(&b, "  subject:\n    namespaces: %s\n", labelSelector(subject))
	for _, r := range rules {
		f := strings.Fields(r)
		w, side := &in, "from"
		if f[0] == "out" {
			w, side = &out, "to"
		}
		fmt.Fprintf(w, "  - action: %s\n", strings.ToUpper(f[1][:1])+f[1][1:])
		peer := f[2]
		switch {
		case strings.Contains(peer, "/"):
			fmt.Fprintf(w, "    %s: [{networks: ['%s']}]\n", side, strings.ReplaceAll(peer, ",", "','"))
		case strings.HasPrefix(peer, "node-role"):
			fmt.Fprintf(w, "    %s: [{nodes: %s}]\n", side, labelSelector(peer))
		default:
			fmt.Fprintf(w, "    %s: [{namespaces: %s}]\n", side, labelSelector(strings.TrimPrefix(peer, "*")))
		}
		if len(f) > 3 {
			proto, port, _ := strings.Cut(f[3], ":")
			fmt.Fprintf(w, "    ports: [{portNumber: {protocol: %s, port: %s}}]\n", strings.ToUpper(proto), port)
		}
	}
	if in.Len() > 0 {
		b.WriteString("  ingress:\n" + in.String())
	}
	if out.Len() > 0 {
		b.WriteString("  egress:\n" + out.String())
	}
	return b.String()
}

func labelSelector(s string) string {
	if s == "" {
		return "{}"
	}
	k, v, _ := strings.Cut(s, "=")
	if k == "name" {
		k = "kubernetes.io/metadata.name"
	}
	return fmt.Sprintf("{matchLabels: {%s: %s}}", k, v)
}

// Services are the Services that pods need: a DNS Service with a pod behind it, and an API server at APIAddr.
const Services = `
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {selector: {app: dns}, ports: [{name: dns, protocol: UDP, port: 53, targetPort: 5353}]}
---
apiVersion: v1
kind: Service
metadata: {name: kubernetes, namespace: default}
spec: {ports: [{name: https, protocol: TCP, port: 443, targetPort: 6443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
ports: [{name: https, protocol: TCP, port: 6443}]
endpoints: [{addresses: [172.18.0.3]}]
`

// APIAddr is the address of the API server of Services.
var APIAddr = netip.MustParseAddr("172.18.0.3")

// NP writes a NetworkPolicy; spec is its spec in flow style.
func NP(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: %s, namespace: %s}\nspec: %s\n", name, namespace, spec)
}

// EF writes an EgressFirewall; rules are in flow style.
func EF(namespace string, rules ...string) string {
	return fmt.Sprintf("apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: default, namespace: %s}\nspec: {egress: [%s]}\n",
		namespace, strings.Join(rules, ", "))
}

func NPKey(namespace, name string) model.PolicyKey {
	return model.PolicyKey{Kind: model.KindNP, Namespace: namespace, Name: name}
}
