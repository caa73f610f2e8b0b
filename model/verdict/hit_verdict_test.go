package verdict

import (
	"math/rand/v2"
	"os"
	"testing"

	"rung/test/install"
)

// everyWay is what can become of a packet, found by trying: each row that may match does
// or does not, which gives a verdict each, and of those of one priority that match each
// may win, which makes it undefined where they lead to different ends.
func everyWay(hits []Hit) map[Verdict]bool {
	for i := range hits {
		if !hits[i].Maybe {
			continue
		}
		sure, gone := append([]Hit{}, hits...), append([]Hit{}, hits[:i]...)
		sure[i].Maybe = false
		out := everyWay(sure)
		for v := range everyWay(append(gone, hits[i+1:]...)) {
			out[v] = true
		}
		return out
	}
	ends := everyEnd(hits)
	if len(ends) == 2 {
		return map[Verdict]bool{Undefined: true}
	}
	return ends
}

// everyEnd is the same of rows that match for certain.
func everyEnd(hits []Hit) map[Verdict]bool {
	if len(hits) == 0 {
		return map[Verdict]bool{Allow: true}
	}
	out := map[Verdict]bool{}
	for i := 0; i < len(hits) && hits[i].Tier == hits[0].Tier && hits[i].Priority == hits[0].Priority; i++ {
		switch hits[i].Effect {
		case Allows:
			out[Allow] = true
		case Drops:
			out[Deny] = true
		default:
			j := 0
			for j < len(hits) && hits[j].Tier == hits[0].Tier {
				j++
			}
			for v := range everyEnd(hits[j:]) {
				out[v] = true
			}
		}
	}
	return out
}

// TestSettleGoesEveryWay: the verdict is what every way that the packet can take ends in,
// also where the walk stops early.
func TestSettleGoesEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	seen := map[Verdict]int{}
	n := 50_000
	if os.Getenv(install.SoakVar) == "1" {
		n = 1_000_000
	}
	for range n {
		var hits []Hit
		for tier := range int8(4) {
			for p := int32(4); p > 0; p-- {
				for range r.IntN(3) {
					if r.IntN(3) == 0 {
						hits = append(hits, Hit{Ref: int32(len(hits)), Tier: tier, Priority: p, Effect: TermEffect(1 << r.IntN(3)), Maybe: r.IntN(6) == 0})
					}
				}
			}
		}
		var c HitCollector
		for _, h := range hits {
			counts, more := c.Next(h.Tier, h.Priority)
			if !more {
				break
			}
			if counts {
				c.Add(h)
			}
		}
		got := SettleHits(c.Hits).Verdict
		seen[got]++
		ways := everyWay(hits)
		want := Unknown
		for v := range ways {
			if len(ways) == 1 {
				want = v
			}
		}
		if got != want {
			t.Fatalf("%+v: %s, want %s", hits, got, want)
		}
	}
	for _, v := range []Verdict{Allow, Deny, Undefined, Unknown} {
		if seen[v] < 100 {
			t.Errorf("%s was drawn %d times", v, seen[v])
		}
	}
}
