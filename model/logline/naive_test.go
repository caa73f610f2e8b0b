package logline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
)

// naiveTerm is a term as it was made up: what is written, and who judges it by taking the
// line's own words apart, without the tables of the package.
type naiveTerm struct {
	text  string
	judge func(*QueryLine) bool
}

func oneOf[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

var (
	someNames  = []string{"web", "web-2", "api", "db", "kube-dns", "a"}
	someSpaces = []string{"blue", "blue-2", "red", "kube-system"}
	someNodes  = []string{"ovn-worker", "ovn-worker2", "w3"}
)

func randomEnd(rng *rand.Rand) (LineEnd, netip.Addr) {
	a := oneOf(rng, netip.MustParseAddr("10.244.1.4"), netip.MustParseAddr("10.244.2.9"), netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("fd00::12"))
	d := LineEnd{Addr: a.String()}
	switch rng.IntN(4) {
	case 0:
		d.Note = "outside"
	case 1:
		d.Key = model.Key{Kind: model.KindNode, Name: oneOf(rng, someNodes...)}
	default:
		d.Key = logqueryPod(oneOf(rng, someSpaces...), oneOf(rng, someNames...))
	}
	return d, a
}

func randomLine(rng *rand.Rand) *QueryLine {
	l := &Line{At: now.Add(-time.Duration(rng.IntN(7200)) * time.Second), Zone: oneOf(rng, someNodes...),
		Verdict: oneOf(rng, "allow", "drop", "reject", "pass"), Severity: oneOf(rng, model.LogSeverities...), Proto: oneOf(rng, "tcp", "udp", "icmp", "sctp")}
	if l.Proto != "icmp" {
		l.DstPort = oneOf[uint16](rng, 53, 80, 443, 8080)
	}
	line := &QueryLine{Line: l, RuleName: oneOf(rng, "", "default-deny", "dns")}
	line.Src, l.Src = randomEnd(rng)
	line.Dst, l.Dst = randomEnd(rng)
	line.Rule = RuleRef{Direction: oneOf(rng, model.Ingress, model.Egress), Rule: rng.IntN(12), Policy: model.PolicyKey{Kind: model.KindANP, Name: oneOf(rng, someNames...)}}
	if rng.IntN(3) == 0 {
		line.Rule.Policy = model.PolicyKey{Kind: model.KindNP, Namespace: oneOf(rng, someSpaces...), Name: oneOf(rng, someNames...)}
	}
	text := fmt.Sprintf("%s %s %s > %s %s %d %s by %s", l.At.Format("15:04:05"), l.Zone, line.Src.Addr, line.Dst.Addr, l.Proto, l.DstPort, l.Verdict, line.Rule.Policy.Name)
	line.Text = func() string { return text }
	return line
}

// nameOfEnd is an end as people call it.
func nameOfEnd(d LineEnd) string {
	switch d.Key.Kind {
	case model.KindPod:
		return d.Key.Namespace + "/" + d.Key.Name
	case model.KindNode:
		return "node " + d.Key.Name
	}
	return ""
}

func hasPart(s, part string) bool { return s != "" && strings.Contains(s, part) }

// randomTerm makes up a term.
func randomTerm(rng *rand.Rand) naiveTerm {
	name, space, node := oneOf(rng, someNames...), oneOf(rng, someSpaces...), oneOf(rng, someNodes...)
	switch rng.IntN(15) {
	case 0:
		v := oneOf(rng, "allow", "deny", "drop", "reject", "pass")
		return naiveTerm{"verdict:" + v, func(l *QueryLine) bool {
			return l.Verdict == v || v == "deny" && (l.Verdict == "drop" || l.Verdict == "reject")
		}}
	case 1:
		return naiveTerm{"policy:" + name, func(l *QueryLine) bool {
			k := l.Rule.Policy
			return k.Namespace == "" && hasPart(k.Name, name) || k.Namespace != "" && hasPart(k.Namespace+"/"+k.Name, name)
		}}
	case 2:
		return naiveTerm{"policy:=" + name, func(l *QueryLine) bool { return l.Rule.Policy.Namespace == "" && l.Rule.Policy.Name == name }}
	case 3:
		n := rng.IntN(12)
		d := oneOf(rng, model.Ingress, model.Egress)
		return naiveTerm{fmt.Sprintf("rule:%s:%d", strings.ToLower(string(d)), n), func(l *QueryLine) bool { return l.Rule.Direction == d && l.Rule.Rule == n }}
	case 4:
		return naiveTerm{"ns:" + space, func(l *QueryLine) bool {
			return hasPart(l.Src.Key.Namespace, space) || hasPart(l.Dst.Key.Namespace, space)
		}}
	case 5:
		other := oneOf(rng, someSpaces...)
		return naiveTerm{"ns:=" + space + "->" + other, func(l *QueryLine) bool { return l.Src.Key.Namespace == space && hasPart(l.Dst.Key.Namespace, other) }}
	case 6:
		return naiveTerm{"pod:->" + name, func(l *QueryLine) bool { return l.Dst.Key.Kind == model.KindPod && hasPart(nameOfEnd(l.Dst), name) }}
	case 7:
		return naiveTerm{"src:" + name, func(l *QueryLine) bool {
			return hasPart(nameOfEnd(l.Src), name) || hasPart(l.Src.Addr, name) || hasPart(l.Src.Note, name)
		}}
	case 8:
		return naiveTerm{"dst:10.244.0.0/16", func(l *QueryLine) bool { return strings.HasPrefix(l.Dst.Addr, "10.244.") }}
	case 9:
		from := rng.IntN(9000) + 1
		to := min(65535, from+rng.IntN(500))
		return naiveTerm{fmt.Sprintf("port:%d-%d", from, to), func(l *QueryLine) bool { return int(l.DstPort) >= from && int(l.DstPort) <= to }}
	case 10:
		a, b := oneOf(rng, 53, 80, 443), oneOf(rng, 80, 8080)
		return naiveTerm{fmt.Sprintf("port:udp/%d,%d", a, b), func(l *QueryLine) bool { return l.Proto == "udp" && int(l.DstPort) == a || int(l.DstPort) == b }}
	case 11:
		return naiveTerm{"node:" + node, func(l *QueryLine) bool { return strings.Contains(l.Zone, node) }}
	case 12:
		m := rng.IntN(120)
		return naiveTerm{fmt.Sprintf("%s:%dm", "since", m), func(l *QueryLine) bool { return now.Sub(l.At) <= time.Duration(m)*time.Minute }}
	case 13:
		text := oneOf(rng, "tcp 443", "drop by", "> 8.8.8.8", "w3 ")
		return naiveTerm{`"` + text + `"`, func(l *QueryLine) bool { return strings.Contains(l.Text(), text) }}
	}
	re := regexp.MustCompile(oneOf(rng, "ud. 53", "^13:", "by (web|db)$", "10[.]244.* > fd"))
	return naiveTerm{"/" + re.String() + "/", func(l *QueryLine) bool { return re.MatchString(l.Text()) }}
}

// TestMatchAgrees holds 20,000 random expressions against a judge who knows what was
// meant, each on lines of every kind.
func TestMatchAgrees(t *testing.T) {
	const seed = 13
	rng := rand.New(rand.NewPCG(seed, 1))
	shown, hidden := 0, 0
	for range 20_000 {
		var words []string
		var judges []func(*QueryLine) bool
		for range 1 + rng.IntN(3) {
			term := randomTerm(rng)
			text, judge := term.text, term.judge
			if rng.IntN(3) == 0 {
				text = oneOf(rng, "not ", "!", "! ") + text
				of := judge
				judge = func(l *QueryLine) bool { return !of(l) }
			}
			words, judges = append(words, text), append(judges, judge)
		}
		text := strings.Join(words, oneOf(rng, " ", "  ", "\t"))
		q, err := Parse(text, now)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for range 8 {
			l := randomLine(rng)
			want := !slices.ContainsFunc(judges, func(judge func(*QueryLine) bool) bool { return !judge(l) })
			if got := q.MatchLine(l); got != want {
				t.Fatalf("seed %d: %q shows %s: %v, want %v\n%+v", seed, text, l.Text(), got, want, *l)
			}
			if want {
				shown++
			} else {
				hidden++
			}
		}
	}
	if shown < 10_000 || hidden < 10_000 {
		t.Errorf("%d shown and %d hidden: the expressions do not tell lines apart", shown, hidden)
	}
}

// FuzzParse: no expression panics, errors name what was written, a term and its not are
// never both true, and what a completion adds is added at the end.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "verdict:deny policy:x ns:a->b port:53 not node:w2 since:5m \"text\" /regex/", "!", "not not", `rule:"egress 5`, `"a\"b" c`, "/a b/ /c",
		"ns:a→b,->c", "ip:fd00::1->10.0.0.0/8", "fd00::1", "port:1-,2", "a[ b(", "polcy:x", "since:1d2h until:14:05", "! /x/", `policy:"a,b",=c`, "ns:\"->\"->x", "\x00\xff é→"} {
		f.Add(s)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var lines []*QueryLine
	for range 5 {
		lines = append(lines, randomLine(rng))
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text, now)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Term == "" || !strings.Contains(text, e.Term) && len(text) <= maxText {
				t.Errorf("%q: %v does not name a term of it", text, err)
			}
			if strings.ContainsAny(e.Why, "\n\r") && !strings.ContainsAny(text, "\n\r") {
				t.Errorf("%q: the error has several lines: %v", text, err)
			}
		}
		for _, l := range lines {
			yes := q.MatchLine(l)
			if len(q.terms) == 1 {
				no := q
				no.terms = slices.Clone(q.terms)
				no.terms[0].isNegated = !no.terms[0].isNegated
				if no.MatchLine(l) == yes {
					t.Errorf("%q and its opposite agree on %s", text, l.Text())
				}
			}
		}
		q.MatchGap("w3", now)
		for _, c := range Completions(text, 10, slices.Values(lines)) {
			if !strings.HasPrefix(c, text) || len(c) == len(text) {
				t.Errorf("%q is completed to %q", text, c)
			}
		}
	})
}
