package verdicts

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/test/made"
)

// overlapping are networks that hold, begin with, end with and lie beside what is special in
// the worlds: pods, nodes, their own ways to their pods, and Services.
var overlapping = []string{"0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "8.8.8.8/32", "8.8.8.0/29", "10.0.0.0/8", "10.1.0.0/28", "10.1.0.0/29", "10.1.0.4/30",
	"10.96.0.0/12", "10.96.0.1/32", "10.96.0.0/30", "10.244.0.0/16", "10.244.0.0/24", "10.244.0.0/31", "10.244.0.1/32", "10.244.0.2/32", "10.244.0.2/31", "10.244.1.0/24",
	"10.244.1.1/32", "10.244.1.2/32", "10.244.2.0/23", "100.64.0.0/16", "100.64.0.2/31", "172.18.0.0/16", "172.18.0.0/30", "172.18.0.2/32", "172.18.0.2/31", "192.168.7.0/24",
	"::/0", "fd00::/125", "fd00::/8", "fd01::/16", "fd01:0:0::/64", "fd01::1/128", "fd01::2/127", "fd02::1/128", "2001:db8::/32", "2001:db8::/126"}

// boundaries are the first and the last address of all networks, those before and after, and
// the addresses of nodes with theirs.
func boundaries(c *model.Cluster, networks []string) (out []netip.Addr) {
	add := func(p netip.Prefix) {
		p = p.Masked()
		b := p.Addr().AsSlice()
		for i := p.Bits(); i < len(b)*8; i++ {
			b[i/8] |= 0x80 >> (i % 8)
		}
		last, _ := netip.AddrFromSlice(b)
		for _, a := range []netip.Addr{p.Addr().Prev(), p.Addr(), last, last.Next()} {
			if a.IsValid() && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	for _, n := range networks {
		add(netip.MustParsePrefix(n))
	}
	for n := range c.Nodes() {
		for _, a := range verdict.ParseAddrs(slices.Concat(n.HostIPs, n.InternalIPs, n.GatewayIPs, n.MgmtIPs, verdict.Antrea.SourceAddrs(n))) {
			add(netip.PrefixFrom(a, a.BitLen()))
		}
	}
	services := map[netip.Addr]bool{}
	for s := range c.Services() {
		for _, a := range verdict.ParseAddrs(s.ClusterIPs) {
			services[a] = true
		}
	}
	return slices.DeleteFunc(out, func(a netip.Addr) bool {
		pod := false
		for p := range c.Pods() {
			pod = pod || slices.Contains(verdict.ParseAddrs(p.IPs), a) && !p.HostNetwork
		}
		return pod || services[a] || a.IsMulticast() || a.IsUnspecified() || a.String() == match.Hairpin4 || a.String() == match.Hairpin6
	})
}

// fronts draws Services by all kinds of addresses: those that the networks are about, nodes'
// among them, and NodePorts. Some have no endpoints.
func (w *world) fronts() (out []model.Object) {
	addr := func() string {
		return w.pick("8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.7", "8.8.8.0", "10.1.0.6", "10.1.0.15", "192.168.7.0", "192.168.7.255", "172.18.0.2", "172.18.0.1", "10.244.1.1", "100.64.0.3",
			"9.9.9.9", "2001:db8::", "2001:db8::3", "fd01::2", "fd00::7")
	}
	for i := range 2 + w.r.IntN(3) {
		s := service(fmt.Sprintf("%s/front%d", w.pick("a", "b"), i), w.pick("app=x", "app=x", "app=y", "app=y", "app=none"), "LoadBalancer", fmt.Sprintf("10.96.0.%d", 8+i))
		s.ClusterIPs = append(s.ClusterIPs, fmt.Sprintf("fd02::%d", 8+i))
		if w.odds(2) {
			s.ExternalIPs = []string{addr(), addr()}
		}
		if w.odds(2) {
			s.LoadBalancerIPs = []string{addr()}
		}
		s.Ports = append(s.Ports, model.ServicePort{Protocol: "UDP", Port: 53, TargetPort: "0"})
		s.Ports = s.Ports[w.r.IntN(len(s.Ports)):]
		for i := range s.Ports {
			if !w.odds(3) {
				s.Ports[i].NodePort = []int32{81, 53}[w.r.IntN(2)]
			}
		}
		out = append(out, s)
	}
	return out
}

// askOutside is the verdict of a connection with an address outside, as far as it is one: at the
// ports of a Service it is one to the Service's endpoints, but that a sender's rules meet the
// address of another node by whose NodePort it goes. Of that they are asked without Services.
func askOutside(t *testing.T, x, bare *verdict.Index, from, to verdict.Endpoint, p verdict.Ports) (v verdict.Verdict, front bool) {
	t.Helper()
	a, err := verdict.FromPolicies(x, verdict.Connection{From: from, To: to, Protocol: p.Protocol, Port: p.Port})
	switch {
	case err != nil:
		t.Fatal(err)
	case a.Front == nil:
		return a.Verdict, false
	case len(a.Paths) == 0 || !slices.ContainsFunc(a.Paths, func(p verdict.Path) bool { return p.Via != "" }):
		return verdict.NotApplicable, true
	}
	v = single(t, bare, from, to, p)
	if v == verdict.Deny && a.Verdict != verdict.Deny {
		t.Errorf("%s → %s %v is %s, and the sender's rules deny it", from, to, p, a.Verdict)
	}
	return v, true
}

// withoutServices is an index of the same policies.
func withoutServices(x *verdict.Index) *verdict.Index {
	c := x.Cluster()
	var gone []model.Key
	for s := range c.Services() {
		gone = append(gone, s.Key)
	}
	c, _ = c.Upsert(nil, gone)
	return verdict.NewIndex(verdict.View{Cluster: c, Options: x.Options()})
}

// outsideChange draws a cluster with few pods and many networks, and a change of its policies.
func outsideChange(tb testing.TB, seed uint64) (before, after *verdict.Index) {
	tb.Helper()
	few := func(c *model.Cluster, w *world) *model.Cluster {
		var gone []model.Key
		var kept []model.Object
		one := w.odds(2)
		for p := range c.Pods() {
			switch {
			case len(kept) == 3 || !p.CanBePeer():
				gone = append(gone, p.Key)
			case one:
				q := *p
				q.NodeName = worldNodes[0]
				kept = append(kept, &q)
			default:
				kept = append(kept, p)
			}
		}
		if one {
			for _, n := range worldNodes[1:] {
				gone = append(gone, model.Key{Kind: model.KindNode, Name: n})
			}
		}
		c, _ = c.Upsert(kept, gone)
		return c
	}
	if seed%2 == 0 {
		w := newWorld(seed + 880_000)
		w.networks = overlapping
		c, o := w.cluster()
		c = few(c, w)
		svc := service("a/clusterip", "app=x", "ClusterIP", "10.96.0.1", "fd02::1")
		c, _ = c.Upsert(append(w.fronts(), svc), nil)
		o.Defaults, o.Multicast = compiler.On, compiler.Off
		next := c
		for p := range c.AllPolicies() {
			if w.odds(2) {
				next, _ = next.Upsert(nil, []model.Key{p.Key})
			}
		}
		next, _ = next.Upsert([]model.Object{w.admin("new"), w.netpol("new"), w.firewall("b")}, nil)
		before, _ = indexOf(tb, c, o)
		after, _ = indexOf(tb, next, o)
		return before, after
	}
	w := newAntreaWorld(seed + 880_000)
	w.networks = overlapping
	c := few(w.cluster(), w.world)
	var nodes []model.Object
	for n := range c.Nodes() {
		q, i := *n, slices.Index(worldNodes, n.Name)
		q.PodCIDRs = []string{fmt.Sprintf("10.244.%d.0/24", i), fmt.Sprintf("fd01:%d::/64", i)}
		nodes = append(nodes, &q)
	}
	c, _ = c.Upsert(append(w.fronts(), nodes...), nil)
	return onAntrea(tb, c), onAntrea(tb, w.antreaChange(c))
}

// TestOutsideIsEveryAddress: what a change does to addresses outside is what it does to the
// first, the last, and those beside every network and node, asked one by one.
func TestOutsideIsEveryAddress(t *testing.T) {
	ports := []verdict.Ports{{Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.UDP, Port: 53}, {Protocol: verdict.ICMP}}
	asked, flipped, own, fronts, through := 0, 0, 0, 0, 0
	for seed := range uint64(draws(24, 1000)) {
		before, after := outsideChange(t, seed)
		d, err := diff.DiffIndexes(context.Background(), before, after, diff.DiffQuestions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Flips {
			checkGroup(t, int(seed), before, after, d.Flips[i])
		}
		exact := flipsByClass(before, after, ports)
		bare := [2]*verdict.Index{withoutServices(before), withoutServices(after)}
		blocks := verdict.NewComparison(before, after, nil).After.Outside
		for _, a := range boundaries(after.Cluster(), overlapping) {
			for _, p := range ports {
				for _, arrives := range []bool{false, true} {
					want, inWide := map[[2]verdict.Verdict]bool{}, false
					for e := range after.Ends {
						if verdict.AddrFamily(after.Ends[e].Addr) != verdict.AddrFamily(a) {
							continue
						}
						from, to := after.Endpoint(int32(e)), verdict.AddrEnd(a)
						if arrives {
							from, to = to, from
						}
						v, _ := askOutside(t, before, bare[0], from, to, p)
						u, front := askOutside(t, after, bare[1], from, to, p)
						if front {
							// In a block that has others than Services it is, at these ports, not meant.
							if i := blocks.BlockAround(a); !blocks.Blocks[i].Network.IsSingleIP() {
								inWide = true
								continue
							}
							fronts++
							if v != u {
								through++
							}
						}
						asked++
						if v != u {
							flipped++
							want[[2]verdict.Verdict{v, u}] = true
						}
						if after.IsOwnNode(a, after.NodeOfEnd(int32(e))) {
							own++
						}
						if got := exact(from, to, p); got != [2]verdict.Verdict{v, u} && (v != u || got != [2]verdict.Verdict{}) {
							t.Errorf("seed %d: %s → %s %v: %s → %s, said %v", seed, from, to, p, v, u, got)
						}
					}
					got := map[[2]verdict.Verdict]bool{}
					for i := range d.Flips {
						g := &d.Flips[i]
						ends := &g.To
						if arrives {
							ends = &g.From
						}
						if ends.HasOutside(a) && has(g, p) {
							got[[2]verdict.Verdict{g.Before, g.After}] = true
						}
					}
					if !inWide && fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("seed %d: %s (arrives %v) %v: %v, listed %v", seed, a, arrives, p, want, got)
					}
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d connections, %d flip, %d of pods' own nodes, %d at a Service's ports, of which %d flip on the way to another node", asked, flipped, own, fronts, through)
	if flipped < 2000 || own < 100 || fronts < draws(50, 2000) || through < draws(1, 100) {
		t.Error("too few to prove anything")
	}
}

func has(g *diff.FlipGroup, p verdict.Ports) bool {
	return slices.ContainsFunc(g.Ports, func(r verdict.PortRange) bool { return r.Protocol == p.Protocol && r.Lo <= p.Port && p.Port <= r.Hi })
}

// flipsByClass are the flips between two ends as the classes have them, none for what stays.
func flipsByClass(before, after *verdict.Index, ports []verdict.Ports) func(from, to verdict.Endpoint, p verdict.Ports) [2]verdict.Verdict {
	type key struct {
		from, to string
		p        verdict.Ports
		nodes    verdict.NodePairing // of a class outside to which the node matters
	}
	said := map[key][2]verdict.Verdict{}
	var by *verdict.Classes
	Changes(before, after, func(c Change) {
		by = c.classes
		c.each(func(from, to string) {
			for _, p := range ports {
				for _, f := range c.Flips {
					if f.Protocol == p.Protocol && f.Lo <= p.Port && p.Port <= f.Hi {
						k := key{from, to, p, verdict.AnyNodes}
						if c.classes.List[c.to].Outside {
							k.nodes = c.Nodes
						}
						said[k] = [2]verdict.Verdict{f.Before, f.After}
					}
				}
			}
		})
	})
	return func(from, to verdict.Endpoint, p verdict.Ports) [2]verdict.Verdict {
		if by == nil {
			return [2]verdict.Verdict{}
		}
		k := key{p: p}
		k.from, k.to = names(by, from, to)
		if to.Key.Name == "" {
			if i := by.Outside.BlockAround(to.Addr); by.OwnNodeMatters(by.Outside.Blocks[i].Class) {
				k.nodes = verdict.TwoNodes
				if by.Outside.Blocks[i].Host == by.Index.Cluster().Pod(from.Key.Namespace, from.Key.Name).NodeName {
					k.nodes = verdict.OneNode
				}
			}
		}
		return said[k]
	}
}

// TestOutsideIsListed: every network and node that a change is about is named and counted,
// whatever is special in it.
func TestOutsideIsListed(t *testing.T) {
	pod := func() *model.Pod {
		p := made.Pod("a/p", "app=x", "10.7.0.5")
		p.NodeName = "n1"
		return p
	}
	node := func(name, ip string, mgmt ...string) *model.Node {
		n := made.Node(name, "", ip)
		n.InternalIPs, n.MgmtIPs = n.HostIPs, mgmt
		return n
	}
	gateway := node("n1", "172.18.0.2")
	gateway.PodCIDRs = []string{"192.168.0.0/24"}
	all := []model.Object{made.NS("a", ""), pod()}
	deny := wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.1.0.0/16", "192.168.7.0/24", "8.8.8.8/32"), made.NodePeer("*")))})
	drop := wholeNamespaces("drop", 5, "*", []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("192.168.0.0/24")))}, nil)
	drop.Ingress[0].Direction = model.Ingress
	np := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "np"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}, IsolatesIngress: true,
		Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"0.0.0.0/0"}, Except: []string{"192.168.0.0/24"}}}}}}
	front := service("a/front", "app=x", "LoadBalancer", "10.96.0.9")
	front.LoadBalancerIPs, front.ExternalIPs = []string{"203.0.113.8"}, []string{"203.0.113.9"}
	front.Ports = []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "8080", NodePort: 30080}}
	for _, tc := range []struct {
		name    string
		system  *verdict.Precedence
		objects []model.Object
		change  *model.Policy
		from    bool // the list is of sources
		outside string
		except  string
		pairs   int
	}{
		{"networks and nodes that all rules treat alike", verdict.Stages, []model.Object{node("n1", "172.18.0.2", "10.7.0.2"), node("n2", "172.18.0.3")}, deny, false,
			"[10.1.0.0/16 192.168.7.0/24 8.8.8.8/32 172.18.0.2/32 172.18.0.3/32]", "[]", 5},
		{"a block that begins with the gateway of the pod's node", verdict.Antrea, []model.Object{gateway}, drop, true, "[192.168.0.0/24]", "[192.168.0.1/32]", 1},
		{"another node's pods", verdict.Antrea, []model.Object{gateway, node("n2", "172.18.0.3"), func() model.Object { p := made.Pod("a/q", "", "10.7.0.6"); p.NodeName = "n2"; return p }()},
			drop, true, "[192.168.0.0/24]", "[]", 2},
		{"what a NetworkPolicy excepts", verdict.Antrea, []model.Object{gateway}, np, true, "[192.168.0.0/24]", "[192.168.0.1/32]", 1},
		{"a load-balancer IP on its Service's port alone", verdict.Stages, []model.Object{node("n1", "172.18.0.2"), front},
			wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("203.0.113.8/32")), made.TCP(80))}), false, "[]", "[]", 0},
		{"addresses of Services alone, each by itself", verdict.Antrea, []model.Object{node("n1", "172.18.0.2"), front},
			wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("203.0.113.8/31")), made.TCP(80), made.TCP(443))}), false, "[203.0.113.8/32 203.0.113.9/32]", "[]", 2},
		{"among others it is not counted", verdict.Stages, []model.Object{node("n1", "172.18.0.2"), front},
			wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("203.0.113.0/24")), made.TCP(80))}), false, "[203.0.113.0/24]", "[]", 1},
		{"a NodePort of the pod's node is not the node's, that of another is", verdict.Stages, []model.Object{node("n1", "172.18.0.2"), node("n2", "172.18.0.3"), front},
			wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NodePeer("*")), made.TCP(30080))}), false, "[172.18.0.3/32]", "[]", 1},
		{"a Service's address alone is nobody's", verdict.Stages, []model.Object{node("n1", "172.18.0.2"), service("a/s", "app=x", "ClusterIP", "10.96.0.1")},
			wholeNamespaces("deny", 5, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.96.0.1/32")))}), false, "[]", "[]", 0},
	} {
		for _, deleted := range []bool{false, true} {
			c := made.Cluster(append(slices.Clone(all), tc.objects...)...)
			with, _ := c.Upsert([]model.Object{tc.change}, nil)
			index := func(c *model.Cluster) *verdict.Index {
				return verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, Defaults: true, Precedence: tc.system}})
			}
			before, after := index(c), index(with)
			if deleted {
				before, after = after, before
			}
			d, err := diff.DiffIndexes(context.Background(), before, after, diff.DiffQuestions{})
			if err != nil {
				t.Fatal(err)
			}
			outside, except, pairs := []netip.Prefix{}, []netip.Prefix{}, 0
			for _, g := range d.Flips {
				ends := g.To
				if tc.from {
					ends = g.From
				}
				outside, except, pairs = append(outside, ends.Outside...), append(except, ends.Except...), pairs+g.Pairs
			}
			if fmt.Sprint(outside) != tc.outside || fmt.Sprint(except) != tc.except || pairs != tc.pairs {
				t.Errorf("%s (deleted %v): %v except %v, %d pairs; want %s except %s, %d", tc.name, deleted, outside, except, pairs, tc.outside, tc.except, tc.pairs)
			}
		}
	}
}

