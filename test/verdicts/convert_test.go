package verdicts

import (
	"embed"
	"errors"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/convert"
	"rung/model/verdict"
	"rung/sources/manifests"
	demo "rung/test/given/troubled"
)

// with is a cluster with other policies in place of all ANPs, BANPs and CNPs.
func with(c *model.Cluster, policies []*model.Policy) *model.Cluster {
	var gone []model.Key
	for p := range c.AllPolicies() {
		if p.Kind.IsAdmin() {
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

// spoken is a cluster without ports of a protocol that nobody knows: a rule of nothing else is
// left out, which moves those behind it among policies of one priority.
func spoken(c *model.Cluster) *model.Cluster {
	var policies []*model.Policy
	for p := range c.AllPolicies() {
		if !p.Kind.IsAdmin() {
			continue
		}
		next := *p
		for _, rules := range []*[]model.Rule{&next.Ingress, &next.Egress} {
			*rules = slices.Clone(*rules)
			for i := range *rules {
				(*rules)[i].Ports = slices.DeleteFunc(slices.Clone((*rules)[i].Ports), func(p model.Port) bool { return p.IsBroken() })
			}
		}
		policies = append(policies, &next)
	}
	return with(c, policies)
}

// TestConvertedAgree asks connections of random clusters, of their ANPs and BANP and of what
// becomes of them as CNPs, by policies and by rows: the answers are the same, and decided by
// the rule that the conversion names.
func TestConvertedAgree(t *testing.T) {
	seen := map[string]int{}
	for seed := range 200 {
		w := newWorld(uint64(seed) + 60_000)
		c, o := w.cluster()
		c, o.CNP = spoken(c), true
		r := convert.ToCNP(slices.Collect(c.AllPolicies()))
		if l := r.Label(); l != convert.Exact {
			t.Fatalf("seed %d: %s", seed, l)
		}
		seen["clusters"]++
		a, _ := indexOf(t, c, o)
		b, d := indexOf(t, with(c, r.Policies), o)
		zones := zonesOf(d)
		for range 60 {
			q := w.connection(c)
			want, err := verdict.FromPolicies(a, q)
			if errors.Is(err, verdict.ErrQuestion) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			got, err := verdict.FromPolicies(b, q)
			if err != nil {
				t.Fatal(err)
			}
			if what := converted(&r, &want, &got); what != "" {
				t.Fatalf("seed %d: %s: %s", seed, q, what)
			}
			rows, err := verdict.FromRows(b, zones, q)
			if err != nil {
				t.Fatal(err)
			}
			if what := disagreement(got, rows); what != "" {
				t.Fatalf("seed %d: %s: %s", seed, q, what)
			}
			note(seen, &got)
		}
	}
	t.Log(seen)
	for _, what := range []string{"allow", "deny", "undefined", "passed", "tier 1", "tier 2", "tier 3"} {
		if seen[what] == 0 {
			t.Errorf("never drawn: %s", what)
		}
	}
}

// converted says where an answer differs from that of the policies it was made from.
func converted(r *convert.Result, want, got *verdict.Answer) string {
	if want.Verdict != got.Verdict || len(want.Paths) != len(got.Paths) {
		return string(want.Verdict) + " became " + string(got.Verdict)
	}
	for i := range want.Paths {
		for j := range want.Paths[i].Stages {
			a, b := want.Paths[i].Stages[j].Decided, got.Paths[i].Stages[j].Decided
			if a == nil || b == nil || want.Verdict == verdict.Undefined {
				if (a == nil) != (b == nil) {
					return "one is decided by the default"
				}
				continue
			}
			if !a.Policy.Kind.IsAdmin() {
				if a.Policy != b.Policy {
					return a.Policy.Label() + " became " + b.Policy.Label()
				}
				continue
			}
			k := slices.IndexFunc(r.Rules, func(c convert.Rule) bool {
				return c.Policy == a.Policy && c.Direction == a.Direction && c.Index == a.Rule
			})
			if k < 0 || !slices.Contains(r.Rules[k].MadeRules, convert.MadeRule{Policy: b.Policy, Direction: b.Direction, Index: b.Rule}) {
				return a.Policy.Label() + " became " + b.Policy.Label()
			}
		}
	}
	return ""
}

// objectsOf are those of the manifests of a demo.
func objectsOf(t *testing.T, files embed.FS) (objects []model.Object) {
	t.Helper()
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, manifests.Parse(f.Name(), text, manifests.Options{}).Objects...)
	}
	return objects
}

// TestExamplesConverted asks of every pair of pods of the demo cluster, on the ports that
// matter there, of its own ANPs and BANP and of the same as CNPs.
func TestExamplesConverted(t *testing.T) {
	c, _ := (*model.Cluster)(nil).Upsert(objectsOf(t, demo.Files), nil)
	o := compiler.Options{CNP: true}
	r := convert.ToCNP(slices.Collect(c.AllPolicies()))
	if l := r.Label(); l != convert.Exact {
		t.Fatal(l)
	}
	a, _ := indexOf(t, c, o)
	b, _ := indexOf(t, with(c, r.Policies), o)
	back := convert.ToANP(r.Policies)
	e, _ := indexOf(t, with(c, back.Policies), o)
	n := 0
	for from := range c.Pods() {
		for to := range c.Pods() {
			for _, port := range []uint16{53, 80, 443, 8080, 9090, 6443} {
				q := verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: verdict.Endpoint{Key: to.Key}, Protocol: verdict.TCP, Port: port}
				want, err := verdict.FromPolicies(a, q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := verdict.FromPolicies(b, q)
				if err != nil {
					t.Fatal(err)
				}
				again, err := verdict.FromPolicies(e, q)
				if err != nil {
					t.Fatal(err)
				}
				if what := converted(&r, &want, &got); what != "" || again.Verdict != want.Verdict {
					t.Fatalf("%s: %s, and %s as ANP again", q, what, again.Verdict)
				}
				n++
			}
		}
	}
	t.Logf("%d connections", n)
}

// Without being asked to, nobody decides by a CNP: the verdict is what it is without them.
func TestIdle(t *testing.T) {
	for seed := range 60 {
		w := newWorld(uint64(seed) + 70_000)
		c, o := w.cluster()
		r := convert.ToCNP(slices.Collect(c.AllPolicies()))
		a, _ := indexOf(t, with(c, nil), o)
		b, _ := indexOf(t, with(c, r.Policies), o)
		for range 40 {
			q := w.connection(c)
			want, errA := verdict.FromPolicies(a, q)
			got, errB := verdict.FromPolicies(b, q)
			if (errA == nil) != (errB == nil) || want.Verdict != got.Verdict {
				t.Fatalf("seed %d: %s: %s became %s", seed, q, want.Verdict, got.Verdict)
			}
		}
	}
}
