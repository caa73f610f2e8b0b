package verdict

// TermEffect is the effect of something that matches; a union of several, where rules of
// one priority disagree.
type TermEffect uint8

const (
	Allows TermEffect = 1 << iota
	Drops
	Passes
)

// Hit is something that matches, or may: those of one walk are in the order in which
// they decide, by tier and falling priority.
type Hit struct {
	Ref      int32
	Priority int32
	Tier     int8
	Effect   TermEffect
	Maybe    bool // it cannot be told whether it matches
}

func (h *Hit) SamePriority(o *Hit) bool { return h.Tier == o.Tier && h.Priority == o.Priority }

// isEither says whether it is sure to match and what it does cannot be told: it allows or
// drops, as layer 7 decides.
func (h *Hit) isEither() bool { return h.Maybe && h.Effect == Allows|Drops }

// outcomeSet is the set of results that a packet can have where rules of one priority
// disagree: the result of each of them.
type outcomeSet uint8

const (
	canAllow outcomeSet = 1 << iota
	canDeny
)

// outcomeBits are the outcomes that there can be, as bits, one for each that what cannot be judged
// leaves open.
type outcomeBits uint8

func bitOf(o outcomeSet) outcomeBits { return 1 << o }

// verdictOfBits is unknown where it depends on what cannot be judged, and undefined where,
// whatever that is, it depends on the rule that wins.
func (o outcomeBits) verdictOfBits() Verdict {
	switch o {
	case bitOf(canAllow):
		return Allow
	case bitOf(canDeny):
		return Deny
	case bitOf(canAllow | canDeny):
		return Undefined
	}
	return Unknown
}

// HitCollector gathers the hits of a walk, and knows when no more of them count.
type HitCollector struct {
	Hits []Hit
	// open: something only may match, or rules of one priority disagree, so that all that
	// comes after counts.
	IsOpen     bool
	LastEffect TermEffect // of the last hit while nothing is open: what ended the tier or the walk
}

// Next says of what comes next whether it counts, and whether anything does from here on.
func (c *HitCollector) Next(tier int8, priority int32) (counts, more bool) {
	if c.IsOpen || len(c.Hits) == 0 {
		return true, true
	}
	h := &c.Hits[len(c.Hits)-1]
	switch {
	case h.Tier == tier && h.Priority == priority:
		return true, true
	case c.LastEffect == Passes:
		return tier != h.Tier, true
	}
	return false, false
}

func (c *HitCollector) Add(h Hit) {
	if n := len(c.Hits); h.Maybe || n > 0 && c.Hits[n-1].SamePriority(&h) && c.Hits[n-1].Effect != h.Effect {
		c.IsOpen = true
	}
	c.Hits, c.LastEffect = append(c.Hits, h), h.Effect
}

// SettledWalk is how a walk ends: the verdict, the hits that decided it (several that
// disagree or may match; none is the default), and those that passed it on before.
type SettledWalk struct {
	Verdict         Verdict
	Decided, Passed []int32
	// IsOpen says that Decided are candidates: it cannot be told which of them decides.
	IsOpen bool
}

// SettleHits walks the hits (ovn-kubernetes.md#stages). Where rules of one priority disagree
// it goes every way: the verdict is undefined only if it depends on the one that wins.
func SettleHits(hits []Hit) SettledWalk { return SettleHitsInto(hits, nil, nil) }

// SettleHitsInto is settle that fills lists it is given.
func SettleHitsInto(hits []Hit, decided, passed []int32) SettledWalk {
	out := SettledWalk{Verdict: Allow, Decided: decided, Passed: passed}
	simple := true
	for i := 0; i < len(hits); {
		end, all, sure := hitsOfPriority(hits, i)
		maybe := hasMaybe(hits[i:end])
		if simple && (maybe || all&(all-1) != 0) {
			simple = false
			out.Verdict = verdictOf(hits[i:])
		}
		switch {
		case !maybe && all == Passes:
			if out.IsOpen {
				out.addHit(hits[i:end])
				return out
			}
			for k := i; k < end; k++ {
				out.Passed = append(out.Passed, hits[k].Ref)
			}
			i = nextTier(hits, i)
			continue
		case sure:
			if simple && all == Drops {
				out.Verdict = Deny
			}
			out.IsOpen = out.IsOpen || maybe || all&(all-1) != 0
			out.addHit(hits[i:end])
			return out
		}
		out.IsOpen = true
		out.addHit(hits[i:end])
		i = end
	}
	return out
}

func (s *SettledWalk) addHit(hits []Hit) {
	for i := range hits {
		s.Decided = append(s.Decided, hits[i].Ref)
	}
}

// hitsOfPriority is the hits of one priority from i: where they end, all that they do, and
// whether one of them is sure to match.
func hitsOfPriority(hits []Hit, i int) (end int, all TermEffect, sure bool) {
	for end = i; end < len(hits) && hits[end].SamePriority(&hits[i]); end++ {
		all |= hits[end].Effect
		sure = sure || !hits[end].Maybe || hits[end].isEither()
	}
	return end, all, sure
}

func hasMaybe(hits []Hit) bool {
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

// waySettler goes every way, and each part of the way once.
type waySettler struct {
	hits []Hit
	memo []outcomeBits
}

// verdictOf is the verdict of hits, gone every way.
func verdictOf(hits []Hit) Verdict {
	s := &waySettler{hits, make([]outcomeBits, len(hits))}
	return s.outcomesFrom(0).verdictOfBits()
}

func (s *waySettler) outcomesFrom(i int) (out outcomeBits) {
	if i == len(s.hits) {
		return bitOf(canAllow)
	}
	if s.memo[i] != 0 {
		return s.memo[i]
	}
	end, _, _ := hitsOfPriority(s.hits, i)
	can := possibleEffects(s.hits[i:end])
	for all := range TermEffect(8) {
		if can&(1<<all) == 0 {
			continue
		}
		if all == 0 { // none of them matches
			out |= s.outcomesFrom(end)
			continue
		}
		var now outcomeSet
		if all&Allows != 0 {
			now |= canAllow
		}
		if all&Drops != 0 {
			now |= canDeny
		}
		if all&Passes == 0 {
			out |= bitOf(now)
			continue
		}
		then := s.outcomesFrom(nextTier(s.hits, i))
		for o := range outcomeSet(4) {
			if then&bitOf(o) != 0 {
				out |= bitOf(now | o)
			}
		}
	}
	s.memo[i] = out
	return out
}

// possibleEffects returns the effects that the hits of one priority can have together, as bits:
// one for each choice of the hits that may match.
func possibleEffects(hits []Hit) (can uint8) {
	can = 1
	for i := range hits {
		next := can
		if !hits[i].Maybe || hits[i].isEither() {
			next = 0
		}
		for all := range TermEffect(8) {
			switch {
			case can&(1<<all) == 0:
			case hits[i].isEither():
				next |= 1<<(all|Allows) | 1<<(all|Drops)
			default:
				next |= 1 << (all | hits[i].Effect)
			}
		}
		can = next
	}
	return can
}