// TestBlocksAreEveryAddress: what the matrix says of a block is what single verdicts say of
// its addresses.
func TestBlocksAreEveryAddress(t *testing.T) {
	asked := 0
	for seed := range uint64(20) {
		x, _ := outsideChange(t, seed)
		classes, p := verdict.NewClasses(x, nil), verdict.Ports{Protocol: verdict.TCP, Port: 81}
		m, blocks := classes.Matrix(p), classes.OutsideBlocks()
		for _, a := range boundaries(x.Cluster(), overlapping) {
			narrow := -1
			for i := range blocks {
				if b := &blocks[i]; b.Network.Contains(a) && !slices.ContainsFunc(b.Except, func(e netip.Prefix) bool { return e.Contains(a) }) {
					if narrow >= 0 {
						t.Fatalf("seed %d: %s is in %s and %s", seed, a, blocks[narrow].Network, b.Network)
					}
					narrow = i
				}
			}
			if narrow < 0 {
				t.Errorf("seed %d: %s is in no block", seed, a)
				continue
			}
			for e := range x.Ends {
				if verdict.AddrFamily(x.Ends[e].Addr) != verdict.AddrFamily(a) {
					continue
				}
				pod, kind := x.Endpoint(int32(e)), classes.KindOfPod(x.Pods.PodAt(int(x.Ends[e].Pod)))
				check := func(got verdict.Outcome, from, to verdict.Endpoint) {
					asked++
					if want := single(t, x, from, to, p); got != verdict.NewOutcome(want) {
						t.Errorf("seed %d: %s → %s: %v in %s, %s alone", seed, from, to, got, blocks[narrow].Network, want)
					}
				}
				if answer, err := verdict.FromPolicies(x, verdict.Connection{From: pod, To: verdict.AddrEnd(a), Protocol: p.Protocol, Port: p.Port}); err == nil && answer.Front == nil { // what is a Service's is asked by itself
					check(m.OutcomeBetween(kind, blocks[narrow].Kind, false), pod, verdict.AddrEnd(a))
				}
				if !x.IsOwnNode(a, x.NodeOfEnd(int32(e))) {
					check(m.OutcomeBetween(blocks[narrow].Kind, kind, false), verdict.AddrEnd(a), pod)
				}
			}
		}
	}
	t.Log(asked)
	if asked < 5000 {
		t.Error("too few to prove anything")
	}
}
