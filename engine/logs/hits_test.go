package logs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func ruleNo(i int) Rule {
	return Rule{logline.RuleRef{Policy: model.PolicyKey{Kind: model.KindANP, Name: fmt.Sprint("p", i%7)}, Direction: model.Ingress, Rule: i % 3, Exact: true},
		[]string{"allow", "drop"}[i%2]}
}

// told is all that a counter says.
func told(c *Counter) string {
	var b strings.Builder
	fmt.Fprintln(&b, c.From, c.Unknown, c.UncountedLines)
	for _, r := range c.RulesWithPairs() {
		fmt.Fprintln(&b, r.Rule, r.Count, r.First, r.Last, r.RecentLines(noon), r.RecentLines(noon.Add(5*time.Minute)), r.UncountedPairs)
		for _, p := range r.Pairs {
			fmt.Fprintln(&b, "  ", p.Pair, p.Count, p.First, p.Last, p.RecentLines(noon))
		}
	}
	return b.String()
}

// However lines are parted, and in whatever order they come, their counts are those of
// all of them together.
func TestPartsAreTheWhole(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 1))
	type line struct {
		r  Rule
		p  Pair
		at time.Time
	}
	for range 300 {
		lines := make([]line, random.IntN(400))
		for i := range lines {
			lines[i] = line{ruleNo(random.IntN(40)), Pair{fmt.Sprint("a/", random.IntN(5)), fmt.Sprint("b/", random.IntN(5)), "tcp 80"},
				noon.Add(-time.Duration(random.IntN(40*60)) * time.Second)}
		}
		whole := NewHits(noon)
		for _, l := range lines {
			whole.Add(l.r, l.p, l.at)
		}
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		parts := make([]*Counter, 1+random.IntN(5))
		for i := range parts {
			parts[i] = NewHits(noon)
		}
		for _, l := range lines {
			parts[random.IntN(len(parts))].Add(l.r, l.p, l.at)
		}
		sum := NewHits(noon)
		for _, i := range random.Perm(len(parts)) {
			sum.Merge(parts[i])
		}
		if d := cmp.Diff(told(whole), told(sum)); d != "" {
			t.Fatalf("seed %d: whole and parts differ:\n%s", seed, d)
		}
	}
}

func TestLately(t *testing.T) {
	var h LineHits
	for _, ago := range []time.Duration{0, time.Minute, 14 * time.Minute, 15 * time.Minute, 3 * time.Hour} {
		h.AddLine(noon.Add(-ago))
	}
	for _, c := range []struct {
		at   time.Duration
		want uint64
	}{{0, 3}, {time.Minute, 2}, {14 * time.Minute, 1}, {15 * time.Minute, 0}, {-time.Minute, 2}, {time.Hour, 0}} {
		if got := h.RecentLines(noon.Add(c.at)); got != c.want {
			t.Errorf("%v later: %d of the last minutes, want %d", c.at, got, c.want)
		}
	}
	if h.Count != 5 || !h.First.Equal(noon.Add(-3*time.Hour)) || !h.Last.Equal(noon) {
		t.Errorf("%+v", h)
	}
}

// What finds no room is counted all the same.
func TestBounds(t *testing.T) {
	c := NewHits(noon)
	n := mostPairs + 100
	for i := range n {
		c.Add(ruleNo(0), Pair{From: fmt.Sprint(i)}, noon)
	}
	if r := c.Rules(); len(r) != 1 || r[0].Count != uint64(n) || r[0].UncountedPairs != 100 || len(c.RulesWithPairs()[0].Pairs) != mostPairs {
		t.Errorf("%d rules, %d hits, %d of pairs without room", len(r), r[0].Count, r[0].UncountedPairs)
	}
	c = NewHits(noon)
	for i := range mostRules + 50 {
		r := ruleNo(0)
		r.Ref.Rule = i
		c.Add(r, Pair{}, noon)
	}
	if len(c.Rules()) != mostRules || c.UncountedLines != 50 {
		t.Errorf("%d rules, %d hits of others", len(c.Rules()), c.UncountedLines)
	}
	other := NewHits(noon)
	other.Merge(c)
	r := ruleNo(1)
	more := NewHits(noon)
	more.Add(r, Pair{}, noon)
	other.Merge(more)
	if other.UncountedLines != 51 {
		t.Errorf("%d hits of rules without room after merging, want 51", other.UncountedLines)
	}
}

