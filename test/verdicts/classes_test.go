package verdicts

import (
	"fmt"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// ports that tests ask of every pair: around those that rules name, and far from them.
func askedPorts() (out []verdict.Ports) {
	for _, p := range []verdict.Protocol{verdict.TCP, verdict.UDP, verdict.SCTP} {
		for _, n := range []uint16{1, 78, 79, 80, 81, 82, 83, 84, 9999, 65535} {
			out = append(out, verdict.Ports{Protocol: p, Port: n})
		}
	}
	return append(out, verdict.Ports{Protocol: verdict.ICMP})
}

// single is the verdict of one connection between two ends of an index.
func single(t *testing.T, x *verdict.Index, from, to verdict.Endpoint, p verdict.Ports) verdict.Verdict {
	t.Helper()
	a, err := verdict.FromPolicies(x, verdict.Connection{From: from, To: to, Protocol: p.Protocol, Port: p.Port})
	if err != nil {
		t.Fatal(err)
	}
	return a.Verdict
}

// everyPair visits all pairs of ends of some classes.
func everyPair(c *verdict.Classes, visit func(a, b int32, from, to verdict.Endpoint, near bool)) {
	ends := func(id int32) (out []verdict.Endpoint) { return members(c, id) }
	for a := range int32(len(c.List)) {
		for b := range int32(len(c.List)) {
			if _, ok := c.PairMode(a, b); !ok || c.List[a].Host || c.List[b].Host {
				continue
			}
			for i, from := range ends(a) {
				for j, to := range ends(b) {
					near := false
					if !c.List[a].Outside && !c.List[b].Outside {
						near = c.Index.NodeOfEnd(c.List[a].Ends[i]) == c.Index.NodeOfEnd(c.List[b].Ends[j])
					}
					if !comes(c, a, from, b, to) {
						continue
					}
					if from.Key != to.Key || from.Key == (model.Key{}) {
						visit(a, b, from, to, near)
					}
				}
			}
		}
	}
}

// TestMatrixIsEveryVerdict: what the matrix says of classes is what single verdicts say of
// each pair and port, for random clusters.
func TestMatrixIsEveryVerdict(t *testing.T) {
	asked, mixed := 0, 0
	for seed := range draws(12, 400) {
		c, o := newWorld(uint64(seed) + 1000).cluster()
		x, _ := indexOf(t, c, o)
		classes := verdict.NewClasses(x, nil)
		every := classes.Matrix(verdict.Ports{})
		ports := askedPorts()
		if seed%3 > 0 {
			ports = ports[seed%5 : seed%5+6]
		}
		for _, p := range ports {
			m := classes.Matrix(p)
			everyPair(classes, func(a, b int32, from, to verdict.Endpoint, near bool) {
				got, all := m.OutcomeOfClasses(a, b, near), every.OutcomeOfClasses(a, b, near)
				want := single(t, x, from, to, p)
				if v, ok := got.Verdict(); !ok || v != want {
					t.Errorf("seed %d: %s → %s %v: %v by classes, %s alone", seed, from, to, p, got, want)
				}
				if all&verdict.NewOutcome(want) == 0 {
					t.Errorf("seed %d: %s → %s %v is %s, and all ports are %v", seed, from, to, p, want, all)
				}
				if _, ok := all.Verdict(); !ok {
					mixed++
				}
				asked++
			})
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	t.Logf("%d connections, %d of pairs that are mixed", asked, mixed)
	if asked < 10000 || mixed == 0 {
		t.Error("too few to prove anything")
	}
}

// smallRules is how many rules smallWorld has.
const smallRules = 8

// smallWorld is three namespaces with two pods each, on two nodes, and eight rules of
// which any may be there.
func smallWorld(rules int) *model.Cluster {
	var objects []model.Object
	for i, ns := range []string{"a", "b", "c"} {
		objects = append(objects, made.NS(ns, fmt.Sprintf("t=%d", i%2)), made.Node(fmt.Sprintf("n%d", i+1), "", fmt.Sprintf("172.18.0.%d", i+2)))
		for j := range 2 {
			p := made.Pod(fmt.Sprintf("%s/p%d", ns, j), fmt.Sprintf("app=%d", j), fmt.Sprintf("10.1.%d.%d", i, j+1))
			p.NodeName = fmt.Sprintf("n%d", (i+j)%2+1)
			objects = append(objects, made.WithPorts(p, model.ContainerPort{Name: "http", Protocol: "TCP", Port: int32(80 + j)}))
		}
	}
	has := func(i int) bool { return rules&(1<<i) != 0 }
	some := func(rs ...any) (out []model.Rule) {
		for i := 0; i < len(rs); i += 2 {
			if has(rs[i].(int)) {
				out = append(out, rs[i+1].(model.Rule))
			}
		}
		return out
	}
	named := model.Port{Name: "http"}
	objects = append(objects,
		wholeNamespaces("wide", 10, "t=0", some(0, made.Rule(model.Deny, made.Peers(made.NSPeer("t=1"))), 1, made.Rule(model.Pass, made.Peers(made.PodPeer("*", "app=0")), made.TCP(80))),
			some(2, made.Rule(model.Deny, made.Peers(made.NSPeer("*"), made.NetPeer("192.0.2.0/24")), made.UDP(80)))),
		wholeNamespaces("same", 10, "*", some(3, made.Rule(model.Allow, made.Peers(made.NSPeer("*")), named)), some(4, made.Rule(model.Allow, made.Peers(made.PodPeer("*", "app=1"))))))
	np := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "np"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel("app=0")}, IsolatesIngress: true, IsolatesEgress: true,
		Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: made.Peers(made.NSPeer("t=1")), Ports: []model.Port{made.TCP(81)}}}}
	if has(5) {
		objects = append(objects, np)
	}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "b", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "b", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Egress: []model.Rule{{Direction: model.Egress, Action: model.Deny, Peers: made.Peers(made.NetPeer("10.1.0.0/24"))},
			{Direction: model.Egress, Index: 1, Action: model.Deny, Peers: made.Peers(made.NetPeer("192.0.2.0/25"))}}}
	if has(6) {
		objects = append(objects, ef)
	}
	if has(7) {
		banp := wholeNamespaces("default", 0, "*", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")), made.TCP(80), made.TCP(81))}, nil)
		banp.Kind, banp.Tier = model.KindBANP, model.TierBaseline
		objects = append(objects, banp)
	}
	return made.Cluster(objects...)
}

