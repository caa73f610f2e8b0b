package verdicts

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/verdict"
	"rung/test/made"
)

// smallOutside are addresses outside of the small world: in a network that a rule names,
// in a wider one, and in none.
var smallOutside = []string{"192.0.2.1", "192.0.2.200", "198.51.100.1"}

// smallConnections are all of the small world.
func smallConnections(c *model.Cluster, ports []verdict.Ports, visit func(verdict.Connection)) {
	var ends []verdict.Endpoint
	for p := range c.Pods() {
		ends = append(ends, verdict.Endpoint{Key: p.Key})
	}
	pods := len(ends)
	for _, a := range smallOutside {
		ends = append(ends, verdict.AddrEnd(netip.MustParseAddr(a)))
	}
	for i, from := range ends {
		for j, to := range ends {
			if i == j || i >= pods && j >= pods {
				continue
			}
			for _, p := range ports {
				visit(verdict.Connection{From: from, To: to, Protocol: p.Protocol, Port: p.Port})
			}
		}
	}
}

// TestSmallUniverse: for every subset of eight rules the answer by classes is the answer
// pod by pod, port by port, and the second judge says the same of every connection; he is
// slow, and without time he is asked about every sixteenth, others for each subset.
func TestSmallUniverse(t *testing.T) {
	asked, judgedOf := 0, draws(16, 1)
	for rules := range 1 << smallRules {
		x, _ := indexOf(t, smallWorld(rules), compiler.Options{IPv4: true, Defaults: compiler.On})
		smallConnections(x.Cluster(), smallPorts, func(q verdict.Connection) {
			a, err := verdict.FromPolicies(x, q)
			if err != nil {
				t.Fatal(err)
			}
			asked++
			if (asked+rules)%judgedOf > 0 {
				return
			}
			if what := judged(x, q, &a); what != "" {
				t.Fatalf("rules %08b: %s: %s", rules, q, what)
			}
		})
		classes := verdict.NewClasses(x, nil)
		for _, p := range smallPorts {
			m := classes.Matrix(p)
			everyPair(classes, func(a, b int32, from, to verdict.Endpoint, near bool) {
				got := m.OutcomeOfClasses(a, b, near)
				want := single(t, x, from, to, p)
				if v, ok := got.Verdict(); !ok || v != want {
					t.Fatalf("rules %08b: %s → %s %v: %v by classes, %s alone", rules, from, to, p, got, want)
				}
			})
		}
	}
	t.Logf("%d connections", asked)
}

// tiedRules are eight rules of two policies of one priority, four of each, by direction.
func tiedRules() (one, two [8]*model.Rule) {
	named := model.Port{Name: "http"}
	in := func(n int, of *[8]*model.Rule, rs ...model.Rule) {
		for i := range rs {
			of[n+i] = &rs[i]
		}
	}
	in(0, &one, made.Rule(model.Allow, made.Peers(made.NSPeer("*")), made.TCP(80)), made.Rule(model.Pass, made.Peers(made.PodPeer("*", "app=0"))))
	in(2, &two, made.Rule(model.Deny, made.Peers(made.PodPeer("t=1", "app=1")), named), made.Rule(model.Allow, made.Peers(made.NSPeer("t=0")), made.TCP(80)))
	in(4, &one, made.Rule(model.Deny, made.Peers(made.NetPeer("192.0.2.0/24")), made.TCP(80)), made.Rule(model.Allow, made.Peers(made.NSPeer("t=0")), named))
	in(6, &two, made.Rule(model.Pass, made.Peers(made.NetPeer("192.0.2.128/25"), made.NSPeer("t=1")), made.TCP(81)), made.Rule(model.Deny, made.Peers(made.NetPeer("10.1.2.0/24")), made.TCP(80)))
	return one, two
}

