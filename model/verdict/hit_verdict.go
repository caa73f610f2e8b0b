package verdict

// TermEffect is the effect of a matching term, or a union of several if rules of one priority disagree.
type TermEffect uint8

const (
	Allows TermEffect = 1 << iota
	Drops
	Passes
)

// Hit is a term or row that matches, or may. A walk's hits are in deciding order: tier, then priority.
type Hit struct {
	Ref      int32
	Priority int32
	Tier     int8
	Effect   TermEffect
	Maybe    bool // whether it matches is unknown
}

func (h *Hit) SamePriority(o *Hit) bool { return h.Tier == o.Tier && h.Priority == o.Priority }

// isEither reports whether a hit surely matches but may allow or drop, as layer 7 decides.
func (h *Hit) isEither() bool { return h.Maybe && h.Effect == Allows|Drops }

// outcomeSet is the set of possible outcomes of a packet when rules of one priority disagree.
type outcomeSet uint8

const (
	canAllow outcomeSet = 1 << iota
	canDeny
)

// outcomeBits is a set of outcomeSets, with one bit for each way that unjudged hits may turn out.
type outcomeBits uint8

func outcomeBit(o outcomeSet) outcomeBits { return 1 << o }

// verdictOfBits returns unknown if the verdict depends on unjudged hits. It returns undefined if it always
// depends on which rule wins.
func (o outcomeBits) verdictOfBits() Verdict {
	switch o {
	case outcomeBit(canAllow):
		return Allow
	case outcomeBit(canDeny):
		return Deny
	case outcomeBit(canAllow | canDeny):
		return Undefined
	}
	return Unknown
}

// HitCollector collects the hits of a walk, and knows when later ones no longer count.
type HitCollector struct {
	Hits []Hit
	// IsOpen reports that a hit only may match, or that rules of one priority disagree, so later hits count.
	IsOpen     bool
	LastEffect TermEffect // of the last hit while not open: it ended the tier or the walk
}

// Next reports whether a hit of a tier and priority would count, and whether any later one may.
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

// SettledWalk is the end of a walk: the verdict, the hits that decided it, and the hits that passed it on
// before. Decided has several hits if they disagree or only may match; it is empty for the default.
type SettledWalk struct {
	Verdict         Verdict
	Decided, Passed []int32
	// IsOpen marks Decided as candidates: any of them may decide.
	IsOpen bool
}

// SettleHits settles the hits of a walk (ovn-kubernetes.md#stages). If rules of equal priority disagree, it
// follows all of them: the verdict is undefined only if it depends on the winner.
func SettleHits(hits []Hit) SettledWalk { return SettleHitsInto(hits, nil, nil) }

// SettleHitsInto does SettleHits with reused lists.
func SettleHitsInto(hits []Hit, decided, passed []int32) SettledWalk {
	out := SettledWalk{Verdict: Allow, Decided: decided, Passed: passed}
	simple := true
	for i := 0; i < len(hits); {
		end, all, sure, maybe := hitsOfPriority(hits, i)
		if simple && (maybe || all&(all-1) != 0) {
			simple = false
			out.Verdict = settleVerdict(hits[i:])
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

// hitsOfPriority returns the end of the hits with the priority of hit i, their joint effect, and whether one
// of them surely matches, or only may.
func hitsOfPriority(hits []Hit, i int) (end int, all TermEffect, sure, maybe bool) {
	for end = i; end < len(hits) && hits[end].SamePriority(&hits[i]); end++ {
		all |= hits[end].Effect
		sure = sure || !hits[end].Maybe || hits[end].isEither()
		maybe = maybe || hits[end].Maybe
	}
	return end, all, sure, maybe
}

func nextTier(hits []Hit, i int) int {
	tier := hits[i].Tier
	for i < len(hits) && hits[i].Tier == tier {
		i++
	}
	return i
}

// branchSettler follows every way through the hits, each part once.
type branchSettler struct {
	hits []Hit
	memo []outcomeBits
}

// settleVerdict returns the verdict of hits over every way.
func settleVerdict(hits []Hit) Verdict {
	s := &branchSettler{hits, make([]outcomeBits, len(hits))}
	return s.outcomesFrom(0).verdictOfBits()
}

func (s *branchSettler) outcomesFrom(i int) (out outcomeBits) {
	if i == len(s.hits) {
		return outcomeBit(canAllow)
	}
	if s.memo[i] != 0 {
		return s.memo[i]
	}
	end, _, _, _ := hitsOfPriority(s.hits, i)
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
			out |= outcomeBit(now)
			continue
		}
		then := s.outcomesFrom(nextTier(s.hits, i))
		for o := range outcomeSet(4) {
			if then&outcomeBit(o) != 0 {
				out |= outcomeBit(now | o)
			}
		}
	}
	s.memo[i] = out
	return out
}

// possibleEffects returns the joint effects that the hits of one priority can have, as bits: one for each
// choice of the hits that may match.
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
