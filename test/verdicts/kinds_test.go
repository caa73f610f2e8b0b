package verdicts

import (
	"testing"

	"rung/model"
	"rung/model/verdict"
)

// TestKindsAreEveryVerdict: what a matrix says of the kinds of pods is what single verdicts
// say of each pair of pods, in each family, those on the host's network and those without
// an address included; and its examples are true.
func TestKindsAreEveryVerdict(t *testing.T) {
	asked, hosts, examples := 0, 0, 0
	for seed := range 60 {
		c, o := newWorld(uint64(seed) + 9000).cluster()
		x, _ := indexOf(t, c, o)
		classes := verdict.NewClasses(x, nil)
		every := classes.Matrix(verdict.Ports{})
		p := askedPorts()[seed%len(askedPorts())]
		m := classes.Matrix(p)
		verdicts := func(a, b *model.Pod, p verdict.Ports) (out verdict.Outcome) {
			for _, f := range [...]verdict.Family{verdict.IPv4, verdict.IPv6} {
				answer, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.Endpoint{Key: a.Key}, To: verdict.Endpoint{Key: b.Key}, Protocol: p.Protocol, Port: p.Port, Family: f})
				if err != nil {
					t.Fatal(err)
				}
				out |= verdict.NewOutcome(answer.Verdict)
			}
			return out
		}
		for a := range c.Pods() {
			for b := range c.Pods() {
				if a == b {
					continue
				}
				ka, kb, one := classes.KindOfPod(a), classes.KindOfPod(b), a.NodeName == b.NodeName
				want := verdicts(a, b, p)
				if got := m.OutcomeBetween(ka, kb, one); got != want {
					t.Errorf("seed %d: %s → %s %v: %b by kinds, %b alone", seed, a.Key, b.Key, p, got, want)
				}
				all := every.OutcomeBetween(ka, kb, one)
				if all&want != want {
					t.Errorf("seed %d: %s → %s %v: %b, and all ports %b", seed, a.Key, b.Key, p, want, all)
				}
				for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Undefined, verdict.Unknown} {
					q, f, ok := every.ExamplePort(ka, kb, one, v)
					if ok != (all&verdict.NewOutcome(v) != 0) {
						t.Errorf("seed %d: %s → %s: %b, and an example of %s: %v", seed, a.Key, b.Key, all, v, ok)
					}
					if !ok {
						continue
					}
					examples++
					answer, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.Endpoint{Key: a.Key}, To: verdict.Endpoint{Key: b.Key}, Protocol: q.Protocol, Port: q.Port, Family: f})
					if err != nil || answer.Verdict != v {
						t.Errorf("seed %d: %s → %s %v is an example of %s, and is %s (%v)", seed, a.Key, b.Key, q, v, answer.Verdict, err)
					}
				}
				asked++
				if a.HostNetwork != b.HostNetwork && want != 0 {
					hosts++
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d pairs, %d of them with a pod on the host's network, %d examples", asked, hosts, examples)
	if asked < 3000 || hosts < 100 || examples < 3000 {
		t.Error("too few to prove anything")
	}
}