// TestConflictsArePairsWhoseOrderMatters: for every subset of eight rules in two policies
// of one priority, the conflicts of the ladder are the pairs of rules at one index of
// which it matters which comes first.
func TestConflictsArePairsWhoseOrderMatters(t *testing.T) {
	one, two := tiedRules()
	policy := func(name, subject string, rules *[8]*model.Rule, subset int) *model.Policy {
		var of [2][]model.Rule
		for i, r := range rules {
			if r != nil && subset&(1<<i) != 0 {
				of[i/4] = append(of[i/4], *r)
			}
		}
		p := wholeNamespaces(name, 10, subject, of[0], of[1])
		return p
	}
	known := map[string]bool{}
	conflicts := 0
	for subset := range 1 << smallRules {
		a, b := policy("one", "*", &one, subset), policy("two", "t=0", &two, subset)
		base := smallWorld(0)
		for p := range base.AllPolicies() {
			base, _ = base.Upsert(nil, []model.Key{p.Key})
		}
		c, _ := base.Upsert([]model.Object{a, b}, nil)
		got := map[string]bool{}
		for _, k := range ladder.New(c, ladder.Options{}).Conflicts {
			got[fmt.Sprint(k.Direction, k.Rule)] = true
		}
		for _, d := range model.Directions {
			for i := range min(len(a.Rules(d)), len(b.Rules(d))) {
				ra, rb := a.Rules(d)[i], b.Rules(d)[i]
				pair := fmt.Sprintf("%s %+v %+v", d, ra, rb)
				matters, is := known[pair]
				if !is {
					matters = orderMatters(t, base, a, ra, b, rb)
					known[pair] = matters
				}
				if got[fmt.Sprint(d, i)] != matters {
					t.Errorf("rules %08b: %s %d: a conflict is %v, and that the order matters is %v", subset, d, i, !matters, matters)
				}
				if matters {
					conflicts++
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	yes := 0
	for _, m := range known {
		if m {
			yes++
		}
	}
	t.Logf("%d conflicts; of %d pairs of rules the order of %d matters", conflicts, len(known), yes)
	if yes == 0 || yes == len(known) {
		t.Error("all pairs are alike: this proves nothing")
	}
}

// orderMatters says whether some connection has another verdict when one of two rules of
// different policies comes first and when the other does: with nothing below them, or,
// where one of them passes, with a baseline that denies.
func orderMatters(t *testing.T, base *model.Cluster, a *model.Policy, ra model.Rule, b *model.Policy, rb model.Rule) bool {
	t.Helper()
	below, alone := aloneOver(ra.Direction)
	for _, below := range below {
		var verdicts [2][]verdict.Verdict
		for i, first := range [][2]int32{{10, 11}, {11, 10}} {
			c, _ := base.Upsert(append(slices.Clone(below), alone(a, ra, first[0]), alone(b, rb, first[1])), nil)
			x, _ := indexOf(t, c, compiler.Options{IPv4: true})
			smallConnections(c, askedPorts(), func(q verdict.Connection) {
				verdicts[i] = append(verdicts[i], single(t, x, q.From, q.To, verdict.Ports{Protocol: q.Protocol, Port: q.Port}))
			})
		}
		if !slices.Equal(verdicts[0], verdicts[1]) {
			return true
		}
	}
	return false
}

// aloneOver makes policies of one rule, and what to try them over: nothing, and a
// baseline that denies.
func aloneOver(d model.Direction) (below [][]model.Object, alone func(p *model.Policy, r model.Rule, priority int32) *model.Policy) {
	alone = func(p *model.Policy, r model.Rule, priority int32) *model.Policy {
		q := *p
		q.Priority, q.Ingress, q.Egress, r.Index = priority, nil, nil, 0
		if r.Direction == model.Ingress {
			q.Ingress = []model.Rule{r}
		} else {
			q.Egress = []model.Rule{r}
		}
		return &q
	}
	everything := made.Rule(model.Deny, made.Peers(made.NSPeer("*"), made.NetPeer("0.0.0.0/0", "::/0")))
	everything.Direction = d
	banp := alone(wholeNamespaces("default", 0, "*", nil, nil), everything, 0)
	banp.Kind, banp.Tier = model.KindBANP, model.TierBaseline
	return [][]model.Object{nil, {banp}}, alone
}

// TestConflictsOfRandomClusters: the same of random policies at one priority, both
// families, named ports and all kinds of pods, by what Compare says of the order.
func TestConflictsOfRandomClusters(t *testing.T) {
	pairs, conflicts := 0, 0
	// At 197 a named port's Deny decides on the sender's node alone, whichever comes first.
	// Whichever comes first, a named port's Deny decides on the sender's node alone (197), nothing
	// comes after a Pass there (967, 2521), and a pod does not connect to itself (1792, 2601).
	n, found := draws(60, 300), []int{197, 967, 1792, 2521, 2601}
	for seed := range n + len(found) {
		if seed >= n {
			seed = found[seed-n]
		}
		c, _ := newWorld(uint64(seed) + 70_000).cluster()
		base := c
		var policies []*model.Policy
		for p := range c.AllPolicies() {
			base, _ = base.Upsert(nil, []model.Key{p.Key})
			if p.Kind == model.KindANP {
				q := *p
				q.Priority, q.Logging, q.HasLogging = 2, "", false
				policies = append(policies, &q)
				c, _ = c.Upsert([]model.Object{&q}, nil)
			} else {
				c, _ = c.Upsert(nil, []model.Key{p.Key}) // what is below is said by aloneOver
			}
		}
		known := map[string]string{}
		for _, k := range ladder.New(c, ladder.Options{}).Conflicts {
			known[fmt.Sprint(k.A, k.B, k.Direction, k.Rule)] = k.Witness
		}
		for i, a := range policies {
			for _, b := range policies[i+1:] {
				for _, d := range model.Directions {
					for r := range min(len(a.Rules(d)), len(b.Rules(d))) {
						witness, said := known[fmt.Sprint(a.Key, b.Key, d, r)]
						want := flipsByOrder(t, base, a, a.Rules(d)[r], b, b.Rules(d)[r])
						pairs++
						if said {
							conflicts++
						}
						if said != (want != "") {
							t.Errorf("seed %d: %s and %s, %s %d: a conflict is %v (%s), and the order matters for %q", seed, a.Name, b.Name, d, r, said, witness, want)
						}
					}
				}
			}
		}
	}
	t.Logf("%d conflicts of %d pairs", conflicts, pairs)
	if conflicts < 100 {
		t.Error("too few to prove anything")
	}
}

// flipsByOrder is a connection whose verdict depends on which of two rules comes first,
// empty for none.
func flipsByOrder(t *testing.T, base *model.Cluster, a *model.Policy, ra model.Rule, b *model.Policy, rb model.Rule) string {
	t.Helper()
	below, alone := aloneOver(ra.Direction)
	for _, below := range below {
		var xs [2]*verdict.Index
		for i, first := range [][2]int32{{10, 11}, {11, 10}} {
			c, _ := base.Upsert(append(slices.Clone(below), alone(a, ra, first[0]), alone(b, rb, first[1])), nil)
			xs[i], _ = indexOf(t, c, compiler.Options{IPv4: true, IPv6: true})
		}
		if flips := Compare(xs[0], xs[1]); len(flips) > 0 {
			return fmt.Sprint(flips[0].Example)
		}
	}
	return ""
}