// TestCompareIsTheDifferenceOfMatrices: on a small universe, for every subset of eight
// rules and every rule taken out of it, the flips are the difference of all single
// verdicts before and after; a rule whose removal flips nothing is one whose removal
// changes no verdict.
func TestCompareIsTheDifferenceOfMatrices(t *testing.T) {
	var xs [1 << smallRules]*verdict.Index
	var verdicts [1 << smallRules]map[verdict.Connection]verdict.Verdict
	make := func(i int) {
		if xs[i] == nil {
			xs[i], _ = indexOf(t, smallWorld(i), compiler.Options{IPv4: true, Defaults: compiler.On})
			verdicts[i] = universe(t, xs[i])
		}
	}
	nothing, removals := 0, 0
	try := func(i, j int) (flips int) {
		make(i)
		make(j)
		want := map[verdict.Connection][2]verdict.Verdict{}
		for q, v := range verdicts[i] {
			if w := verdicts[j][q]; w != v {
				want[q] = [2]verdict.Verdict{v, w}
			}
		}
		checkChanges(t, xs[i], xs[j], want)
		if t.Failed() {
			t.Fatalf("rules %08b instead of %08b", j, i)
		}
		return len(want)
	}
	subsets(func(i int) {
		for r := range smallRules {
			if j := i &^ (1 << r); i != j {
				removals++
				if try(i, j) == 0 {
					nothing++
				}
			}
		}
		try(i, (i*37+101)%len(xs)) // many rules at once, of which some come and some go
	})
	t.Logf("%d of %d removals change nothing", nothing, removals)
	if nothing == 0 {
		t.Error("every rule decides everywhere: the universe proves nothing about those that do not")
	}
}

