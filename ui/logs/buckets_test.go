package logs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
)

// mixed are entries of every kind: ends that are pods, nodes, outside or gone, rules of
// all kinds of policies, default denies, ACLs nobody knows, gaps.
func mixed(rng *rand.Rand, n int) (out []*logs.Entry) {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	end := func() logs.End {
		d := logs.End{Addr: fmt.Sprintf("10.0.0.%d", rng.IntN(6))}
		switch rng.IntN(7) {
		case 0:
			d.Note = "outside"
		case 5:
			d.Note = pick("", "no longer known")
		case 6:
			d.Addr = pick("fd00::1", d.Addr)
		case 1:
			d.Key = model.Key{Kind: model.KindNode, Name: pick("w1", "w11")}
		case 2:
			d.Key, d.Note, d.Gone = model.Key{Kind: model.KindPod, Namespace: "red", Name: "job"}, "gone", time.Unix(9, 0)
		default:
			d.Key = model.Key{Kind: model.KindPod, Namespace: pick("red", "red-2"), Name: pick("web", "web-2")}
		}
		return d
	}
	for i := range n {
		e := &logs.Entry{Seq: uint64(i + 1), Attributed: true, Action: "dropped", Src: end(), Dst: end()}
		e.Line = logline.Line{At: time.Unix(int64(1000+i), 0), Zone: "w1", Verdict: pick("drop", "allow"), Proto: pick("tcp", "udp", "icmp", "icmp6")}
		e.At = e.Line.At
		if e.Line.Verdict == "allow" {
			e.Action = "allowed"
		}
		if len(e.Line.Proto) == 3 {
			e.Line.DstPort = uint16(8 + rng.IntN(3))
		}
		e.Line.Src, e.Line.Dst = netip.MustParseAddr(e.Src.Addr), netip.MustParseAddr(e.Dst.Addr)
		e.Rule = logline.RuleRef{Direction: model.Ingress, Rule: rng.IntN(12)}
		if rng.IntN(2) == 0 {
			e.Rule.Direction = model.Egress
		}
		switch rng.IntN(7) {
		case 0:
			e.Rule.Policy = model.PolicyKey{Kind: model.KindBANP, Name: "default"}
		case 1:
			e.Rule.Policy = model.PolicyKey{Kind: model.KindNP, Namespace: "red", Name: pick("web", "default")}
		case 2:
			e.Rule.Policy, e.Rule.Rule = model.PolicyKey{Kind: model.KindNP, Namespace: pick("red", "red-2")}, -1
		case 3:
			e.Rule.Policy = model.PolicyKey{Kind: model.KindEF, Namespace: "red", Name: "default"}
		case 4:
			e.Rule, e.Attributed, e.Line.Name = logline.RuleRef{Rule: -1}, false, pick(`strange "name"`, "", "ANP:gone")
		case 5:
			e.Gap, e.Line = &logline.LogGap{Why: "cut"}, logline.Line{At: e.Line.At, Zone: "w1"}
		default:
			e.Rule.Policy = model.PolicyKey{Kind: model.KindANP, Name: pick("web", "web-2", "default")}
		}
		out = append(out, e)
	}
	return out
}

func feedOf(entries []*logs.Entry) *lineFeed {
	f := &lineFeed{held: entries, texts: make([]string, len(entries)), isAbout: make([]bool, len(entries))}
	f.restartScan()
	f.scanLines(time.Hour)
	return f
}

// piles are those of all lines.
func (f *lineFeed) piles(d bucketDimension, now time.Time) []*lineBucket {
	out, _ := countBuckets(context.Background(), f.matchesUpTo(math.MaxUint64), d, f.countingEnd(math.MaxUint64, now))
	return out
}

// The filter that a pile gives finds the pile's lines and no others, whatever they are
// grouped by; piles count every line once.
func TestPilesAndTheirFilters(t *testing.T) {
	const seed = 5
	entries := mixed(rand.New(rand.NewPCG(seed, 1)), 3000)
	f := feedOf(entries)
	for d := bySource; d <= byNamespaces; d++ {
		piles := f.piles(d, time.Unix(4000, 0))
		if len(piles) < 5 {
			t.Errorf("by %s: %d piles", dimensions[d].name, len(piles))
		}
		lines, terms := 0, map[string]bool{}
		for _, h := range piles {
			lines += h.n
			if terms[h.term] {
				t.Errorf("by %s: two piles are found by %s", dimensions[d].name, h.term)
			}
			terms[h.term] = true
			q, err := logline.Parse(h.term, time.Now())
			if err != nil {
				t.Errorf("by %s: %q gives the filter %s: %v", dimensions[d].name, h.name, h.term, err)
				continue
			}
			n, denied := 0, 0
			var first, last time.Time
			for _, e := range entries {
				if e.Gap != nil || !e.Matches(&q, nil) {
					continue
				}
				n++
				if e.Line.Verdict == "drop" {
					denied++
				}
				if first.IsZero() {
					first = e.Line.At
				}
				last = e.Line.At
			}
			if n != h.n || denied != h.denied || !first.Equal(h.first) || !last.Equal(h.last) {
				t.Errorf("by %s: %q has %d lines, %d denied, from %v to %v; its filter %s finds %d, %d, %v, %v", dimensions[d].name,
					h.name, h.n, h.denied, h.first.Unix(), h.last.Unix(), h.term, n, denied, first.Unix(), last.Unix())
			}
		}
		want := 0
		for _, e := range entries {
			if e.Gap == nil {
				want++
			}
		}
		if lines != want {
			t.Errorf("by %s: %d of %d lines are counted", dimensions[d].name, lines, want)
		}
	}
}

