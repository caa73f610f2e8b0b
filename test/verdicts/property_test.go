package verdicts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
)

// disagreement is the first thing that policies and rows say differently of a
// connection, empty where they agree. Rows do not know that the addresses of a DNS name
// are unknown: to them the set is empty.
func disagreement(p, r verdict.Answer) string {
	if len(p.Paths) != len(r.Paths) {
		return fmt.Sprintf("%d paths by policies, %d by rows", len(p.Paths), len(r.Paths))
	}
	for i := range p.Paths {
		a, b := &p.Paths[i], &r.Paths[i]
		if len(a.Stages) != len(b.Stages) {
			return fmt.Sprintf("%d stages by policies, %d by rows", len(a.Stages), len(b.Stages))
		}
		for j := range a.Stages {
			s, t := &a.Stages[j], &b.Stages[j]
			if s.Verdict == verdict.Unknown && strings.Contains(s.Reason, "unknown") {
				continue
			}
			if len(s.Candidates) > 0 && slices.ContainsFunc(s.Candidates, func(d verdict.Decider) bool { return d.Policy.Kind == model.KindEF }) {
				if s.Verdict != t.Verdict {
					return fmt.Sprintf("%s in %s: %s by policies, %s by rows", s.Stage, s.Zone, s.Verdict, t.Verdict)
				}
				continue
			}
			if x, y := text(s), text(t); x != y {
				return fmt.Sprintf("%s in %s: by policies %s, by rows %s", s.Stage, s.Zone, x, y)
			}
		}
	}
	return ""
}

// text is the verdict of a stage with all that decided it, each once.
func text(s *verdict.StageVerdict) string {
	names := func(ds []verdict.Decider) string {
		set := map[string]bool{}
		for _, d := range ds {
			if d.Policy.Kind == model.KindNP { // of several that allow, any may be told
				d.Policy, d.Rule, d.Direction = model.Key{Kind: model.KindNP}, 0, ""
			}
			if d.Priority == 1001 {
				d = verdict.Decider{Priority: 1001, Action: d.Action}
			}
			set[fmt.Sprint(d.Tier, " ", d.Policy, " ", d.Direction, " ", d.Rule, " ", d.Action, " ", d.Priority)] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(set)), ", ")
	}
	decided := s.Candidates
	if len(decided) == 0 && s.Decided != nil {
		if s.Decided.Tier == model.TierAdmin { // several policies of one priority may agree
			decided = []verdict.Decider{{Tier: 1, Priority: s.Decided.Priority, Action: s.Decided.Action}}
		} else {
			decided = []verdict.Decider{*s.Decided}
		}
	}
	return fmt.Sprintf("%s by [%s] after [%s]", s.Verdict, names(decided), names(s.Passed))
}

// TestPoliciesAgreeWithRows asks random connections of random clusters, of the policies
// and of the rows that compile from them: every stage has the same verdict by the same
// deciders.
func TestPoliciesAgreeWithRows(t *testing.T) {
	clusters, each := draws(240, 4400), 50
	seen := map[string]int{}
	failed := 0
	for seed := range clusters {
		w := newWorld(uint64(seed))
		c, o := w.cluster()
		x, d := indexOf(t, c, o)
		zones := zonesOf(d)
		for range each {
			q := w.connection(c)
			p, err := verdict.FromPolicies(x, q)
			if err != nil {
				if !errors.Is(err, verdict.ErrQuestion) {
					t.Fatal(err)
				}
				seen["no question"]++
				continue
			}
			r, err := verdict.FromRows(x, zones, q)
			if err != nil {
				t.Fatal(err)
			}
			if what := disagreement(p, r); what != "" {
				t.Errorf("seed %d: %s: %s", seed, q, what)
				failed++
				if failed > 5 {
					t.FailNow()
				}
			}
			note(seen, &p)
		}
	}
	t.Log(seen)
	if n := seen["allow"] + seen["deny"] + seen["undefined"] + seen["unknown"]; n < 5000 {
		t.Errorf("only %d connections were decided", n)
	}
	for _, what := range []string{"allow", "deny", "undefined", "unknown", "not applicable", "defect", "passed", "tier 1", "tier 2", "tier 3",
		"NetpolNamespace", "NetpolDefault", "NetpolNode", "MulticastNS", "MulticastCluster", "EgressFirewall", "NetworkPolicy", "hairpin"} {
		if seen[what] == 0 {
			t.Errorf("never drawn: %s", what)
		}
	}
}

// note counts what shows in an answer.
func note(seen map[string]int, a *verdict.Answer) {
	seen[string(a.Verdict)]++
	for i := range a.Paths {
		for j := range a.Paths[i].Stages {
			s := &a.Paths[i].Stages[j]
			if len(s.Passed) > 0 {
				seen["passed"]++
			}
			if a.Paths[i].Note != "" {
				seen["hairpin"]++
			}
			if d := s.Decided; d != nil {
				seen[fmt.Sprint("tier ", d.Tier)]++
				seen[string(d.Policy.Kind)]++
				if d.Defect != "" {
					seen["defect"]++
				}
			}
		}
	}
}
