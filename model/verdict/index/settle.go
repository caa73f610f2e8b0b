package index

import "rung/model/verdict"

// Effect is the effect of something that matches; a union of several, where rules of
// one priority disagree.
type Effect uint8

const (
	Allows Effect = 1 << iota
	Drops
	Passes
)

// Hit is something that matches, or may: those of one walk are in the order in which
// they decide, by tier and falling priority.
type Hit struct {
	Ref      int32
	Priority int32
	Tier     int8
	Does     Effect
	Maybe    bool // it cannot be told whether it matches
}

func (h *Hit) SamePriority(o *Hit) bool { return h.Tier == o.Tier && h.Priority == o.Priority }

// either says whether it is sure to match and what it does cannot be told: it allows or
// drops, as layer 7 decides.
func (h *Hit) either() bool { return h.Maybe && h.Does == Allows|Drops }

// outcome is the set of results that a packet can have where rules of one priority
// disagree: the result of each of them.
type outcome uint8

const (
	canAllow outcome = 1 << iota
	canDeny
)

// prospects are the outcomes that there can be, as bits, one for each that what cannot be judged
// leaves open.
type prospects uint8

func only(o outcome) prospects { return 1 << o }

// verdict is unknown where it depends on what cannot be judged, and undefined where,
// whatever that is, it depends on the rule that wins.
func (o prospects) verdict() verdict.Verdict {
	switch o {
	case only(canAllow):
		return verdict.Allow
	case only(canDeny):
		return verdict.Deny
	case only(canAllow | canDeny):
		return verdict.Undefined
	}
	return verdict.Unknown
}

// Collector gathers the hits of a walk, and knows when no more of them count.
type Collector struct {
	Hits []Hit
	// open: something only may match, or rules of one priority disagree, so that all that
	// comes after counts.
	Open bool
	Last Effect // of the last hit while nothing is open: what ended the tier or the walk
}

// Next says of what comes next whether it counts, and whether anything does from here on.
func (c *Collector) Next(tier int8, priority int32) (counts, more bool) {
	if c.Open || len(c.Hits) == 0 {
		return true, true
	}
	h := &c.Hits[len(c.Hits)-1]
	switch {
	case h.Tier == tier && h.Priority == priority:
		return true, true
	case c.Last == Passes:
		return tier != h.Tier, true
	}
	return false, false
}

func (c *Collector) Add(h Hit) {
	if n := len(c.Hits); h.Maybe || n > 0 && c.Hits[n-1].SamePriority(&h) && c.Hits[n-1].Does != h.Does {
		c.Open = true
	}
	c.Hits, c.Last = append(c.Hits, h), h.Does
}

// Settled is how a walk ends: the verdict, the hits that decided it (several that
// disagree or may match; none is the default), and those that passed it on before.
type Settled struct {
	Verdict         verdict.Verdict
	Decided, Passed []int32
	// Open says that Decided are candidates: it cannot be told which of them decides.
	Open bool
}

// Settle walks the hits (ovn-kubernetes.md#stages). Where rules of one priority disagree
// it goes every way: the verdict is undefined only if it depends on the one that wins.
func Settle(hits []Hit) Settled { return SettleInto(hits, nil, nil) }

// SettleInto is settle that fills lists it is given.
func SettleInto(hits []Hit, decided, passed []int32) Settled {
	out := Settled{Verdict: verdict.Allow, Decided: decided, Passed: passed}
	simple := true
	for i := 0; i < len(hits); {
		end, all, sure := group(hits, i)
		maybe := anyMaybe(hits[i:end])
		if simple && (maybe || all&(all-1) != 0) {
			simple = false
			out.Verdict = verdictOf(hits[i:])
		}
		switch {
		case !maybe && all == Passes:
			if out.Open {
				out.add(hits[i:end])
				return out
			}
			for k := i; k < end; k++ {
				out.Passed = append(out.Passed, hits[k].Ref)
			}
			i = nextTier(hits, i)
			continue
		case sure:
			if simple && all == Drops {
				out.Verdict = verdict.Deny
			}
			out.Open = out.Open || maybe || all&(all-1) != 0
			out.add(hits[i:end])
			return out
		}
		out.Open = true
		out.add(hits[i:end])
		i = end
	}
	return out
}

func (s *Settled) add(hits []Hit) {
	for i := range hits {
		s.Decided = append(s.Decided, hits[i].Ref)
	}
}

// group is the hits of one priority from i: where they end, all that they do, and
// whether one of them is sure to match.
func group(hits []Hit, i int) (end int, all Effect, sure bool) {
	for end = i; end < len(hits) && hits[end].SamePriority(&hits[i]); end++ {
		all |= hits[end].Does
		sure = sure || !hits[end].Maybe || hits[end].either()
	}
	return end, all, sure
}

func anyMaybe(hits []Hit) bool {
	for i := range hits {
		if hits[i].Maybe {
			return true
		}
	}
	return false
}

func nextTier(hits []Hit, i int) int {
	tier := hits[i].Tier
	for i < len(hits) && hits[i].Tier == tier {
		i++
	}
	return i
}

// settler goes every way, and each part of the way once.
type settler struct {
	hits []Hit
	memo []prospects
}

// verdictOf is the verdict of hits, gone every way.
func verdictOf(hits []Hit) verdict.Verdict {
	s := &settler{hits, make([]prospects, len(hits))}
	return s.from(0).verdict()
}

func (s *settler) from(i int) (out prospects) {
	if i == len(s.hits) {
		return only(canAllow)
	}
	if s.memo[i] != 0 {
		return s.memo[i]
	}
	end, _, _ := group(s.hits, i)
	can := doings(s.hits[i:end])
	for all := range Effect(8) {
		if can&(1<<all) == 0 {
			continue
		}
		if all == 0 { // none of them matches
			out |= s.from(end)
			continue
		}
		var now outcome
		if all&Allows != 0 {
			now |= canAllow
		}
		if all&Drops != 0 {
			now |= canDeny
		}
		if all&Passes == 0 {
			out |= only(now)
			continue
		}
		then := s.from(nextTier(s.hits, i))
		for o := range outcome(4) {
			if then&only(o) != 0 {
				out |= only(now | o)
			}
		}
	}
	s.memo[i] = out
	return out
}

// doings returns the effects that the hits of one priority can have together, as bits:
// one for each choice of the hits that may match.
func doings(hits []Hit) (can uint8) {
	can = 1
	for i := range hits {
		next := can
		if !hits[i].Maybe || hits[i].either() {
			next = 0
		}
		for all := range Effect(8) {
			switch {
			case can&(1<<all) == 0:
			case hits[i].either():
				next |= 1<<(all|Allows) | 1<<(all|Drops)
			default:
				next |= 1 << (all | hits[i].Does)
			}
		}
		can = next
	}
	return can
}
