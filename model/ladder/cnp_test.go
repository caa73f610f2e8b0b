package ladder

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// ClusterNetworkPolicies stand at their tier and priority. Where nobody makes rows of them
// they hold no priority: it is free, and shared with nobody.
func TestCNP(t *testing.T) {
	cnp := func(name string, tier int, priority int32, a model.Action) *model.Policy {
		p := made.ANP(name, priority, "*", []model.Rule{made.Rule(a, made.Peers(made.NSPeer("*")))}, nil)
		p.Kind, p.Tier = model.KindCNP, tier
		return p
	}
	banp := cnp("default", model.TierBaseline, 0, model.Deny)
	banp.Kind = model.KindBANP
	c := made.Cluster(made.NS("a", ""), made.Pod("a/p", "x=y", "10.1.0.1"), made.Pod("a/q", "x=y", "10.1.0.2"),
		made.ANP("anp", 5, "*", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")))}, nil), banp,
		cnp("same", model.TierAdmin, 5, model.Allow), cnp("alone", model.TierAdmin, 50, model.Deny),
		cnp("x", model.TierBaseline, 9, model.Deny), cnp("y", model.TierBaseline, 9, model.Allow))
	text := func(l *Ladder) (out []string) {
		for _, tier := range []int{1, 3} {
			for i := range l.Tiers[tier].Rungs {
				r := &l.Tiers[tier].Rungs[i]
				line := fmt.Sprintf("%d at %d, row %d:", tier, r.Priority, l.Tiers[tier].TopPriority(r))
				for _, p := range r.Policies {
					line += " " + p.Policy.Label()
				}
				if r.Idle {
					line += " idle"
				}
				if r.Duplicate {
					line += " duplicate"
				}
				out = append(out, line)
			}
			for _, g := range l.Tiers[tier].Gaps {
				out = append(out, fmt.Sprintf("free %d–%d", g.From, g.To))
			}
		}
		return append(out, fmt.Sprint(len(l.Conflicts), " conflicts"))
	}
	idle := []string{"1 at 5, row 29500: ANP anp", "1 at 5, row 29500: CNP same idle", "1 at 50, row 25000: CNP alone idle",
		"free 0–4", "free 6–99", "3 at 9, row 29100: CNP x CNP y idle", "3 at 0, row 1750: BANP default", "0 conflicts"}
	if d := cmp.Diff(idle, text(New(c, Options{}))); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	compiled := []string{"1 at 5, row 29500: ANP anp CNP same duplicate", "1 at 50, row 25000: CNP alone",
		"free 0–4", "free 6–49", "free 51–99", "3 at 9, row 29100: CNP x CNP y duplicate", "3 at 0, row 1750: BANP default", "2 conflicts"}
	if d := cmp.Diff(compiled, text(New(c, Options{CNP: true}))); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	l := New(c, Options{})
	if r := l.RungAt(50); r != nil {
		t.Errorf("50 is free, and %s stands there", r.Policies[0].Policy.Label())
	}
	rungs, gaps := l.WithMoved(model.Key{Kind: model.KindANP, Name: "anp"}, 50)
	if len(rungs) != 3 || rungs[1].Idle || rungs[1].Priority != 50 || len(gaps) != 2 {
		t.Errorf("moved to 50: %+v, free %v", rungs, gaps)
	}
}
