package diff

import (
	"context"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// DiffQuestions says what a Difference is about besides all flips.
type DiffQuestions struct {
	// ReportedPolicies are policies whose rules are reported.
	ReportedPolicies []model.Key
	// Watches are connections that are counted by themselves as well.
	Watches []WatchedEnds
	// Wanted, where set, is the purpose of the change: other connections that get its verdict
	// are told in Difference.Unwanted.
	Wanted *WantedVerdict
	// Protected are namespaces, besides those of the platform, whose connections are
	// counted in FlipReach.Protected.
	Protected []string
}

// WatchedEnds is some of all connections: those to some ends, on some ports.
type WatchedEnds struct {
	Pods  map[model.Key]bool  // those to look at are true
	Addrs []netip.Addr        // of no pod
	Ports []verdict.PortRange // none for all
}

// Difference is the effect of a change on connections. It is complete: a connection it
// does not name stays as it was.
type Difference struct {
	// Flips are the connections that get another verdict, the most harmful first. OtherDeciders keep
	// their verdict and are decided by another rule.
	Flips, OtherDeciders []FlipGroup
	// Totals count the pairs of Flips and OtherDeciders, each once however many of its ports do.
	Totals []PairTotal
	// Reaches count the Flips by the namespaces of their ends, and HangingPairs the connections that
	// are denied still, by one end where it was by both.
	Reaches      []FlipReach
	HangingPairs []HangingPairs
	// Watched are the flips of each WatchedEnds.
	Watched [][]FlipGroup
	// Unwanted is the connections that get the verdict of WantedVerdict without being wanted, a pair
	// counted once however many of its ports do; nil for none.
	Unwanted *FlipGroup
	// Rules are the rules of policies in DiffQuestions.ReportedPolicies.
	Rules []RuleUse
}

// PairTotal counts the pairs that go from one verdict to another: a pair whose ports go several
// ways counts for each.
type PairTotal struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	Pairs  int             `json:"pairs"`
}

// FlipGroup is connections that become the same through the same rules. Its lists are never null in JSON.
type FlipGroup struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	// Pairs counts the pairs of ends: of pods, each with each of its addresses; of addresses
	// outside each part of them that a rule tells from others, a network or a node, counts as
	// one.
	Pairs int                 `json:"pairs"`
	From  verdict.Ends        `json:"from"`
	To    verdict.Ends        `json:"to"`
	Ports []verdict.PortRange `json:"ports"`
	// ByBefore and ByAfter decide at the stage that settles it; none where nothing matches,
	// which lets it through. Several are of one priority.
	ByBefore []verdict.Decider  `json:"decided_before"`
	ByAfter  []verdict.Decider  `json:"decided_after"`
	Example  verdict.Connection `json:"example"`
	// Network is the network besides the default one that they are on, empty for that one.
	Network string `json:"network,omitempty"`
}

// DiffIndexes says what becomes of connections from one index to another. The error is that of
// the context.
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

// differ works a Difference out.
type differ struct {
	*verdict.Comparison
	questions DiffQuestions
	sides     [2]*indexSide
	results   map[[2]*decisions]*decisionDiff
	// walks holds each result of a walk once, by ports; ways interns those of one connection.
	walks      verdict.RunTable[walkDecision]
	ways       map[[verdict.Walks]int32]*decisions
	withoutCut map[nodeCut]map[*decisions]*decisions
	groups     map[string]*groupBuilder
	ids        map[string]int32 // of deciders, by what they are
	watches    []watchBuilder
	uses       []RuleUse
	totals     []PairTotal
	unwanted   *unwantedFlips // nil where nothing is wanted
	reach      *reachCounter
	// By side and rule of the index, the places in uses; and by place the side, and who
	// decides instead.
	useOf   [2]map[int32][]int
	useSide []int
	instead []map[int32]bool
}

func newDiffer(c *verdict.Comparison, ask DiffQuestions) *differ {
	d := &differ{Comparison: c, questions: ask, results: map[[2]*decisions]*decisionDiff{}, groups: map[string]*groupBuilder{},
		ids:   map[string]int32{},
		walks: newWalkTable(), ways: map[[verdict.Walks]int32]*decisions{}, withoutCut: map[nodeCut]map[*decisions]*decisions{}}
	d.sides = [2]*indexSide{newIndexSide(d, c.Before, 0), newIndexSide(d, c.After, 1)}
	return d
}

// RuleUse says whether a rule of a change is used: a rule that is new, goes, or is
// another in its matches, its action or its place.
type RuleUse struct {
	Policy    model.Key
	Direction model.Direction
	Rule      int
	// IsBefore says that it is told of as it was before the change.
	IsBefore bool
	// Matches says that there are connections that it matches, Decides that it decides one
	// of them, alone or with others of its priority. Instead are those that decide the rest.
	Matches, Decides bool
	Instead          []verdict.Decider
}

// findUses finds the rules that are asked about, once it is known what changed. Of a rule of
// which only a part changed nothing is said.
func (d *differ) findUses() {
	if d.useOf[0] != nil {
		return
	}
	for side, s := range d.sides {
		d.useOf[side] = map[int32][]int{}
		x := s.c.Index
		same := map[int32]bool{} // rules with a term that is in both
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
				d.instead, d.useSide = append(d.instead, map[int32]bool{}), append(d.useSide, side)
			}
			d.useOf[side][int32(i)] = append(d.useOf[side][int32(i)], u)
		}
	}
}

// noteUse notes which of the rules that are asked about match at a port in a walk, and who decides
// there.
func (d *differ) noteUse(s *indexSide, stage int, list []int32, proto int8, port uint16, decider int32) {
	d.findUses()
	if len(d.useOf[s.beforeOrAfter]) == 0 {
		return
	}
	terms := s.c.Index.Terms[stage]
	hits := func(i int32) bool {
		all := verdict.CollectHits(list, terms, proto, port, nil).Hits
		return slices.ContainsFunc(all, func(h verdict.Hit) bool { return h.Ref == i })
	}
	for _, i := range list {
		t := &terms[i]
		for _, use := range d.useOf[s.beforeOrAfter][t.Rule] {
			if !t.Ports.Has(proto, port) {
				continue
			}
			u := &d.uses[use]
			u.Matches = true
			switch {
			case decider >= 0 && slices.Contains(s.decidersByID[decider], t.Rule),
				t.Effect == verdict.Passes && hits(i):
				u.Decides = true // a Pass decides that the next tier is asked
			case decider >= 0:
				d.instead[use][decider] = true
			}
		}
	}
}
