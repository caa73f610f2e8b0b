package verdicts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// TestAntreaSecondJudge asks random connections of random clusters with Antrea, of the
// index and of a judge that knows nothing of it: they say the same.
func TestAntreaSecondJudge(t *testing.T) {
	seen := map[verdict.Verdict]int{}
	failed := 0
	for seed := range uint64(draws(400, 2000)) {
		w := newAntreaWorld(seed)
		c := w.cluster()
		x := onAntrea(t, c)
		j := &antreaJudge{c}
		for range 60 {
			q := w.connection(c)
			a, err := verdict.FromPolicies(x, q)
			if err != nil {
				if !errors.Is(err, verdict.ErrQuestion) {
					t.Fatal(err)
				}
				continue
			}
			for i := range a.Paths {
				p := &a.Paths[i]
				seen[p.Verdict]++
				if p.Verdict == verdict.NotApplicable {
					continue
				}
				if want := j.path(q, p); want != p.Verdict {
					t.Errorf("seed %d: %s (%s): %s, the judge says %s: %+v", seed, q, p.To.Endpoint, p.Verdict, want, p.Stages)
					failed++
					if failed > 4 {
						t.FailNow()
					}
				}
			}
		}
	}
	t.Log(seen)
	if seen[verdict.Allow]+seen[verdict.Deny]+seen[verdict.Undefined]+seen[verdict.Unknown] < 10_000 {
		t.Error("too few to prove anything")
	}
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Undefined, verdict.Unknown} {
		if seen[v] < 50 {
			t.Errorf("%s only %d times", v, seen[v])
		}
	}
}

// TestAntreaMatrixIsEveryVerdict: what the matrix says of classes is what single verdicts
// say, whatever the peers.
func TestAntreaMatrixIsEveryVerdict(t *testing.T) {
	asked := 0
	for seed := range uint64(draws(12, 200)) {
		x := onAntrea(t, newAntreaWorld(seed+2000).cluster())
		classes := verdict.NewClasses(x, nil)
		every := classes.Matrix(verdict.Ports{})
		for _, p := range askedPorts()[seed%20 : seed%20+11] {
			m := classes.Matrix(p)
			everyPair(classes, func(a, b int32, from, to verdict.Endpoint, near bool) {
				if x.NodeByAddr[from.Addr] != "" && x.NodeByAddr[from.Addr] == x.Cluster().Pod(to.Key.Namespace, to.Key.Name).NodeName {
					return // a node and its own pod
				}
				got, want := m.OutcomeOfClasses(a, b, near), single(t, x, from, to, p)
				if v, ok := got.Verdict(); !ok || v != want {
					t.Errorf("seed %d: %s → %s %v: %v by classes, %s alone", seed, from, to, p, got, want)
				}
				if every.OutcomeOfClasses(a, b, near)&verdict.NewOutcome(want) == 0 {
					t.Errorf("seed %d: %s → %s %v is %s, and all ports are %v", seed, from, to, p, want, every.OutcomeOfClasses(a, b, near))
				}
				asked++
			})
			if t.Failed() {
				t.FailNow()
			}
		}
		matrixOfHosts(t, x, classes)
	}
	t.Log(asked)
	if asked < 10000 {
		t.Error("too few to prove anything")
	}
}

// matrixOfHosts compares the matrix with single verdicts for every pair of pods, those on
// the network of their node among them.
func matrixOfHosts(t *testing.T, x *verdict.Index, classes *verdict.Classes) {
	t.Helper()
	p := verdict.Ports{Protocol: verdict.TCP, Port: 80}
	m := classes.Matrix(p)
	for a := range x.Cluster().Pods() {
		for b := range x.Cluster().Pods() {
			got := m.OutcomeBetween(classes.KindOfPod(a), classes.KindOfPod(b), a.NodeName == b.NodeName)
			if a == b || got == 0 {
				continue
			}
			var want verdict.Outcome
			for _, f := range []verdict.Family{verdict.IPv4, verdict.IPv6} {
				ans, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.Endpoint{Key: a.Key}, To: verdict.Endpoint{Key: b.Key}, Protocol: p.Protocol, Port: p.Port, Family: f})
				if err != nil {
					t.Fatal(err)
				}
				want |= verdict.NewOutcome(ans.Verdict)
			}
			if got != want {
				t.Errorf("%s → %s: %v, alone %v", a.Key, b.Key, got, want)
			}
		}
	}
}

// antreaChange draws another cluster from one: policies go, come and change, and so do
// groups.
func (w *antreaWorld) antreaChange(c *model.Cluster) *model.Cluster {
	for _, k := range []model.Kind{model.KindACNP, model.KindANNP, model.KindANP, model.KindNP, model.KindBANP} {
		for p := range c.Policies(k) {
			if w.odds(3) {
				c, _ = c.Upsert(nil, []model.Key{p.Key})
			}
		}
	}
	next := []model.Object{w.native(model.KindACNP, "", "new"), w.native(model.KindANNP, "a", "new"), w.upstream("new"), w.netpol("new")}
	if w.odds(2) {
		next = append(next, w.groups()[w.r.IntN(7)])
	}
	c, _ = c.Upsert(next, nil)
	return c
}