func TestFile(t *testing.T) {
	c := NewHits(noon)
	for i := range 2*keptPairs + 7 {
		c.Add(ruleNo(i), Pair{From: fmt.Sprint("red/web-", i/2), To: "10.0.0.1", Traffic: "udp 53"}, noon.Add(-time.Duration(i)*time.Millisecond))
	}
	c.Unknown = 3
	text, err := c.Encode()
	if err != nil || len(text) > MaxFile {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	back, err := Decode(text, noon)
	if err != nil {
		t.Fatal(err)
	}
	if !back.HasEarlier || back.Unknown != 3 || back.pairs > keptPairs || back.pairs < keptPairs/2 {
		t.Errorf("kept %v, %d unknown, %d pairs", back.HasEarlier, back.Unknown, back.pairs)
	}
	was, is := c.Rules(), back.Rules()
	for i := range was {
		if was[i].Rule != is[i].Rule || was[i].Count != is[i].Count || !was[i].First.Equal(is[i].First) || !was[i].Last.Equal(is[i].Last) {
			t.Errorf("written %+v, read %+v", was[i], is[i])
		}
	}
	again, err := back.Encode()
	if err != nil || string(again) != string(text) {
		t.Error("what was read is written differently")
	}
}

func TestDamagedFile(t *testing.T) {
	c := NewHits(noon)
	for range 3 {
		c.Add(ruleNo(0), Pair{"red/a", "red/b", "tcp 80"}, noon)
	}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct{ what, old, new, want string }{
		{"cut", "}\n", "", "not the JSON that rung writes"},
		{"version", `"version":1`, `"version":2`, "version 2"},
		{"counts in the future", `"from":"2026`, `"from":"2027`, "start of counting"},
		{"another kind", "AdminNetworkPolicy", "Pod", "rule 0 is invalid"},
		{"a number", `"count":3`, `"count":4`, "pairs 3"},
		{"no hits", `"count":3`, `"count":0`, "rule 0 is invalid"},
		{"hostile name", "red/a", `red/\u202ea`, "rule 0 has an invalid pair"},
		{"long name", "red/a", strings.Repeat("x", 400), "rule 0 has an invalid pair"},
		{"rest", `"pairs"`, `"rest":1,"pairs"`, "has 3 hits"},
	} {
		bad := strings.Replace(string(text), d.old, d.new, 1)
		if d.what == "a number" { // of the rule alone
			bad = strings.Replace(string(text), `"verdict":"allow","count":3`, `"verdict":"allow","count":4`, 1)
		}
		if bad == string(text) {
			t.Fatalf("%s: nothing was damaged in %s", d.what, text)
		}
		if _, err := Decode([]byte(bad), noon); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), d.want) {
			t.Errorf("%s: %v, want %q", d.what, err, d.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := NewHits(noon)
	c.Add(ruleNo(0), Pair{"red/a", "red/b", "tcp 80"}, noon)
	text, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"from":"2020-01-01T00:00:00Z","rules":[{"kind":"NetworkPolicy","rule":-1,"count":18446744073709551615}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Decode(b, noon)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Fatal(err)
			}
			return
		}
		for _, r := range c.RulesWithPairs() {
			sum := r.UncountedPairs
			for _, p := range r.Pairs {
				sum += p.Count
			}
			if sum != r.Count {
				t.Fatalf("%d hits, %d of pairs", r.Count, sum)
			}
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(text, noon); err != nil {
			t.Fatalf("%v of %s", err, text)
		}
	})
}
