package verdicts

import (
	"rung/model/verdict"
	"testing"
)

// FuzzVerdict lets the fuzzer choose the cluster and the question: policies and the rows
// that compile from them agree, and what is traced is what is said without.
func FuzzVerdict(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed*97, seed)
	}
	f.Fuzz(func(t *testing.T, cluster, question uint64) {
		c, o := newWorld(cluster).cluster()
		x, d := indexOf(t, c, o)
		zones := zonesOf(d)
		w := newWorld(question)
		for range 4 {
			q := w.connection(c)
			p, err := verdict.FromPolicies(x, q)
			if err != nil {
				continue
			}
			r, err := verdict.FromRows(x, zones, q)
			if err != nil {
				t.Fatal(err)
			}
			if what := disagreement(p, r); what != "" {
				t.Errorf("%s: %s", q, what)
			}
			traced, err := verdict.TracePolicies(x, q)
			if err != nil || traced.Verdict != p.Verdict {
				t.Errorf("%s: %s, traced %s (%v)", q, p.Verdict, traced.Verdict, err)
			}
		}
	})
}
