package networks_test

import (
	"context"
	"slices"
	"testing"

	"rung/change"
	"rung/change/guard"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/test/networks"
)

// What a change is said to do on networks is what asking before and after says: connections that get another
// verdict are told, each on its network, and what is told is so.
func TestChangesOnNetworks(t *testing.T) {
	worlds := uint64(400)
	if testing.Short() {
		worlds = 20
	}
	asked, flipped, groups, placed := 0, 0, 0, 0
	for seed := range worlds {
		w := networks.NewWorld(seed)
		r := revisionOf(w.Cluster(), settingsOf(w).compiler)
		table := r.Desired.Networks()
		for p := range r.Cluster.EveryPolicy() {
			if len(table.NetworksOfPolicy(p)) == 0 {
				continue
			}
			next := r.WithPolicies(nil, []model.Key{p.Key})
			d, _, err := guard.JudgeChanges(context.Background(), r, next, []change.ObjectChange{{Key: p.Key, Old: p}}, guard.ClusterFacts{})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range table.Names() {
				before, after := revision.OnNetwork(r, name), revision.OnNetwork(next, name)
				ask := func(q verdict.Connection) (was, is verdict.Verdict) {
					a, err := verdict.FromPolicies(before.Verdicts(), q)
					if err != nil {
						t.Fatal(err)
					}
					b, err := verdict.FromPolicies(after.Verdicts(), q)
					if err != nil {
						t.Fatal(err)
					}
					return a.Verdict, b.Verdict
				}
				for _, g := range d.Flips {
					if g.Network != name {
						continue
					}
					groups++
					if was, is := ask(g.Example); was != g.Before || is != g.After {
						a, _ := verdict.FromPolicies(before.Verdicts(), g.Example)
						t.Fatalf("world %d, without %s, on %s: %s is said to go from %s to %s, and goes from %s to %s (%s)", seed, p.Key, name, g.Example, g.Before, g.After, was, is, a.Reason)
					}
				}
				for _, q := range questionsOn(w, before, before.JudgedCluster()) {
					if q.From.Key.Kind == model.KindNode || q.To.Key.Kind == model.KindNode {
						continue // nodes are among the addresses outside
					}
					was, is := ask(q)
					asked++
					if was == is || was == verdict.NotApplicable || is == verdict.NotApplicable {
						continue
					}
					flipped++
					if before.IsPlaceAssumed(q.From.Key) || before.IsPlaceAssumed(q.To.Key) {
						placed++
					}
					if !slices.ContainsFunc(d.Flips, func(g diff.FlipGroup) bool {
						return g.Network == name && g.Before == was && g.After == is && hasPort(g.Ports, q) && hasEnd(g.From, q.From) && hasEnd(g.To, q.To)
					}) {
						t.Fatalf("world %d, without %s, on %s: %s goes from %s to %s, and nothing says so", seed, p.Key, name, q, was, is)
					}
				}
			}
		}
	}
	t.Logf("%d connections asked before and after, %d got another verdict, %d of them of pods without a place yet; %d groups told", asked, flipped, placed, groups)
	if !testing.Short() && (flipped < 2000 || groups < 300 || placed < 200) {
		t.Errorf("only %d connections, %d of them of pods without a place, and %d groups", flipped, placed, groups)
	}
}

func hasPort(ports []verdict.PortRange, q verdict.Connection) bool {
	return slices.ContainsFunc(ports, func(p verdict.PortRange) bool {
		return p.Protocol == q.Protocol && (q.Protocol == verdict.ICMP || p.Lo <= q.Port && q.Port <= p.Hi)
	})
}

// hasEnd says whether ends may hold an end: pods are told by their namespaces.
func hasEnd(e verdict.Ends, end verdict.Endpoint) bool {
	if end.Addr.IsValid() {
		return len(e.Outside) > 0
	}
	return slices.Contains(e.Namespaces, end.Key.Namespace)
}
