package verdicts

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// decisionsOf says of one connection, walk by walk, which rules decide and which pass it on,
// and its verdict.
func decisionsOf(t *testing.T, x *verdict.Index, q verdict.Connection) (walks []string, v verdict.Verdict) {
	t.Helper()
	a, err := verdict.TracePolicies(x, q)
	if err != nil {
		t.Fatal(err)
	}
	names := func(deciders []verdict.Decider) (out []string) {
		for _, d := range deciders {
			out = append(out, fmt.Sprint(d.Policy, d.Direction, d.Rule))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for s := range a.Stages() {
		walks = append(walks, fmt.Sprint(s.Verdict, names(decidersOf(s)), names(s.Passed)))
	}
	return walks, a.Verdict
}

// decidersOf are all rules that decide a traced stage, alike or not.
func decidersOf(s *verdict.StageVerdict) (out []verdict.Decider) {
	if len(s.Candidates) > 0 || s.Decided == nil {
		return s.Candidates
	}
	for _, tier := range s.Tiers {
		for _, a := range tier.Attempts {
			if a.Matched && a.Tier == s.Decided.Tier && a.Priority == s.Decided.Priority {
				out = append(out, a.Decider)
			}
		}
	}
	return out
}

// without is the cluster with a rule of a policy that matches nothing any more, and stands
// where it stood.
func without(c *model.Cluster, k model.Key, d model.Direction, rule int) *model.Cluster {
	p := *c.Policy(k)
	for _, rules := range []*[]model.Rule{&p.Ingress, &p.Egress} {
		*rules = slices.Clone(*rules)
		for i := range *rules {
			if r := &(*rules)[i]; r.Direction == d && i == rule {
				r.Peers, r.AnyPeer = nil, false
			}
		}
	}
	next, _ := c.Upsert([]model.Object{&p}, nil)
	return next
}

// everyQuestion is every connection of a universe: between its pods, and from and to an
// address of each network that a rule names or none does.
func everyQuestion(x *verdict.Index) (out []verdict.Connection) {
	var ends []verdict.Endpoint
	for p := range x.Cluster().Pods() {
		ends = append(ends, verdict.Endpoint{Key: p.Key})
	}
	pods := len(ends)
	for _, a := range []string{"192.0.2.1", "192.0.2.200", "10.1.0.77", "8.8.8.8"} {
		ends = append(ends, verdict.AddrEnd(netip.MustParseAddr(a)))
	}
	for i, a := range ends {
		for j, b := range ends {
			for _, p := range smallPorts {
				if i != j && (i < pods || j < pods) {
					out = append(out, verdict.Connection{From: a, To: b, Protocol: p.Protocol, Port: p.Port})
				}
			}
		}
	}
	return out
}

// TestAuditIsRemoval: on a small universe, for every subset of eight rules and every rule of
// it, a rule never decides if and only if nothing is decided by another one without it, and
// it does not matter if and only if no verdict is another one without it. What is shown of a
// rule is what the single verdict says.
func TestAuditIsRemoval(t *testing.T) {
	o := compiler.Options{IPv4: true, Defaults: compiler.On}
	var idle, idleMatching, useless, rules, over, unpicked, outside int
	subsets(func(i int) {
		c := smallWorld(i)
		x, _ := indexOf(t, c, o)
		a, err := verdict.NewAudit(context.Background(), x, verdict.AuditQuestions{})
		if err != nil {
			t.Fatal(err)
		}
		questions := everyQuestion(x)
		type before struct {
			walks []string
			v     verdict.Verdict
		}
		was := map[verdict.Connection]before{}
		for _, q := range questions {
			walks, v := decisionsOf(t, x, q)
			was[q] = before{walks, v}
		}
		for n := range a.Rules {
			r := &a.Rules[n]
			y := verdict.NewIndex(verdict.View{Cluster: without(c, r.Policy, r.Direction, r.Rule), Options: x.Options()})
			decides, matters := false, false
			for _, q := range questions {
				walks, v := decisionsOf(t, y, q)
				decides = decides || !slices.Equal(walks, was[q].walks)
				matters = matters || v != was[q].v
			}
			if r.Decides != decides || r.Matters != matters {
				t.Errorf("rules %08b, %s %s %d: decides %v, matters %v; its removal changes who decides: %v, a verdict: %v",
					i, r.Policy, r.Direction, r.Rule, r.Decides, r.Matters, decides, matters)
			}
			rules++
			if !decides {
				idle++
				if r.Matches {
					idleMatching++
				}
			}
			if decides && !matters {
				useless++
			}
			checkAudited(t, x, r)
			if r.Overruled != nil {
				over++
			}
			if r.Outside != nil {
				outside++
			}
			if r.Action == model.Pass && r.Decides && !r.DecidedBelow {
				unpicked++
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	})
	t.Logf("%d rules: %d never decide (%d of them match), %d decide and do not matter, %d over another, %d Passes that nothing picks up, %d Denies that leave what is outside",
		rules, idle, idleMatching, useless, over, unpicked, outside)
	if idleMatching == 0 || useless == 0 || over == 0 || unpicked == 0 {
		t.Error("the universe does not have all there is to find")
	}
}

// checkAudited holds what is shown of a rule against single verdicts.
func checkAudited(t *testing.T, x *verdict.Index, r *verdict.AuditedRule) {
	t.Helper()
	answer := func(q verdict.Connection) verdict.Answer {
		a, err := verdict.TracePolicies(x, q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	about := fmt.Sprintf("%s %s %d", r.Policy, r.Direction, r.Rule)
	if r.Matches {
		decides := false
		is := func(d *verdict.Decider) bool {
			return d != nil && d.Policy == r.Policy && d.Direction == r.Direction && d.Rule == r.Rule
		}
		a := answer(r.Example)
		for _, s := range a.Paths[0].Stages {
			decides = decides || is(s.Decided)
			for _, list := range [][]verdict.Decider{s.Candidates, s.Passed} {
				for i := range list {
					decides = decides || is(&list[i])
				}
			}
		}
		matching, err := verdict.MatchingRules(x, r.Example)
		if err != nil {
			t.Fatal(err)
		}
		matched := false
		for _, rule := range slices.Concat(matching...) {
			d := x.RuleDecider(rule)
			matched = matched || is(&d)
		}
		if !matched || r.Decides && !decides && !amongDecided(t, x, r) {
			t.Errorf("%s: the example %s is matched: %v, decided by it: %v", about, r.Example, matched, decides)
		}
	}
	if o := r.Overruled; o != nil {
		want := verdict.Allow
		if r.Action == model.Deny {
			want = verdict.Deny
		}
		if a := answer(o.Connection); a.Verdict != want || len(o.Deciders) == 0 {
			t.Errorf("%s: %s is %s, by %v", about, o.Connection, a.Verdict, o.Deciders)
		}
	}
	if r.Outside != nil && answer(*r.Outside).Verdict != verdict.Allow {
		t.Errorf("%s: %s from outside does not come in", about, r.Outside)
	}
}

// amongDecided says whether a rule is one of several of its priority that decide alike.
func amongDecided(t *testing.T, x *verdict.Index, r *verdict.AuditedRule) bool {
	walks, _ := decisionsOf(t, x, r.Example)
	name := fmt.Sprint(r.Policy, r.Direction, r.Rule)
	return slices.ContainsFunc(walks, func(s string) bool { return strings.Contains(s, name) })
}

// TestAuditOfRandomClusters: what is shown of rules of random clusters of all kinds is what
// single verdicts say, and no random connection is decided by a rule that never decides.
func TestAuditOfRandomClusters(t *testing.T) {
	idle, rules := 0, 0
	for seed := range 60 {
		w := newWorld(uint64(seed) + 4000)
		c, o := w.cluster()
		x, _ := indexOf(t, c, o)
		a, err := verdict.NewAudit(context.Background(), x, verdict.AuditQuestions{})
		if err != nil {
			t.Fatal(err)
		}
		never := map[string]bool{}
		for i := range a.Rules {
			r := &a.Rules[i]
			checkAudited(t, x, r)
			rules++
			if r.Matches && !r.Decides {
				idle++
				never[fmt.Sprint(r.Policy, r.Direction, r.Rule)] = true
			}
		}
		for range 200 {
			q := w.connection(c)
			if q.To.Key.Kind == model.KindService || q.From.Key.Kind == model.KindNode || q.To.Addr.IsMulticast() {
				continue
			}
			ans, err := verdict.FromPolicies(x, q)
			if errors.Is(err, verdict.ErrQuestion) {
				continue
			}
			for _, p := range ans.Paths {
				for _, s := range p.Stages {
					for _, d := range append(slices.Clone(s.Candidates), s.Passed...) {
						if never[fmt.Sprint(d.Policy, d.Direction, d.Rule)] {
							t.Errorf("seed %d: %s decides %s", seed, fmt.Sprint(d.Policy, d.Direction, d.Rule), q)
						}
					}
					if d := s.Decided; d != nil && never[fmt.Sprint(d.Policy, d.Direction, d.Rule)] {
						t.Errorf("seed %d: %s decides %s", seed, fmt.Sprint(d.Policy, d.Direction, d.Rule), q)
					}
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d of %d rules never decide", idle, rules)
	if idle == 0 {
		t.Error("the clusters prove nothing")
	}
}

// TestAuditIsBounded: it ends with its context, and says what is too large instead of
// trying.
func TestAuditIsBounded(t *testing.T) {
	x, _ := indexOf(t, smallWorld(255), compiler.Options{IPv4: true})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := verdict.NewAudit(ctx, x, verdict.AuditQuestions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var objects []model.Object
	objects = append(objects, made.NS("a", ""))
	for i := range 1500 { // told apart by which of eleven labels they have
		var labels []string
		for bit := range 11 {
			labels = append(labels, fmt.Sprintf("b%d=%d", bit, i>>bit&1))
		}
		objects = append(objects, made.Pod(fmt.Sprintf("a/p%d", i), strings.Join(labels, ","), fmt.Sprintf("10.1.%d.%d", i/200, i%200+1)))
	}
	var rules []model.Rule
	for bit := range 11 {
		rules = append(rules, made.Rule(model.Allow, made.Peers(made.PodPeer("*", fmt.Sprintf("b%d=1", bit)))))
	}
	objects = append(objects, wholeNamespaces("p", 1, "*", rules, nil))
	x = verdict.NewIndex(verdict.View{Cluster: made.Cluster(objects...), Options: x.Options()})
	if _, err := verdict.NewAudit(context.Background(), x, verdict.AuditQuestions{}); !errors.Is(err, verdict.ErrTooLarge) {
		t.Errorf("1,500 kinds of pods: %v", err)
	}
}
