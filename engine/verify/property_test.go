package verify

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/install"
)

// rounds is how many random clusters are drawn.
func rounds() uint64 {
	if os.Getenv(install.SoakVar) == "1" {
		return 2000
	}
	return 120
}

// A statement about classes of pods is judged as if each connection had been asked by
// itself, port by port, whoever is asked.
func TestJudgeIsEveryConnection(t *testing.T) {
	held, failed := 0, 0
	for seed := range rounds() {
		d := draw(seed)
		r := d.revision()
		text := ""
		for range 6 {
			text += fmt.Sprintf("- {expect: %s, match: %s, allowNone: %t, from: %s, to: %s%s}\n", d.pick("allow", "deny"), d.pick("every", "every", "some"),
				d.IntN(2) == 0, d.end(), d.end(), d.pick("", ", port: 80", ", port: 79-82", ", protocol: UDP", ", port: [81/UDP, 443], exceptPort: 443/TCP", ", protocol: ICMP"))
		}
		statements, problems := ReadStatements("x", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("%s\n%v", text, problems[0])
		}
		for _, by := range []trace.AnsweredBy{trace.Policies, trace.Rows} {
			results, problems, err := JudgeStatements(t.Context(), r, statements, Options{By: by, Compiled: true})
			if err != nil || len(problems) > 0 || len(results) != len(statements) {
				t.Fatal(err, problems)
			}
			for i := range results {
				got := &results[i]
				pairs, against := bruteForce(t, r, &statements[i], by)
				holds := against == 0
				if got.Some {
					holds = pairs > against
				}
				if pairs == 0 {
					holds = got.AllowNone
				}
				if got.Holds != holds || got.None != (pairs == 0) || !got.Some && (got.Pairs != pairs || got.Against != against) {
					t.Fatalf("seed %d, by %d: %s: holds %t, %d of %d; one by one %t, %d of %d", seed, by, got, got.Holds, got.Against, got.Pairs, holds, against, pairs)
				}
				if got.Holds {
					held++
				} else {
					failed++
				}
				if w := got.Trace; w != nil {
					if v := answerOf(t, r, w.Connection, by).Verdict; (v == got.Expect) || !slices.ContainsFunc(got.Ports, func(p verdict.PortRange) bool {
						return p.Protocol == w.Connection.Protocol && p.Lo <= w.Connection.Port && w.Connection.Port <= p.Hi
					}) {
						t.Fatalf("%s: %s speaks for it", got, w.Connection)
					}
				}
			}
		}
	}
	if held < 100 || failed < 100 {
		t.Errorf("%d hold, %d fail: the draw is one-sided", held, failed)
	}
}

func (d drawn) end() string {
	return d.pick("{namespace: ns0}", "{namespace: {tenant: t1}}", "{pod: {tier: x0}}", "{pod: {tier: [x1, x2]}}", "{namespace: {}}",
		"{namespace: {env: e0}, pod: {matchExpressions: [{key: tier, operator: NotIn, values: [x0]}]}}", "[{namespace: ns1}, {pod: {tier: x3}}]", "{pod: {app: nobody}}")
}

