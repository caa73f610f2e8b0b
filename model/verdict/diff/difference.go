package diff

import (
	"context"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// DiffQuestions says what a Difference reports in addition to all flips.
type DiffQuestions struct {
	// ReportedPolicies are policies whose rules are reported.
	ReportedPolicies []model.Key
	// Watches are connections also counted separately.
	Watches []WatchedEnds
	// Wanted is the purpose of the change, or nil. Difference.Unwanted has others with its verdict.
	Wanted *WantedVerdict
	// Protected are namespaces besides the platform's whose connections count in FlipReach.Protected.
	Protected []string
}

// WatchedEnds selects connections by destination and port.
type WatchedEnds struct {
	Pods  map[model.Key]bool  // true for each watched pod
	Addrs []netip.Addr        // of no pod
	Ports []verdict.PortRange // empty for all
}

// Difference is the effect of a change on connections. It is complete: any other connection stays as it was.
type Difference struct {
	// Flips are the connections with another verdict, the most harmful first. OtherDeciders keep their verdict
	// but are decided by another rule.
	Flips, OtherDeciders []FlipGroup
	// Totals count the pairs of Flips and OtherDeciders, each once whatever the number of ports.
	Totals []PairTotal
	// Reaches count the Flips by the namespaces of their ends. StillDeniedPairs are connections denied before at
	// both ends, now at one.
	Reaches          []FlipReach
	StillDeniedPairs []StillDeniedPairs
	// Watched are the flips of each WatchedEnds.
	Watched [][]FlipGroup
	// Unwanted are the connections that get the verdict of WantedVerdict but are not wanted, or nil. A pair
	// counts once, whatever the number of ports.
	Unwanted *FlipGroup
	// Rules are the rules of policies in DiffQuestions.ReportedPolicies.
	Rules []RuleUse
}

// PairTotal counts the pairs with one change of verdict. A pair whose ports change differently counts for each
// change.
type PairTotal struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	Pairs  int             `json:"pairs"`
}

// FlipGroup is the connections with the same change, decided by the same rules. Its lists are never null in
// JSON.
type FlipGroup struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	// Pairs counts pairs of ends. A pod has an end for each address. Outside addresses have one for each
	// network or node that a rule distinguishes.
	Pairs int                 `json:"pairs"`
	From  verdict.Ends        `json:"from"`
	To    verdict.Ends        `json:"to"`
	Ports []verdict.PortRange `json:"ports"`
	// ByBefore and ByAfter are the deciders at the stage that settles the verdict. Several deciders have equal
	// priority. They are empty if nothing matches, which allows the connection.
	ByBefore []verdict.Decider  `json:"decided_before"`
	ByAfter  []verdict.Decider  `json:"decided_after"`
	Example  verdict.Connection `json:"example"`
	// Network is the secondary or user-defined network; empty means the default one.
	Network string `json:"network,omitempty"`
}

