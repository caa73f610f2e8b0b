package verdicts

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	demo "rung/examples-antrea"
	"rung/model"
	"rung/model/convert"
	"rung/model/verdict"
	"rung/test/made"
)

// enforced is one side of a conversion: who enforces the policies of which cluster.
type enforced struct {
	*verdict.Index
	cluster *model.Cluster
}

func enforcedBy(system *verdict.Precedence, c *model.Cluster) enforced {
	return enforced{verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, Precedence: system}}), c}
}

// ruleID is a rule.
type ruleID struct {
	policy model.PolicyKey
	dir    model.Direction
	rule   int
}

// judged are the paths of a connection, each with all rules that match, or may, whether they
// are asked or not.
func (s enforced) ask(q verdict.Connection) (a verdict.Answer, touched [][]ruleID, err error) {
	if a, err = verdict.FromPolicies(s.Index, q); err != nil {
		return a, nil, err
	}
	matching, err := verdict.MatchingRules(s.Index, q)
	for _, path := range matching {
		var rules []ruleID
		for _, i := range path {
			if r := &s.Rules[i]; r.Policy != nil {
				rules = append(rules, ruleID{r.Key, r.Direction, r.Index})
			}
		}
		touched = append(touched, rules)
	}
	return a, touched, err
}

// bySystems says whether the systems decide about a path by themselves, each in its own way:
// multicast, what comes back to the pod it is from, and what a node sends to its own pods.
func (s enforced) bySystems(p *verdict.Path) bool {
	to := s.cluster.Pod(p.To.Key.Namespace, p.To.Key.Name)
	return p.To.Addr.IsMulticast() || p.From.Key == p.To.Key && p.From.Key.Name != "" ||
		to != nil && s.NodeByAddr[p.From.Addr] == to.NodeName && to.NodeName != ""
}

// conversionCount is what a comparison saw.
type conversionCount struct {
	sets, rules, connections, decided, beside int
	labels                                    map[convert.FidelityLabel]int
	verdicts                                  map[verdict.Verdict]int
	shown, unshown                            int // rules that differ now: with a connection that shows it, and without
}

func (n *conversionCount) String() string {
	return fmt.Sprintf("%d sets, %d rules %v, %d connections, %d decided by rules that were made, %d beside what differs: %v; %d rules that differ were seen to, %d not",
		n.sets, n.rules, n.labels, n.connections, n.decided, n.beside, n.verdicts, n.shown, n.unshown)
}

// compare asks connections of both sides. One that no rule matches that differs now, as it was
// or as it is, is decided as before.
func (n *conversionCount) compare(t *testing.T, what string, r *convert.Result, before, after enforced, questions []verdict.Connection) {
	t.Helper()
	n.sets++
	differs, now := map[ruleID]bool{}, map[ruleID]ruleID{}
	for i := range r.Rules {
		c := &r.Rules[i]
		n.labels[c.Label]++
		n.rules++
		if id := (ruleID{c.Policy, c.Direction, c.Index}); c.Label != convert.Exact && c.Differs == convert.DiffersNow {
			differs[id] = true
			for _, to := range c.MadeRules {
				now[ruleID{to.Policy, to.Direction, to.Index}] = id
			}
		}
	}
	made := map[model.PolicyKey]bool{}
	for _, p := range r.Policies {
		made[p.Key] = true
	}
	seen := map[ruleID]bool{}
	for _, q := range questions {
		a, touched, err := before.ask(q)
		if errors.Is(err, verdict.ErrQuestion) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		b, matched, err := after.ask(q)
		if err != nil || len(a.Paths) != len(b.Paths) {
			t.Fatal(err, len(a.Paths), len(b.Paths))
		}
		for i := range a.Paths {
			was, is := &a.Paths[i], &b.Paths[i]
			var odd []ruleID
			if len(was.Stages) > 0 {
				odd = append(odd, touched[0]...)
				touched = touched[1:]
			}
			if len(is.Stages) > 0 {
				for _, r := range matched[0] {
					odd = append(odd, now[r])
				}
				matched = matched[1:]
			}
			if was.Verdict == verdict.NotApplicable || is.Verdict == verdict.NotApplicable || before.bySystems(was) {
				continue
			}
			n.connections++
			odd = slices.DeleteFunc(odd, func(r ruleID) bool { return !differs[r] })
			if len(odd) > 0 {
				n.beside++
				if was.Verdict != is.Verdict {
					for _, r := range odd {
						seen[r] = true
					}
				}
				continue
			}
			n.verdicts[was.Verdict]++
			for _, s := range is.Stages {
				if s.Decided != nil && made[s.Decided.Policy] {
					n.decided++
					break
				}
			}
			if was.Verdict != is.Verdict {
				t.Errorf("%s: %s (%s → %s): %s by %s became %s by %s", what, q, was.From.Addr, was.To.Addr,
					was.Verdict, deciders(was), is.Verdict, deciders(is))
			}
		}
	}
	n.shown += len(seen)
	n.unshown += len(differs) - len(seen)
}