// TestAntreaDifferIsCompare: groups are the flips, and the flips are the difference of all
// single verdicts.
func TestAntreaDifferIsCompare(t *testing.T) {
	flips, singles := 0, 0
	for seed := range uint64(60) {
		w := newAntreaWorld(seed + 9000)
		c := w.cluster()
		next := w.antreaChange(c)
		before, after := onAntrea(t, c), onAntrea(t, next)
		all := diff.WatchedEnds{Pods: everyPod(next)}
		d, err := diff.DiffIndexes(context.Background(), before, after, diff.DiffQuestions{Watches: []diff.WatchedEnds{all}})
		if err != nil {
			t.Fatal(err)
		}
		count := func(from, to verdict.Verdict, p verdict.Protocol) string { return fmt.Sprint(from, to, p) }
		want, got := map[string]int{}, map[string]int{}
		for _, f := range Compare(before, after) {
			want[count(f.Before, f.After, f.Protocol)] += f.Pairs * (int(f.Hi) - int(f.Lo) + 1)
			flips++
		}
		for _, g := range d.Flips {
			for _, p := range g.Ports {
				got[count(g.Before, g.After, p.Protocol)] += g.Pairs * (int(p.Hi) - int(p.Lo) + 1)
			}
			checkGroup(t, int(seed), before, after, g)
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("seed %d: %v, compared %v", seed, got, want)
		}
		for _, g := range slices.Concat(d.OtherDeciders, d.Watched[0]) {
			checkGroup(t, int(seed), before, after, g)
		}
		singles += everyFlip(t, before, after)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Log(flips, singles)
	if flips < 100 || singles < 500 {
		t.Error("too few to prove anything")
	}
}

// everyFlip asks about every pair of pods, and of pods and nodes: what flips is in a
// Change, and what is in a Change flips.
func everyFlip(t *testing.T, before, after *verdict.Index) (n int) {
	t.Helper()
	flipped := func(from, to verdict.Endpoint, p verdict.Ports) bool {
		q := verdict.Connection{From: from, To: to, Protocol: p.Protocol, Port: p.Port, Family: verdict.IPv4}
		a, err := verdict.FromPolicies(before, q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := verdict.FromPolicies(after, q)
		if err != nil {
			t.Fatal(err)
		}
		return a.Verdict != b.Verdict
	}
	p := verdict.Ports{Protocol: verdict.TCP, Port: 81}
	want := 0
	var ends []verdict.Endpoint
	for pod := range after.Cluster().Pods() {
		if pod.CanBePeer() && pod.PrimaryUDN() == "" {
			ends = append(ends, verdict.Endpoint{Key: pod.Key})
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			if a != b && flipped(a, b, p) {
				want++
			}
		}
	}
	got := 0
	Changes(before, after, func(c Change) {
		if c.After(p) && c.Example.Family == verdict.IPv4 && c.Example.From.Key.Kind == model.KindPod && c.Example.To.Key.Kind == model.KindPod {
			got += c.Pairs
		}
		for _, f := range c.Flips {
			q := c.Example
			q.Protocol, q.Port = f.Protocol, f.Lo
			if a, _ := verdict.FromPolicies(before, q); a.Verdict != f.Before {
				t.Errorf("%s is %s, said to be %s", q, a.Verdict, f.Before)
			}
			if a, _ := verdict.FromPolicies(after, q); a.Verdict != f.After {
				t.Errorf("%s becomes %s, said to become %s", q, a.Verdict, f.After)
			}
		}
	})
	if got != want {
		t.Errorf("%d pairs of pods flip, %d are said to", want, got)
	}
	return want
}

// After says whether a port flips in a change.
func (c *Change) After(p verdict.Ports) bool {
	return slices.ContainsFunc(c.Flips, func(f Flip) bool { return f.Protocol == p.Protocol && f.Lo <= p.Port && p.Port <= f.Hi })
}

// TestAntreaMovesIsEveryDifference: what Moves counts at a priority is what the difference
// to a cluster with that priority counts.
func TestAntreaMovesIsEveryDifference(t *testing.T) {
	flips := 0
	for seed := range uint64(14) {
		c := newAntreaWorld(seed + 12000).cluster()
		x := onAntrea(t, c)
		n := 0
		for p := range c.AllPolicies() {
			k := p.Key
			if !x.HasPlaceInOrder(k) || k.Kind != model.KindACNP && k.Kind != model.KindANNP && k.Kind != model.KindANP {
				continue
			}
			n++
			there, before := n%2 == 0, x
			if !there {
				without, _ := c.Upsert(nil, []model.Key{k})
				before = onAntrea(t, without)
			}
			m, err := diff.NewPriorityMoves(context.Background(), x, k, there)
			if err != nil {
				t.Fatal(err)
			}
			for _, prio := range []float64{1, 2, 4.5, 5, 5.25, 5.5, 7, 10, 11, 101, 150} {
				q := *p
				if q.Tiered != nil {
					a := *p.Tiered
					a.Priority, q.Tiered = prio, &a
				} else {
					q.Priority, prio = int32(prio), float64(int32(prio))
				}
				next, _ := c.Upsert([]model.Object{&q}, nil)
				d, err := diff.DiffIndexes(context.Background(), before, onAntrea(t, next), diff.DiffQuestions{})
				if err != nil {
					t.Fatal(err)
				}
				want := slices.DeleteFunc(d.Totals, func(t diff.PairTotal) bool { return t.Before == t.After })
				if got := m.FlipsAt(prio); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s (there %v) to %g: %v, want %v", seed, k, there, prio, got, want)
				}
				flips += len(want)
			}
		}
	}
	t.Log(flips)
	if flips < 50 {
		t.Error("too few to prove anything")
	}
}