// DiffIndexes compares the verdicts of two indexes. The error is the context's.
func DiffIndexes(ctx context.Context, before, after *verdict.Index, ask DiffQuestions) (*Difference, error) {
	var marks []netip.Addr
	for _, w := range ask.Watches {
		for _, a := range w.Addrs {
			if len(after.EndsAt(a)) == 0 && len(before.EndsAt(a)) == 0 && !slices.Contains(marks, a) {
				marks = append(marks, a)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := newDiffer(verdict.NewComparison(before, after, marks), ask)
	d.reach = newReachCounter(d.After, ask.Protected)
	d.findWatched()
	d.findWanted()
	n, err := 0, error(nil)
	d.Each(func(a, b int32, how verdict.ConnectionMode, nodes verdict.NodePairing, pairs int) bool {
		n++
		if n%256 == 0 {
			err = ctx.Err()
		}
		if err == nil {
			d.addClassPair(a, b, how, nodes, pairs)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return d.buildDifference(), nil
}

type differ struct {
	*verdict.Comparison
	questions DiffQuestions
	sides     [2]*indexSide
	results   map[[2]*decisions]*decisionDiff
	// walks holds each distinct result of a walk, by ports; ways holds those of whole connections.
	walks       verdict.RunTable[walkDecision]
	joinedWalks map[[verdict.Walks]int32]*decisions
	withoutCut  map[nodeCut]map[*decisions]*decisions
	groups      map[string]*groupBuilder
	ids         map[string]int32 // of deciders, by name
	watches     []watchBuilder
	uses        []RuleUse
	totals      []PairTotal
	unwanted    *unwantedFlips // nil if nothing is wanted
	reach       *reachCounter
	// usesByRule maps rules to places in uses, by side. useSide and otherDeciders have the side and the other
	// deciders of each place.
	usesByRule    [2]map[int32][]int
	useSide       []int
	otherDeciders []map[int32]bool
}

func newDiffer(c *verdict.Comparison, ask DiffQuestions) *differ {
	d := &differ{Comparison: c, questions: ask, results: map[[2]*decisions]*decisionDiff{}, groups: map[string]*groupBuilder{},
		ids:   map[string]int32{},
		walks: newWalkTable(), joinedWalks: map[[verdict.Walks]int32]*decisions{}, withoutCut: map[nodeCut]map[*decisions]*decisions{}}
	d.sides = [2]*indexSide{newIndexSide(d, c.Before, 0), newIndexSide(d, c.After, 1)}
	return d
}

// RuleUse reports whether a changed rule is used: new, deleted, or with another match, action or place.
type RuleUse struct {
	Policy    model.Key
	Direction model.Direction
	Rule      int
	// IsBefore marks a rule as it was before the change.
	IsBefore bool
	// Matches reports that the rule matches connections. Decides reports that it decides some connection,
	// alone or with rules of equal priority. Instead are the deciders of the rest.
	Matches, Decides bool
	Instead          []verdict.Decider
}

// findUses finds the reported rules, once the changed terms are known. It skips partly changed rules.
func (d *differ) findUses() {
	if d.usesByRule[0] != nil {
		return
	}
	for side, s := range d.sides {
		d.usesByRule[side] = map[int32][]int{}
		x := s.c.Index
		same := map[int32]bool{} // rules with an unchanged term
		for stage, terms := range x.Terms {
			for i := range terms {
				if !d.Changed[side][stage].Has(int32(i)) {
					same[terms[i].Rule] = true
				}
			}
		}
		type id struct {
			key       model.Key
			direction model.Direction
			rule      int
		}
		at, whole := map[id]int{}, map[id]bool{}
		for i := range x.Rules {
			r := &x.Rules[i]
			if r.Policy != nil && same[int32(i)] {
				whole[id{r.Key, r.Direction, r.Index}] = true
			}
		}
		for i := range x.Rules {
			r := &x.Rules[i]
			if r.Policy == nil || !slices.Contains(d.questions.ReportedPolicies, r.Key) {
				continue
			}
			k := id{r.Key, r.Direction, r.Index}
			if whole[k] {
				continue
			}
			u, known := at[k]
			if !known {
				u = len(d.uses)
				at[k] = u
				d.uses = append(d.uses, RuleUse{Policy: r.Key, Direction: r.Direction, Rule: r.Index, IsBefore: side == 0})
				d.otherDeciders, d.useSide = append(d.otherDeciders, map[int32]bool{}), append(d.useSide, side)
			}
			d.usesByRule[side][int32(i)] = append(d.usesByRule[side][int32(i)], u)
		}
	}
}

// noteUse notes which reported rules match at a port in a walk, and which rule decides there.
func (d *differ) noteUse(s *indexSide, stage int, list []int32, proto int8, port uint16, decider int32) {
	d.findUses()
	if len(d.usesByRule[s.beforeOrAfter]) == 0 {
		return
	}
	terms := s.c.Index.Terms[stage]
	hits := func(i int32) bool {
		all := verdict.CollectHits(list, terms, proto, port, nil).Hits
		return slices.ContainsFunc(all, func(h verdict.Hit) bool { return h.Ref == i })
	}
	for _, i := range list {
		t := &terms[i]
		for _, use := range d.usesByRule[s.beforeOrAfter][t.Rule] {
			if !t.Ports.Has(proto, port) {
				continue
			}
			u := &d.uses[use]
			u.Matches = true
			switch {
			case decider >= 0 && slices.Contains(s.decidersByID[decider], t.Rule), t.Effect == verdict.Passes && hits(i):
				u.Decides = true // a Pass decides that the next tier is asked
			case decider >= 0:
				d.otherDeciders[use][decider] = true
			}
		}
	}
}
