package verdicts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// TestDifferIsCompare: the groups are the flips, each with an example that flips by those
// that are named, and a rule that never decides can go without a flip.
func TestDifferIsCompare(t *testing.T) {
	flips, others, idle := 0, 0, 0
	for seed := range 40 {
		w := newWorld(uint64(seed) + 9000)
		if seed%4 == 0 {
			w.networks = overlapping
		}
		c, o := w.cluster()
		if seed%4 == 0 {
			c, _ = c.Upsert(w.fronts(), nil)
		}
		o.Defaults, o.Multicast = compiler.On, compiler.Off
		next := c
		for p := range c.AllPolicies() {
			if w.odds(3) {
				next, _ = next.Upsert(nil, []model.Key{p.Key})
			}
		}
		next, _ = next.Upsert([]model.Object{w.admin("new"), w.netpol("new"), w.firewall("b")}, nil)
		before, _ := indexOf(t, c, o)
		after, _ := indexOf(t, next, o)
		var about []model.Key
		for p := range next.AllPolicies() {
			about = append(about, p.Key)
		}
		all := diff.WatchedEnds{Pods: everyPod(next), Ports: []verdict.PortRange{{Protocol: verdict.TCP, Lo: 80, Hi: 81}}}
		d, err := diff.DiffIndexes(context.Background(), before, after, diff.DiffQuestions{ReportedPolicies: about, Watches: []diff.WatchedEnds{all}})
		if err != nil {
			t.Fatal(err)
		}
		count := func(from, to verdict.Verdict, p verdict.PortRange) string { return fmt.Sprint(from, to, p.Protocol) }
		want, got := map[string]int{}, map[string]int{}
		for _, f := range Compare(before, after) {
			want[count(f.Before, f.After, verdict.PortRange{Protocol: f.Protocol})] += f.Pairs * (int(f.Hi) - int(f.Lo) + 1)
			flips++
		}
		for _, g := range d.Flips {
			for _, p := range g.Ports {
				got[count(g.Before, g.After, p)] += g.Pairs * (int(p.Hi) - int(p.Lo) + 1)
			}
			checkGroup(t, seed, before, after, g)
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("seed %d: %v, compared %v", seed, got, want)
		}
		for _, g := range slices.Concat(d.OtherDeciders, d.Watched[0]) {
			checkGroup(t, seed, before, after, g)
			others++
		}
		for _, u := range d.Rules {
			if u.Matches && !u.Decides && !u.IsBefore && next.Policy(u.Policy).Kind == model.KindANP {
				idle += judgeIdle(t, seed, next, after, u)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d flips, %d others, %d idle rules", flips, others, idle)
	if flips < 100 || others < 20 || idle < 5 {
		t.Error("too few to prove anything")
	}
}

// checkGroup asks about the example of a group alone.
func checkGroup(t *testing.T, seed int, before, after *verdict.Index, g diff.FlipGroup) {
	t.Helper()
	for _, side := range []struct {
		x    *verdict.Index
		want verdict.Verdict
		by   []verdict.Decider
	}{{before, g.Before, g.ByBefore}, {after, g.After, g.ByAfter}} {
		a, err := verdict.FromPolicies(side.x, g.Example)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Paths) > 0 && a.Paths[0].Via != "" {
			continue // the NodePort of another node: the group is of the sender's rules alone (askOutside)
		}
		if a.Verdict != side.want {
			t.Errorf("seed %d: %s is %s, grouped as %s", seed, g.Example, a.Verdict, side.want)
		}
		for _, by := range side.by {
			found := false
			for _, s := range a.Paths[0].Stages {
				all := slices.Clone(s.Candidates)
				if s.Decided != nil {
					all = append(all, *s.Decided)
				}
				found = found || slices.ContainsFunc(all, func(d verdict.Decider) bool {
					return d.Policy.Name == by.Policy.Name && d.Rule == by.Rule || by.Policy.Kind == d.Policy.Kind && len(side.by) > 1
				})
			}
			if !found && by.Policy.Kind != model.KindNetpolNode && len(side.by) == 1 {
				t.Errorf("seed %d: %s is not decided by %s %d: %+v", seed, g.Example, by.Policy, by.Rule, a.Paths[0].Stages)
			}
		}
	}
}

// judgeIdle takes a rule that never decides out: no verdict changes.
func judgeIdle(t *testing.T, seed int, c *model.Cluster, x *verdict.Index, u diff.RuleUse) int {
	t.Helper()
	p := *c.Policy(u.Policy)
	rules := slices.Clone(p.Rules(u.Direction))
	rules[u.Rule].Peers, rules[u.Rule].AnyPeer = nil, false
	p.Egress = rules
	if u.Direction == model.Ingress {
		p.Egress, p.Ingress = c.Policy(u.Policy).Egress, rules
	}
	without, _ := c.Upsert([]model.Object{&p}, nil)
	if f := Compare(x, verdict.NewIndex(verdict.View{Cluster: without, Options: x.Options()})); len(f) > 0 {
		t.Errorf("seed %d: %s %s %d never decides, and without it %+v", seed, u.Policy, u.Direction, u.Rule, f[0])
	}
	return 1
}

// A difference that nobody waits for any more is not worked out.
func TestDifferEndsWithItsContext(t *testing.T) {
	c, o := newWorld(9001).cluster()
	x, _ := indexOf(t, c, o)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := diff.DiffIndexes(ctx, x, x, diff.DiffQuestions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestMovesIsEveryDifference: what Moves counts at a priority is what the difference to a
// cluster with that priority counts, whether or not the policy is enforced now.
func TestMovesIsEveryDifference(t *testing.T) {
	flips := 0
	for seed := range draws(4, 12) {
		w := newWorld(uint64(seed) + 12000)
		if seed%2 == 1 {
			w.networks = overlapping
		}
		c, o := w.cluster()
		if seed%2 == 1 {
			c, _ = c.Upsert(w.fronts(), nil)
		}
		var all []*model.Policy
		for p := range c.Policies(model.KindANP) {
			if p.Priority < 100 {
				all = append(all, p)
			}
		}
		x, _ := indexOf(t, c, o)
		for n, p := range all {
			there := n%2 == 0
			before := x
			if !there {
				without, _ := c.Upsert(nil, []model.Key{p.Key})
				before = verdict.NewIndex(verdict.View{Cluster: without, Options: x.Options()})
			}
			m, err := diff.NewPriorityMoves(context.Background(), x, p.Key, there)
			if err != nil {
				t.Fatal(err)
			}
			for prio := int32(0); prio < 60; prio++ {
				q := *p
				q.Priority = prio
				next, _ := c.Upsert([]model.Object{&q}, nil)
				after := verdict.NewIndex(verdict.View{Cluster: next, Options: x.Options()})
				d, err := diff.DiffIndexes(context.Background(), before, after, diff.DiffQuestions{})
				if err != nil {
					t.Fatal(err)
				}
				want := slices.DeleteFunc(d.Totals, func(t diff.PairTotal) bool { return t.Before == t.After })
				if got := m.FlipsAt(float64(prio)); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s from %d (there %v) to %d: %v, want %v", seed, p.Key.Name, p.Priority, there, prio, got, want)
				}
				flips += len(want)
			}
		}
	}
	t.Logf("%d slots with flips", flips)
	if flips < 50 {
		t.Error("too few to prove anything")
	}
}

// TestExamplePort: an example has a port that people know, where the range has one.
func TestExamplePort(t *testing.T) {
	for r, want := range map[verdict.PortRange]uint16{{Protocol: verdict.TCP, Lo: 1, Hi: verdict.LastPort}: 80, {Protocol: verdict.TCP, Lo: 1, Hi: 100}: 80, {Protocol: verdict.UDP, Lo: 40, Hi: 60}: 53, {Protocol: verdict.TCP, Lo: 5000, Hi: 5001}: 5000, {Protocol: verdict.ICMP, Lo: 0, Hi: 0}: 0} {
		if got := r.ExamplePort(); got != want {
			t.Errorf("%v: %d, want %d", r, got, want)
		}
	}
}

// everyPod names all pods of a cluster.
func everyPod(c *model.Cluster) map[model.Key]bool {
	all := map[model.Key]bool{}
	for p := range c.Pods() {
		all[p.Key] = true
	}
	return all
}
