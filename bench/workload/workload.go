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
	Policies                int // AdminNetworkPolicies
	Rules                   int // per policy, half of them ingress
	Peers                   int // per rule
	NetworkPolicies         int
	// Seed draws labels, subjects and peers at random, so that all labels meet
	// all others. Without one they are dealt out in turn: there are only 40
	// label sets of pods then, and lists of addresses are few and long.
	Seed uint64
}

// Console is the size the console's times are measured at.
var Console = Size{Nodes: 3, Namespaces: 50, Pods: 1000, Policies: 50, Rules: 20, Peers: 2}

// Large is the size the cost of one pod event is measured at.
var Large = Size{Nodes: 3, Namespaces: 200, Pods: 10000, Policies: 50, Rules: 20, Peers: 2}

// W1 to W4 are the sizes the way from objects to rows is measured at. W1 to W3
// have one node, so that one database holds the ports of all pods.
var (
	W1 = Size{Nodes: 1, Namespaces: 50, Pods: 1000, Policies: 20, Rules: 20, Peers: 2, Seed: 1}
	W2 = Size{Nodes: 1, Namespaces: 200, Pods: 10000, Policies: 50, Rules: 40, Peers: 3, Seed: 2}
	W3 = Size{Nodes: 1, Namespaces: 200, Pods: 10000, Policies: 100, Rules: 100, Peers: 2, Seed: 3}
	W4 = Size{Nodes: 500, Namespaces: 200, Pods: 100000, Policies: 100, Rules: 100, Peers: 2, NetworkPolicies: 2000, Seed: 4}
)

// Named finds the sizes by name.
var Named = map[string]Size{"console": Console, "large": Large, "W1": W1, "W2": W2, "W3": W3, "W4": W4}

// Write writes the manifests of a cluster as YAML documents.
func Write(w io.Writer, s Size) error {
	p, d := &printer{w: w}, draw(s)
	p.nodes(s)
	for i := range s.Namespaces {
		p.doc("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ns%03d\n  labels:\n    kubernetes.io/metadata.name: ns%03d\n"+
			"    tenant: t%d\n    env: e%d\n", i, i, d.tenant[i], d.env[i])
	}
	for i := range s.Pods {
		ip := PodIP(i)
		p.doc("apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-%05d\n  namespace: ns%03d\n  labels:\n    app: a%d\n    tier: r%d\n"+
			"spec:\n  nodeName: node%d\n  containers:\n  - name: c\n    image: registry.example/c\n    ports:\n    - name: http\n      containerPort: 8080\n"+
			"status:\n  phase: Running\n  podIP: %s\n  podIPs:\n  - ip: %s\n", i, i%s.Namespaces, d.app[i], d.tier[i], i%s.Nodes, ip, ip)
	}
	p.policies(d)
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

func (p *printer) nodes(s Size) {
	for i := range s.Nodes {
		role := "worker"
		if i == 0 {
			role = "control-plane"
		}
		p.doc("apiVersion: v1\nkind: Node\nmetadata:\n  name: node%d\n  labels:\n    node-role.kubernetes.io/%s: \"\"\n"+
			"  annotations:\n    k8s.ovn.org/host-cidrs: '[\"172.18.%d.%d/16\"]'\n", i, role, i/250, i%250+2)
	}
}

func (p *printer) policies(d *drawn) {
	for i := range d.Policies {
		if d.Seed == 0 {
			p.policy(i, d.Size)
		} else {
			p.drawnPolicy(i, d)
		}
	}
	for i := range d.NetworkPolicies {
		p.networkPolicy(i, d)
	}
}

// policy is the nth policy of a cluster whose labels are dealt out in turn.
func (p *printer) policy(i int, s Size) {
	p.doc("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: policy-%02d\nspec:\n  priority: %d\n"+
		"  subject:\n    namespaces:\n      matchLabels:\n        tenant: t%d\n", i, i*2%100, i%10)
	for _, dir := range directions {
		p.print("  %s:\n", dir[0])
		for j := range s.Rules / 2 {
			p.print("  - name: rule-%d\n    action: %s\n    %s:\n", j, actions[(i+j)%4], dir[1])
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
			p.ports(j)
		}
	}
}

var (
	directions = [2][2]string{{"ingress", "from"}, {"egress", "to"}}
	actions    = [4]string{"Allow", "Pass", "Allow", "Deny"}
)

// ports gives every third rule a port.
func (p *printer) ports(rule int) {
	if rule%3 == 1 {
		p.print("    ports:\n    - portNumber:\n        protocol: TCP\n        port: %d\n", 8000+rule)
	}
}