var smallPorts = []verdict.Ports{{Protocol: verdict.TCP, Port: 79}, {Protocol: verdict.TCP, Port: 80}, {Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.TCP, Port: 82}, {Protocol: verdict.UDP, Port: 80}, {Protocol: verdict.UDP, Port: 81}, {Protocol: verdict.SCTP, Port: 80}, {Protocol: verdict.ICMP}}

// universe is the verdict of every connection between pods, and with two addresses
// outside, on the ports that tell rules apart.
func universe(t *testing.T, x *verdict.Index) map[verdict.Connection]verdict.Verdict {
	t.Helper()
	out := map[verdict.Connection]verdict.Verdict{}
	for a := range x.Cluster().Pods() {
		for b := range x.Cluster().Pods() {
			for _, p := range smallPorts {
				if a != b {
					out[verdict.Connection{From: verdict.Endpoint{Key: a.Key}, To: verdict.Endpoint{Key: b.Key}, Protocol: p.Protocol, Port: p.Port}] = single(t, x, verdict.Endpoint{Key: a.Key}, verdict.Endpoint{Key: b.Key}, p)
				}
			}
		}
	}
	return out
}

// checkChanges compares what Changes and Compare say with the flips of all connections
// between pods on smallPorts; what they say besides, of other ports and of outside, must
// be true by single verdicts.
func checkChanges(t *testing.T, before, after *verdict.Index, want map[verdict.Connection][2]verdict.Verdict) {
	t.Helper()
	got, flipped := map[verdict.Connection][2]verdict.Verdict{}, 0
	Changes(before, after, func(c Change) {
		flipped += c.Pairs * len(c.Flips)
		pairs := 0
		for _, from := range c.From {
			for _, to := range c.To {
				if from == to || !c.has(from, to) || !sameWay(after, from, to, c.Nodes) {
					continue
				}
				pairs++
				for _, f := range c.Flips {
					q := verdict.Connection{From: from, To: to, Protocol: f.Protocol, Port: f.Lo}
					if a, b := single(t, before, from, to, verdict.Ports{Protocol: f.Protocol, Port: f.Lo}), single(t, after, from, to, verdict.Ports{Protocol: f.Protocol, Port: f.Hi}); a != f.Before || b != f.After {
						t.Errorf("%s: said to become %s from %s, and becomes %s from %s", q, f.After, f.Before, b, a)
					}
					for _, p := range smallPorts {
						if p.Protocol == f.Protocol && p.Port >= f.Lo && p.Port <= f.Hi && from.Key.Name != "" && to.Key.Name != "" {
							q.Port = p.Port
							got[q] = [2]verdict.Verdict{f.Before, f.After}
						}
					}
				}
			}
		}
		if pairs != c.Pairs {
			t.Errorf("%s: %d pairs, said to be %d", c.Example, pairs, c.Pairs)
		}
	})
	for q, w := range want {
		if got[q] != w {
			t.Errorf("%s: %v, said %v", q, w, got[q])
		}
	}
	for q := range got {
		if _, is := want[q]; !is {
			t.Errorf("%s: said to become %v, and does not", q, got[q])
		}
	}
	sum := 0
	for _, f := range Compare(before, after) {
		sum += f.Pairs
		if a, b := single(t, before, f.Example.From, f.Example.To, verdict.Ports{Protocol: f.Protocol, Port: f.Lo}), single(t, after, f.Example.From, f.Example.To, verdict.Ports{Protocol: f.Protocol, Port: f.Lo}); a != f.Before || b != f.After {
			t.Errorf("%s: an example of %s to %s, and it goes from %s to %s", f.Example, f.Before, f.After, a, b)
		}
	}
	if sum != flipped {
		t.Errorf("%d pairs flip in sum, %d in full", sum, flipped)
	}
}