func answerOf(t *testing.T, r *revision.Revision, c verdict.Connection, by trace.AnsweredBy) verdict.Answer {
	t.Helper()
	x := r.Verdicts()
	a, err := verdict.FromPolicies(x, c)
	if by == trace.Rows {
		a, err = verdict.FromRows(x, zones(r), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var lastZones struct {
	of    *revision.Revision
	zones verdict.ZonesByName
}

func zones(r *revision.Revision) verdict.ZonesByName {
	if lastZones.of != r {
		lastZones.of, lastZones.zones = r, verdict.ZonesByName{}
		for n := range r.Cluster.Nodes() {
			lastZones.zones[n.Name] = revision.CompiledZone(r, n.Name, &verdict.MatchCache{})
		}
	}
	return lastZones.zones
}

// bruteForce asks about each pair, in each family, on each port that rules name and on
// some that none does.
func bruteForce(t *testing.T, r *revision.Revision, s *Statement, by trace.AnsweredBy) (pairs, against int) {
	t.Helper()
	cluster := r.JudgedCluster()
	if by != trace.Policies {
		cluster = r.Cluster
	}
	for p := range cluster.Pods() {
		for q := range cluster.Pods() {
			if p.Key == q.Key || !means(r, s.From, p) || !means(r, s.To, q) {
				continue
			}
			asked, bad, good := false, false, false
			for _, f := range []verdict.Family{verdict.IPv4, verdict.IPv6} {
				c := verdict.Connection{From: verdict.Endpoint{Key: p.Key}, To: verdict.Endpoint{Key: q.Key}, Family: f}
				for _, ports := range s.Ports {
					for _, port := range []uint16{0, 1, 79, 80, 81, 82, 83, 84, 85, 442, 443, 444, 445, 446, 65535} {
						if port < ports.Lo || port > ports.Hi {
							continue
						}
						c.Protocol, c.Port = ports.Protocol, port
						a := answerOf(t, r, c, by)
						if a.Verdict == verdict.NotApplicable {
							continue // not of this family
						}
						asked, bad, good = true, bad || a.Verdict != s.Expect, good || a.Verdict == s.Expect
					}
				}
			}
			if asked {
				pairs++
			}
			if asked && (!s.Some && bad || s.Some && !good) {
				against++
			}
		}
	}
	return pairs, against
}

// means says whether an end means a pod, without the finder.
func means(r *revision.Revision, ends []StatementEnd, p *model.Pod) bool {
	return slices.ContainsFunc(ends, func(e StatementEnd) bool {
		ns := r.Cluster.Namespace(p.Namespace)
		switch {
		case p.HostNetwork || p.IsCompleted() || p.NodeName == "" || len(p.IPs) == 0:
			return false
		case e.Namespace.isSet && e.Namespace.Names != nil && !slices.Contains(e.Namespace.Names, p.Namespace):
			return false
		case e.Namespace.isSet && e.Namespace.Names == nil && (ns == nil || !e.Namespace.Selector.Matches(ns.Labels)):
			return false
		}
		return !e.Pod.isSet || e.Pod.Selector.Matches(p.Labels)
	})
}

// A pod that has no other to connect to gets statements about addresses outside; they hold.
func TestWrittenOfOnePod(t *testing.T) {
	statements := map[verdict.Verdict]int{}
	for seed := range rounds() {
		d := draw(seed)
		r := d.revision()
		kept, gone := false, []model.Key(nil)
		for p := range r.Cluster.Pods() {
			if _, ok := isOrdinary(p); ok && !kept {
				kept = true
				continue
			}
			gone = append(gone, p.Key)
		}
		if !kept {
			continue
		}
		f := r.Facts
		f.Cluster, _ = f.Cluster.Upsert(nil, gone)
		r = revision.New(f, nil)
		w, err := WriteStatements(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		read, problems := ReadStatements("x", w.Text)
		if len(problems) > 0 || len(read) != len(w.Statements) || len(read) == 0 {
			t.Fatalf("seed %d: %v, %d statements\n%s", seed, problems, len(read), w.Text)
		}
		results, problems, err := JudgeStatements(t.Context(), r, read, Options{})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		for i := range results {
			statements[results[i].Expect]++
			if !results[i].Holds || results[i].Pairs == 0 {
				t.Fatalf("seed %d: %s: %s\n%s", seed, &results[i], results[i].Message(), w.Text)
			}
		}
	}
	if statements[verdict.Allow] < 100 || statements[verdict.Deny] < 10 {
		t.Errorf("the draw is one-sided: %v", statements)
	}
}

// A file written from the present holds, is the same each time, and states every
// connection that can be stated.
func TestWrittenHolds(t *testing.T) {
	statements := 0
	for seed := range rounds() {
		d := draw(seed)
		r := d.revision()
		var of []string
		if d.IntN(3) == 0 {
			of = []string{"ns0", "ns2"}
		}
		w, err := WriteStatements(t.Context(), r, of)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "no pods ") && !strings.HasSuffix(err.Error(), "does not exist") {
				t.Fatal(err)
			}
			continue
		}
		if again, err := WriteStatements(t.Context(), revision.New(r.Facts, nil), of); err != nil || !bytes.Equal(again.Text, w.Text) {
			t.Fatalf("seed %d: another text the second time: %v\n%s\n%s", seed, err, w.Text, again.Text)
		}
		read, problems := ReadStatements("x", w.Text)
		if len(w.Statements) == 0 {
			continue // all undefined
		}
		if len(problems) > 0 || len(read) != len(w.Statements) {
			t.Fatalf("seed %d: %v, %d statements\n%s", seed, problems, len(read), w.Text)
		}
		results, problems, err := JudgeStatements(t.Context(), r, read, Options{})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		for i := range results {
			statements++
			if !results[i].Holds {
				t.Fatalf("seed %d: %s: %s\n%s", seed, &results[i], results[i].Message(), w.Text)
			}
		}
		covered(t, r, of, read, w.Text)
	}
	if statements < 200 {
		t.Errorf("%d statements only", statements)
	}
}

// covered checks that of every pair there is a statement for each port that has one
// verdict on all nodes.
func covered(t *testing.T, r *revision.Revision, of []string, read []Statement, text []byte) {
	t.Helper()
	c := verdict.NewClasses(r.Verdicts(), nil)
	for p := range r.JudgedCluster().Pods() {
		for q := range r.JudgedCluster().Pods() {
			if p.Key == q.Key || len(of) > 0 && !(slices.Contains(of, p.Namespace) && slices.Contains(of, q.Namespace)) {
				continue
			}
			if _, ok := isOrdinary(p); !ok {
				continue
			}
			if _, ok := isOrdinary(q); !ok {
				continue
			}
			segments, _ := c.CommonVerdicts(p, q)
			for _, g := range segments {
				if g.Verdict != verdict.Allow && g.Verdict != verdict.Deny {
					continue
				}
				if !slices.ContainsFunc(read, func(s Statement) bool {
					return s.Expect == g.Verdict && names(r, s.From, p) && names(r, s.To, q) &&
						len(verdict.SubtractPorts([]verdict.PortRange{{Protocol: g.Protocol, Lo: g.Lo, Hi: g.Hi}}, s.Ports)) == 0
				}) {
					t.Fatalf("%s → %s %v is not stated:\n%s", p.Key, q.Key, g, text)
				}
			}
		}
	}
}

// names is means, where pods may be named too.
func names(r *revision.Revision, ends []StatementEnd, p *model.Pod) bool {
	return slices.ContainsFunc(ends, func(e StatementEnd) bool {
		if e.Pod.Names != nil {
			return slices.Contains(e.Namespace.Names, p.Namespace) && slices.Contains(e.Pod.Names, p.Name)
		}
		return means(r, []StatementEnd{e}, p)
	})
}
