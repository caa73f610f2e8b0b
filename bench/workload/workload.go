package workload

import (
	"fmt"
	"io"
)

// Size says how large a cluster is. Namespaces carry a tenant (10 values) and
// an env (3), pods an app (40) and a tier (4); subjects select one tenant; peers
// mix namespace and namespace-and-pod selectors, networks and nodes.
type Size struct {
	Nodes, Namespaces, Pods int
	Policies                int
	Rules                   int // per policy, half of them ingress
	Peers                   int // per rule
}

// Console is the size the console's times are measured at.
var Console = Size{Nodes: 3, Namespaces: 50, Pods: 1000, Policies: 50, Rules: 20, Peers: 2}

// Large is the size the cost of one pod event is measured at.
var Large = Size{Nodes: 3, Namespaces: 200, Pods: 10000, Policies: 50, Rules: 20, Peers: 2}

// Write writes the manifests of a cluster as YAML documents.
func Write(w io.Writer, s Size) error {
	p := &printer{w: w}
	for i := range s.Nodes {
		role := "worker"
		if i == 0 {
			role = "control-plane"
		}
		p.doc("apiVersion: v1\nkind: Node\nmetadata:\n  name: node%d\n  labels:\n    node-role.kubernetes.io/%s: \"\"\n"+
			"  annotations:\n    k8s.ovn.org/host-cidrs: '[\"172.18.%d.%d/16\"]'\n", i, role, i/250, i%250+2)
	}
	for i := range s.Namespaces {
		p.doc("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ns%03d\n  labels:\n    kubernetes.io/metadata.name: ns%03d\n"+
			"    tenant: t%d\n    env: e%d\n", i, i, i%10, i%3)
	}
	for i := range s.Pods {
		ip := PodIP(i)
		p.doc("apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-%05d\n  namespace: ns%03d\n  labels:\n    app: a%d\n    tier: r%d\n"+
			"spec:\n  nodeName: node%d\n  containers:\n  - name: c\n    image: registry.example/c\n    ports:\n    - name: http\n      containerPort: 8080\n"+
			"status:\n  phase: Running\n  podIP: %s\n  podIPs:\n  - ip: %s\n", i, i%s.Namespaces, i%40, i%4, i%s.Nodes, ip, ip)
	}
	for i := range s.Policies {
		p.policy(i, s)
	}
	return p.err
}

// PodIP is the address of the nth pod.
func PodIP(n int) string { return fmt.Sprintf("10.%d.%d.%d", 16+n>>16, n>>8&255, n&255) }

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) doc(format string, args ...any) { p.print("---\n"+format, args...) }

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) policy(i int, s Size) {
	p.doc("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: policy-%02d\nspec:\n  priority: %d\n"+
		"  subject:\n    namespaces:\n      matchLabels:\n        tenant: t%d\n", i, i*2%100, i%10)
	for _, dir := range [2][2]string{{"ingress", "from"}, {"egress", "to"}} {
		p.print("  %s:\n", dir[0])
		for j := range s.Rules / 2 {
			action := []string{"Allow", "Pass", "Allow", "Deny"}[(i+j)%4]
			p.print("  - name: rule-%d\n    action: %s\n    %s:\n", j, action, dir[1])
			for k := range s.Peers {
				n := i*31 + j*7 + k*3
				switch {
				case dir[0] == "egress" && n%11 == 0:
					p.print("    - networks: [192.168.%d.0/24]\n", n%250)
				case dir[0] == "egress" && n%13 == 0:
					p.print("    - nodes:\n        matchLabels:\n          node-role.kubernetes.io/worker: \"\"\n")
				case n%2 == 0:
					p.print("    - namespaces:\n        matchLabels:\n          tenant: t%d\n", n%10)
				default:
					p.print("    - pods:\n        namespaceSelector:\n          matchLabels:\n            env: e%d\n        podSelector:\n          matchLabels:\n            app: a%d\n", n%3, n%40)
				}
			}
			if j%3 == 1 {
				p.print("    ports:\n    - portNumber:\n        protocol: TCP\n        port: %d\n", 8000+j)
			}
		}
	}
}