// sameWay says whether two ends are on nodes as the change wants it.
func sameWay(x *verdict.Index, from, to verdict.Endpoint, nodes verdict.NodePairing) bool {
	a, b := x.Cluster().Pod(from.Key.Namespace, from.Key.Name), x.Cluster().Pod(to.Key.Namespace, to.Key.Name)
	return nodes == verdict.AnyNodes || (a.NodeName == b.NodeName) == (nodes == verdict.OneNode)
}

// TestCompareOfRandomChanges: what Changes says of two random sets of policies, with a pod
// or two that came or went, is the difference of single verdicts of every pair.
func TestCompareOfRandomChanges(t *testing.T) {
	flipped := 0
	for seed := range draws(10, 300) {
		w := newWorld(uint64(seed) + 5000)
		c, o := w.cluster()
		o.Defaults, o.Multicast = compiler.On, compiler.Off
		next := c
		for p := range c.AllPolicies() {
			if w.odds(3) {
				next, _ = next.Upsert(nil, []model.Key{p.Key})
			}
		}
		next, _ = next.Upsert([]model.Object{w.admin("new"), w.netpol("new"), w.firewall("b")}, nil)
		if w.odds(2) {
			for p := range c.Pods() {
				next, _ = next.Upsert(nil, []model.Key{p.Key})
				break
			}
		}
		if w.odds(2) {
			next, _ = next.Upsert([]model.Object{made.NS("a", "t=3")}, nil)
		}
		before, _ := indexOf(t, c, o)
		after, _ := indexOf(t, next, o)
		said := map[string]string{}
		var by *verdict.Classes
		Changes(before, after, func(ch Change) {
			by = ch.classes
			ch.each(func(from, to string) {
				for _, f := range ch.Flips {
					for _, p := range askedPorts() {
						if p.Protocol == f.Protocol && p.Port >= f.Lo && p.Port <= f.Hi {
							said[fmt.Sprint(from, to, p)] = string(f.Before + f.After)
						}
					}
				}
			})
		})
		// The address of a pod that went is outside now: a comparison is of the ends that both have.
		went := func(e verdict.Endpoint) bool { return e.Key == (model.Key{}) && len(before.EndsAt(e.Addr)) > 0 }
		everyPair(verdict.NewClasses(after, nil), func(_, _ int32, from, to verdict.Endpoint, _ bool) {
			if went(from) || went(to) {
				return
			}
			for _, p := range askedPorts() {
				v, u := single(t, before, from, to, p), single(t, after, from, to, p)
				want := ""
				if v != u {
					want = string(v + u)
					flipped++
				}
				got := ""
				if by != nil {
					a, b := names(by, from, to)
					got = said[fmt.Sprint(a, b, p)]
				}
				if got != want {
					t.Errorf("seed %d: %s → %s %v: %q, said %q", seed, from, to, p, want, got)
				}
			}
		})
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d connections flip", flipped)
	if flipped < 1000 {
		t.Error("too few to prove anything")
	}
}

// Where other pods come and go, conditions are not taken for the same because they hold at
// the same places: here one for another pod.
func TestCompareWithOtherPods(t *testing.T) {
	world := func(pods ...model.Object) *verdict.Index {
		x, _ := indexOf(t, made.Cluster(append(pods, made.NS("a", "t=1"), made.Node("worker", ""),
			&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "p"}}, Tier: model.TierAdmin, Priority: 5,
				Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel("app=z")},
				Egress:  []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("192.0.2.0/24")))}})...), compiler.Options{IPv4: true})
		return x
	}
	before := world(made.Pod("a/a", "app=x", "10.1.0.1"), made.Pod("a/b", "app=z", "10.1.0.2"), made.Pod("a/c", "app=x", "10.1.0.3"))
	after := world(made.Pod("a/b", "app=x", "10.1.0.2"), made.Pod("a/c", "app=z", "10.1.0.3"))
	got := map[string]int{}
	for _, f := range Compare(before, after) {
		got[fmt.Sprintf("%s %s → %s %s", f.Example.From, f.Before, f.After, f.Protocol)] += f.Pairs
	}
	if len(got) != 8 || got["a/b deny → allow TCP"] != 1 || got["a/c allow → deny TCP"] != 1 {
		t.Errorf("flips: %v", got)
	}
}