// Bars and rates end now; of a stored log, which came long after it was written, at its
// newest line.
func TestRates(t *testing.T) {
	at := time.Unix(10_000, 0)
	entry := func(ago time.Duration, n uint64) *logs.Entry {
		e := mixed(rand.New(rand.NewPCG(1, 1)), 1)[0]
		e.Gap, e.Seq, e.Line.At, e.At = nil, n, at.Add(-ago), at.Add(-ago)
		return e
	}
	entries := []*logs.Entry{entry(2*time.Minute, 1), entry(59*time.Second, 2), entry(9*time.Second, 3), entry(4*time.Second, 4)}
	want := [barCount]int{0: 1, 16: 1, 18: 1}
	check := func(now time.Time, lately int) {
		t.Helper()
		hs := feedOf(entries).piles(byPort, now)
		if len(hs) != 1 || hs[0].n != 4 || hs[0].lately != lately || hs[0].bars != want {
			t.Errorf("%d piles; lately %d, want %d; %s", len(hs), hs[0].lately, lately, cmp.Diff(want, hs[0].bars))
		}
	}
	check(at, 2)
	for _, e := range entries { // read from a file an hour later
		e.At = at.Add(time.Hour)
	}
	want = [barCount]int{1: 1, 18: 1, 19: 1}
	check(at.Add(time.Hour), 2)
}

// Who has an address that nobody knows is not said to be outside.
func TestSpaces(t *testing.T) {
	pod := logs.End{Addr: "10.0.0.1", Key: model.Key{Kind: model.KindPod, Namespace: "red", Name: "web"}}
	unknown := logs.End{Addr: "10.0.0.1"}
	ends := []logs.End{pod, unknown, {Addr: "10.0.0.1", Note: "no longer known"}, {Addr: "10.0.0.1", Note: "outside"}, {Addr: "fd00::1"}, {},
		{Addr: "10.0.0.1", Key: model.Key{Kind: model.KindNode, Name: "w1"}}}
	names := []string{"red", "10.0.0.1", "10.0.0.1", "(outside)", "fd00::1", "(no address)", "(node)"}
	of := func(i int) *logs.Entry {
		return &logs.Entry{Src: ends[i], Dst: pod, Line: logline.Line{Proto: "tcp"}}
	}
	for i := range ends {
		name, term := dimensions[byNamespaces].nameOf(of(i))
		if want := names[i] + " → red"; name != want {
			t.Errorf("%+v: %q, want %q", ends[i], name, want)
		}
		q, err := logline.Parse(term, time.Now())
		if err != nil {
			t.Errorf("%s: %v", term, err)
		}
		for j := range ends {
			if got, want := of(j).Matches(&q, nil), names[i] == names[j]; got != want {
				t.Errorf("the filter %s of %s: %v for %+v", term, names[i], got, ends[j])
			}
		}
	}
}

// Lines around matches are those of the page before and after each, once, in order, as a
// naive search has them.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		listed := mixed(rng, 1+rng.IntN(60))
		f := feedOf(listed)
		f.scope = func(e *logs.Entry) bool { return e.Seq%3 != 0 }
		q, _ := logline.Parse("port:8", time.Now())
		f.setScope(q)
		f.scanLines(time.Hour)
		n, upto := 1+rng.IntN(5), uint64(rng.IntN(len(listed)+1))
		var page []uint64 // what the page is about
		at := map[uint64]int{}
		for _, e := range listed {
			if e.Seq <= upto && (e.Gap != nil || f.scope(e)) {
				at[e.Seq] = len(page)
				page = append(page, e.Seq)
			}
		}
		var want []uint64
		for i, seq := range page {
			near := false
			for j := range len(f.matches) {
				if m, ok := at[f.matches[j]]; ok && max(m-i, i-m) <= n {
					near = true
				}
			}
			if near {
				want = append(want, seq)
			}
		}
		s := contextLines{n: n}
		s.updateTo(f, upto)
		if diff := cmp.Diff(want, s.seqs); diff != "" {
			t.Fatalf("%d around, up to %d: %s", n, upto, diff)
		}
	}
}
