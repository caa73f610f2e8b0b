package verdict

// does is what something does once it matches; several, where rules of one priority
// disagree.
type does uint8

const (
	allows does = 1 << iota
	drops
	passes
)

// hit is something that matches, or may: those of one walk are in the order in which
// they decide, by tier and falling priority.
type hit struct {
	ref      int32
	priority int32
	tier     int8
	does     does
	maybe    bool // it cannot be told whether it matches
}

func (h *hit) with(o *hit) bool { return h.tier == o.tier && h.priority == o.priority }

// either says whether it is sure to match and what it does cannot be told: it allows or
// drops, as layer 7 decides.
func (h *hit) either() bool { return h.maybe && h.does == allows|drops }

// outcome is what can become of a packet where rules of one priority disagree: what any
// of them would do.
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
func (o prospects) verdict() Verdict {
	switch o {
	case only(canAllow):
		return Allow
	case only(canDeny):
		return Deny
	case only(canAllow | canDeny):
		return Undefined
	}
	return Unknown
}

// collector gathers the hits of a walk, and knows when no more of them count.
type collector struct {
	hits []hit
	// open: something only may match, or rules of one priority disagree, so that all that
	// comes after counts.
	open bool
	last does // of the last hit while nothing is open: what ended the tier or the walk
}

// next says of what comes next whether it counts, and whether anything does from here on.
func (c *collector) next(tier int8, priority int32) (counts, more bool) {
	if c.open || len(c.hits) == 0 {
		return true, true
	}
	h := &c.hits[len(c.hits)-1]
	switch {
	case h.tier == tier && h.priority == priority:
		return true, true
	case c.last == passes:
		return tier != h.tier, true
	}
	return false, false
}

func (c *collector) add(h hit) {
	if n := len(c.hits); h.maybe || n > 0 && c.hits[n-1].with(&h) && c.hits[n-1].does != h.does {
		c.open = true
	}
	c.hits, c.last = append(c.hits, h), h.does
}

// settled is how a walk ends: the verdict, the hits that decided it (several that
// disagree or may match; none is the default), and those that passed it on before.
type settled struct {
	verdict         Verdict
	decided, passed []int32
	// open says that decided are candidates: which of them it is cannot be told.
	open bool
}

// settle walks the hits (ovn-kubernetes.md#stages). Where rules of one priority disagree
// it goes every way: the verdict is undefined only if it depends on the one that wins.
func settle(hits []hit) settled { return settleInto(hits, nil, nil) }

// settleInto is settle that fills lists it is given.
func settleInto(hits []hit, decided, passed []int32) settled {
	out := settled{verdict: Allow, decided: decided, passed: passed}
	simple := true
	for i := 0; i < len(hits); {
		end, all, sure := group(hits, i)
		maybe := anyMaybe(hits[i:end])
		if simple && (maybe || all&(all-1) != 0) {
			simple = false
			out.verdict = verdictOf(hits[i:])
		}
		switch {
		case !maybe && all == passes:
			if out.open {
				out.add(hits[i:end])
				return out
			}
			for k := i; k < end; k++ {
				out.passed = append(out.passed, hits[k].ref)
			}
			i = nextTier(hits, i)
			continue
		case sure:
			if simple && all == drops {
				out.verdict = Deny
			}
			out.open = out.open || maybe || all&(all-1) != 0
			out.add(hits[i:end])
			return out
		}
		out.open = true
		out.add(hits[i:end])
		i = end
	}
	return out
}

func (s *settled) add(hits []hit) {
	for i := range hits {
		s.decided = append(s.decided, hits[i].ref)
	}
}

// group is the hits of one priority from i: where they end, all that they do, and
// whether one of them is sure to match.
func group(hits []hit, i int) (end int, all does, sure bool) {
	for end = i; end < len(hits) && hits[end].with(&hits[i]); end++ {
		all |= hits[end].does
		sure = sure || !hits[end].maybe || hits[end].either()
	}
	return end, all, sure
}

func anyMaybe(hits []hit) bool {
	for i := range hits {
		if hits[i].maybe {
			return true
		}
	}
	return false
}

func nextTier(hits []hit, i int) int {
	tier := hits[i].tier
	for i < len(hits) && hits[i].tier == tier {
		i++
	}
	return i
}

// settler goes every way, and each part of the way once.
type settler struct {
	hits []hit
	memo []prospects
}

// verdictOf is the verdict of hits, gone every way.
func verdictOf(hits []hit) Verdict {
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
	for all := range does(8) {
		if can&(1<<all) == 0 {
			continue
		}
		if all == 0 { // none of them matches
			out |= s.from(end)
			continue
		}
		var now outcome
		if all&allows != 0 {
			now |= canAllow
		}
		if all&drops != 0 {
			now |= canDeny
		}
		if all&passes == 0 {
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

// doings are what the hits of one priority can do together, as bits: one for each choice
// of those that may match.
func doings(hits []hit) (can uint8) {
	can = 1
	for i := range hits {
		next := can
		if !hits[i].maybe || hits[i].either() {
			next = 0
		}
		for all := range does(8) {
			switch {
			case can&(1<<all) == 0:
			case hits[i].either():
				next |= 1<<(all|allows) | 1<<(all|drops)
			default:
				next |= 1 << (all | hits[i].does)
			}
		}
		can = next
	}
	return can
}
