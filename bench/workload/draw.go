package workload

import "math/rand/v2"

// The labels' values.
const (
	tenants = 10
	envs    = 3
	apps    = 40
	tiers   = 4
)

// drawn is a size with the labels of its namespaces and pods, and the source the
// policies are drawn from.
type drawn struct {
	Size
	tenant, env []int // by namespace
	app, tier   []int // by pod
	r           *rand.Rand
}

func draw(s Size) *drawn {
	d := &drawn{Size: s, r: rand.New(rand.NewPCG(s.Seed, 0))}
	deal := func(n, values int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i % values
			if s.Seed != 0 {
				out[i] = d.r.IntN(values)
			}
		}
		return out
	}
	d.tenant, d.env = deal(s.Namespaces, tenants), deal(s.Namespaces, envs)
	d.app, d.tier = deal(s.Pods, apps), deal(s.Pods, tiers)
	// Of its own, so that the policies are the same without the pods.
	d.r = rand.New(rand.NewPCG(s.Seed, 1))
	return d
}

// drawnPolicy is the nth policy of a cluster that is drawn at random.
func (p *printer) drawnPolicy(i int, d *drawn) {
	p.doc("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: policy-%02d\nspec:\n  priority: %d\n"+
		"  subject:\n    namespaces:\n      matchLabels:\n        tenant: t%d\n", i, i%100, d.r.IntN(tenants))
	for _, dir := range directions {
		p.print("  %s:\n", dir[0])
		for j := range d.Rules / 2 {
			p.print("  - name: rule-%d\n    action: %s\n    %s:\n", j, actions[d.r.IntN(len(actions))], dir[1])
			for range d.Peers {
				p.drawnPeer(d, dir[0] == "egress")
			}
			p.ports(j)
		}
	}
}

// drawnPeer is one peer. The shares are such that three of them select about 408
// of 10,000 pods: a tenth for a tenant, a third of that with an env, and 1 of 120
// for an app in an env.
func (p *printer) drawnPeer(d *drawn, egress bool) {
	const namespaces = "    - namespaces:\n        matchLabels:\n"
	const pods = "    - pods:\n        namespaceSelector:\n          matchLabels:\n            %s\n        podSelector:\n          matchLabels:\n            app: a%d\n"
	switch n := d.r.IntN(100); {
	case egress && n < 4:
		p.print("    - networks: [192.168.%d.0/24]\n", d.r.IntN(250))
	case egress && n < 6:
		p.print("    - nodes:\n        matchLabels:\n          node-role.kubernetes.io/worker: \"\"\n")
	case n < 8:
		p.print(namespaces+"          tenant: t%d\n", d.r.IntN(tenants))
	case n < 19:
		p.print(namespaces+"          tenant: t%d\n          env: e%d\n", d.r.IntN(tenants), d.r.IntN(envs))
	case n < 70:
		p.print(pods, "env: e"+digit(d.r.IntN(envs)), d.r.IntN(apps))
	case n < 85:
		p.print(pods, "tenant: t"+digit(d.r.IntN(tenants)), d.r.IntN(apps))
	default:
		p.print(pods+"            tier: r%d\n", "env: e"+digit(d.r.IntN(envs)), d.r.IntN(apps), d.r.IntN(tiers))
	}
}

func digit(n int) string { return string(rune('0' + n)) }

// networkPolicy is the nth NetworkPolicy: a server that its neighbours, pods of
// another tenant and an outside network may reach, and that may reach its own.
func (p *printer) networkPolicy(i int, d *drawn) {
	p.doc("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: np-%04d\n  namespace: ns%03d\nspec:\n"+
		"  podSelector:\n    matchLabels:\n      app: a%d\n  policyTypes: [Ingress, Egress]\n", i, i%d.Namespaces, d.r.IntN(apps))
	p.print("  ingress:\n  - from:\n    - podSelector:\n        matchLabels:\n          tier: r%d\n"+
		"    - namespaceSelector:\n        matchLabels:\n          tenant: t%d\n      podSelector:\n        matchLabels:\n          app: a%d\n"+
		"    ports:\n    - protocol: TCP\n      port: %d\n", d.r.IntN(tiers), d.r.IntN(tenants), d.r.IntN(apps), 8000+i%100)
	p.print("  - from:\n    - ipBlock:\n        cidr: 192.168.%d.0/24\n        except: [192.168.%d.128/25]\n", i%250, i%250)
	p.print("  egress:\n  - to:\n    - podSelector: {}\n")
}