// enough fails where too little was seen to prove anything.
func (n *conversionCount) enough(t *testing.T) {
	t.Helper()
	t.Log(n)
	for _, l := range []convert.FidelityLabel{convert.Exact, convert.Approximate, convert.Inexpressible} {
		if n.labels[l] < 100 {
			t.Errorf("%d rules are %s", n.labels[l], l)
		}
	}
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Undefined} {
		if n.verdicts[v] < 50 {
			t.Errorf("%s only %d times", v, n.verdicts[v])
		}
	}
	if n.sets < 500 || n.decided < 5000 || n.shown < 200 {
		t.Error("too few to prove anything")
	}
}

func deciders(p *verdict.Path) (out []string) {
	for _, s := range p.Stages {
		text := string(s.Stage)
		for _, d := range append(s.Passed, s.Candidates...) {
			text += fmt.Sprintf(" %s %d", d.Policy.Label(), d.Rule)
		}
		if s.Decided != nil {
			text += fmt.Sprintf(" by %s %d", s.Decided.Policy.Label(), s.Decided.Rule)
		}
		out = append(out, text)
	}
	return out
}

func newCount() *conversionCount {
	return &conversionCount{labels: map[convert.FidelityLabel]int{}, verdicts: map[verdict.Verdict]int{}}
}

func conversions() int { return draws(600, 6000) }

// replaced is a cluster with policies in place of those of some kinds.
func replaced(c *model.Cluster, policies []*model.Policy, kinds ...model.Kind) *model.Cluster {
	var gone []model.Key
	for _, k := range kinds {
		for p := range c.Policies(k) {
			gone = append(gone, p.Key)
		}
	}
	objects := make([]model.Object, len(policies))
	for i, p := range policies {
		objects[i] = p
	}
	out, _ := c.Upsert(nil, gone)
	out, _ = out.Upsert(objects, nil)
	return out
}

// TestFromAntreaAgrees converts random sets of policies of Antrea and asks single verdicts of
// both sides.
func TestFromAntreaAgrees(t *testing.T) {
	for _, to := range []model.Kind{model.KindANP, model.KindCNP} {
		t.Run(to.Abbreviation(), func(t *testing.T) {
			n := newCount()
			for seed := range uint64(conversions()) {
				w := newAntreaWorld(seed + 30_000)
				c := w.plain(w.cluster(), true)
				if seed%3 > 0 {
					c = tame(c)
				}
				r := convert.FromAntrea(c, to)
				next := replaced(c, r.Policies, model.KindACNP, model.KindANNP)
				var questions []verdict.Connection
				for range 100 {
					questions = append(questions, w.connection(c))
				}
				n.compare(t, fmt.Sprintf("seed %d", seed), &r, enforcedBy(verdict.Antrea, c), enforcedBy(verdict.Stages, next), questions)
				if t.Failed() {
					t.FailNow()
				}
			}
			n.enough(t)
		})
	}
}

// TestToAntreaAgrees converts random ANPs, BANPs and CNPs and asks single verdicts of both
// sides: on OVN-Kubernetes before, or on Antrea that has policies of its own already.
func TestToAntreaAgrees(t *testing.T) {
	n := newCount()
	for seed := range uint64(conversions()) {
		w := newWorld(seed + 40_000)
		c, _ := w.cluster()
		c = w.someCNP(w.plain(c, false))
		before := onOVN(c)
		if seed%3 == 0 {
			c = newAntreaWorld(seed + 40_000).natives(c)
			before = enforcedBy(verdict.Antrea, c)
		}
		r := convert.ToAntrea(c)
		next := replaced(c, r.Policies, model.KindANP, model.KindBANP, model.KindCNP)
		var questions []verdict.Connection
		for range 100 {
			questions = append(questions, w.connection(c))
		}
		n.compare(t, fmt.Sprintf("seed %d", seed), &r, before, enforcedBy(verdict.Antrea, next), questions)
		if t.Failed() {
			t.FailNow()
		}
	}
	n.enough(t)
}

// TestAntreaExamplesConverted asks of every pair of pods of the examples, which are the
// documentation's policies, and of pods and the outside.
func TestAntreaExamplesConverted(t *testing.T) {
	c := made.Cluster(objectsOf(t, demo.Files)...)
	outside := verdict.AddrEnd(netip.MustParseAddr("8.8.8.8"))
	var questions []verdict.Connection
	for from := range c.Pods() {
		ends := []verdict.Endpoint{outside}
		for to := range c.Pods() {
			ends = append(ends, verdict.Endpoint{Key: to.Key})
		}
		for _, to := range ends {
			for _, port := range []uint16{53, 80, 443, 5978, 6379, 8080} {
				questions = append(questions, verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: to, Protocol: verdict.TCP, Port: port})
			}
			questions = append(questions, verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: to, Protocol: verdict.UDP, Port: 53}, verdict.Connection{From: outside, To: verdict.Endpoint{Key: from.Key}, Protocol: verdict.TCP, Port: 80})
		}
	}
	for _, to := range []model.Kind{model.KindANP, model.KindCNP} {
		n := newCount()
		r := convert.FromAntrea(c, to)
		n.compare(t, to.Abbreviation(), &r, enforcedBy(verdict.Antrea, c), enforcedBy(verdict.Stages, replaced(c, r.Policies, model.KindACNP, model.KindANNP)), questions)
		t.Log(n)
		if n.decided < 200 {
			t.Error("too few to prove anything")
		}
	}
}
