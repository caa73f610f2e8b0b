package gate

import (
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/examples"
	"rung/model"
	"rung/model/verdict"
	"rung/sources/manifests"
	"rung/test/given"
)

// A pair that two rules kept shut, each on other ports, counts once; where more opens than
// admin policies denied the guard says of how many.
func TestOpensCountsPairs(t *testing.T) {
	const isolated = "{podSelector: {}, policyTypes: [Ingress]}"
	for _, c := range []struct {
		name        string
		world       []string
		m           Mutation
		says        string
		connections string
	}{
		{"two Denies of one pair", []string{given.ANP("wall", 50, "tenant=blue", "in deny team=ops tcp:80", "in deny team=ops")}, remove("wall"),
			"opens what a Deny keeps shut: 2 pairs deny → allow, for example", "2 pairs deny → allow"},
		{"a Deny, and a NetworkPolicy", []string{given.NP("blue", "shut", isolated), given.ANP("wall", 50, "tenant=blue", "in deny team=ops")},
			apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops", "in allow tenant=red")),
			"opens what a Deny keeps shut: 2 of 6 pairs deny → allow, for example", "6 pairs deny → allow"},
		{"a tie", []string{given.ANP("wall", 50, "tenant=blue", "in deny team=ops")}, apply(given.ANP("door", 50, "tenant=blue", "in allow team=ops")),
			"may open what a Deny keeps shut: 2 pairs deny → undefined, for example", "2 pairs deny → undefined"},
		{"a tie in part", []string{given.ANP("wall", 50, "tenant=blue", "in deny team=ops")},
			apply(given.ANP("door", 50, "tenant=blue", "in allow team=ops") + "\n---\n" + given.ANP("gate", 40, "tenant=blue", "in allow team=ops tcp:80")),
			"opens what a Deny keeps shut: 2 pairs deny → undefined, 2 pairs deny → allow, for example monitoring/prom-0 → blue/db-1 tcp 80,",
			"2 pairs deny → undefined, 2 pairs deny → allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.world...)
			p, err := w.gate("").Preview(context.Background(), w.Current(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			said := opensOf(p)
			if !strings.HasPrefix(said, c.says) || !strings.Contains(said, ", denied before by ANP wall ingress ") {
				t.Errorf("%q, want %q", said, c.says)
			}
			if got := p.Effect.Text(); got != c.connections {
				t.Errorf("%q, want %q", got, c.connections)
			}
		})
	}
}

// What the guard counts is what the preview counts, for every policy of the demo that is
// deleted, or moved to the top or the bottom: read as files, and as rung demo reads them.
func TestOpensCountsAsThePreview(t *testing.T) {
	res, err := manifests.Read(t.Context(), manifests.Options{FS: examples.Files, Paths: []string{"."}, SkipSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string]compiler.Options{
		"files": {IPv4: true},
		"demo": {IPv4: true, ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")},
			DNS: map[string][]string{"mirror.example.com": {"192.0.2.80", "198.51.100.80"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var was []model.Key
			for o := range w.Current().Cluster.Pods() {
				was = append(was, o.Key)
			}
			w.Options = options
			w.Apply(res.Objects, was)
			g := w.gate("")
			guarded, shared := 0, 0
			for p := range w.Current().Cluster.AllPolicies() {
				ms := []Mutation{{Op: OpDelete, Policy: p.Key}}
				if p.Kind == model.KindANP {
					ms = append(ms, move(p.Key.Name, 0), move(p.Key.Name, 99))
				}
				for _, m := range ms {
					pre, err := g.Preview(t.Context(), w.Current(), m)
					if err != nil || pre.Blocked != "" {
						t.Fatalf("%+v: %v %s", m, err, pre.Blocked)
					}
					checkOpens(t, pre)
					if said := opensOf(pre); said != "" {
						guarded++
						if inTwoGroups(pre.Effect) {
							shared++
						}
					}
				}
			}
			t.Logf("%d changes that open something, %d with a pair in two groups", guarded, shared)
			if guarded < 3 || shared == 0 {
				t.Error("too few to prove anything")
			}
		})
	}
}

func opensOf(p *Preview) string {
	for _, g := range p.Guards {
		if g.Code == GuardOpens {
			return g.Message
		}
	}
	return ""
}

var countOf = regexp.MustCompile(`(?:([\d,]+) of )?([\d,]+) pairs? (deny → \w+)`)

// counts are the numbers of a sentence by what becomes of pairs: a part, and all.
func counts(t *testing.T, text string) map[string][2]int {
	t.Helper()
	out := map[string][2]int{}
	for _, m := range countOf.FindAllStringSubmatch(text, -1) {
		number := func(s string) int {
			n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		n := [2]int{number(m[2]), number(m[2])}
		if m[1] != "" {
			n[0] = number(m[1])
		}
		out[m[3]] = n
	}
	return out
}

// checkOpens holds the guard against the sentence about connections, and against the groups.
func checkOpens(t *testing.T, p *Preview) {
	t.Helper()
	if p.Effect == nil {
		return
	}
	if p.Effect.Difference == nil {
		t.Fatalf("%s: %s", p.Title, p.Effect.Text())
	}
	said, all := counts(t, opensOf(p)), counts(t, p.Effect.Text())
	want := map[string][2]int{} // by what becomes of pairs, the largest group and the sum
	others := map[string]bool{}
	for i := range p.Effect.Flips {
		g := &p.Effect.Flips[i]
		what := string(g.Before) + " → " + string(g.After)
		byAdmin := slices.ContainsFunc(g.ByBefore, func(d verdict.Decider) bool { return d.Policy.Kind.IsAdmin() && d.Action == model.Deny })
		switch {
		case g.Before != verdict.Deny || g.After == verdict.Unknown:
		case byAdmin:
			want[what] = [2]int{max(want[what][0], g.Pairs), want[what][1] + g.Pairs}
		default:
			others[what] = true
		}
	}
	if !slices.ContainsFunc(p.Objects, func(c ObjectChange) bool { return c.Key.Kind.IsAdmin() }) {
		clear(want)
	}
	for what, n := range said {
		if n[1] != all[what][1] {
			t.Errorf("%s: the guard says %d pairs %s, the preview %q", p.Title, n[1], what, p.Effect.Text())
		}
		if n[0] > n[1] || n[0] < want[what][0] || n[0] > want[what][1] || n[0] < n[1] && !others[what] {
			t.Errorf("%s: the guard says %d of %d pairs %s; the largest group has %d, all %d", p.Title, n[0], n[1], what, want[what][0], want[what][1])
		}
	}
	has := func(m map[string][2]int) (out []string) {
		for what := range m {
			out = append(out, what)
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff(has(want), has(said)); diff != "" {
		t.Errorf("%s: what opens (-want +got)\n%s", p.Title, diff)
	}
}

// inTwoGroups says whether the groups count a pair more than once.
func inTwoGroups(e *Effect) bool {
	for _, total := range e.Totals {
		sum := 0
		for i := range e.Flips {
			if g := &e.Flips[i]; g.Before == total.Before && g.After == total.After {
				sum += g.Pairs
			}
		}
		if total.Before == verdict.Deny && total.After != verdict.Deny && sum > total.Pairs {
			return true
		}
	}
	return false
}
