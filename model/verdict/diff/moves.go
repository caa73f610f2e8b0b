package diff

import (
	"cmp"
	"context"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// PriorityMoves computes what would flip if an AdminNetworkPolicy got any other priority. It groups
// connections by the terms they meet in each walk, so that a priority costs only the walks in which the policy
// passes another one. It must not be used concurrently.
type PriorityMoves struct {
	x           *verdict.Index
	move        verdict.PolicyMover
	enforcedNow bool // the policy is enforced now, at its current priority
	flipsKnown  map[[2]int][]PairTotal

	walks       []*pathWalk
	paths       map[pathKey]int      // counts of pairs of ends
	serviceCuts []verdict.ServiceCut // of the partition
	results     verdict.WalkResults
}

// pathKey is the walks of connections, and the ports cut from them.
type pathKey struct {
	walks [verdict.Walks]int32
	nodeCut
}

// pathWalk is a walk of connections with equal terms.
type pathWalk struct {
	stage                  int
	movedTerms, otherTerms []int32
	resultBefore           int32 // in PriorityMoves.results
}

// NewPriorityMoves prepares a PriorityMoves. x is an index in which the policy is enforced. there reports
// whether it is enforced now with this priority; if not, it decides nothing now. The error is the context's.
func NewPriorityMoves(ctx context.Context, x *verdict.Index, key model.Key, there bool) (*PriorityMoves, error) {
	m := &PriorityMoves{x: x, move: x.MoverOfPolicy(key), enforcedNow: there, flipsKnown: map[[2]int][]PairTotal{}, paths: map[pathKey]int{},
		results: verdict.NewWalkResults(verdict.Ports{})}
	var mine [verdict.StageCount]verdict.Set
	for stage, terms := range x.Terms {
		mine[stage] = verdict.NewSet(len(terms))
		for i := range terms {
			if x.Rules[terms[i].Rule].Key == key {
				mine[stage].Add(int32(i))
			}
		}
	}
	c := verdict.ClassesAbout(x, mine)
	m.serviceCuts = c.Outside.Cuts
	f := &pathFinder{m: m, byFrom: make([]verdict.Set, len(c.List)), policyTerms: mine, walksWithoutPolicy: map[int32]int32{},
		walkByTerms: walksByStage()}
	f.g = verdict.NewGrid(c, f.findWalk)
	for stage, terms := range x.Terms {
		mine[stage].Each(func(i int32) { c.MarkPairs(&terms[i], f.byFrom) })
	}
	for a, to := range f.byFrom {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to.Each(func(b int32) { f.findPair(int32(a), b) })
	}
	return m, nil
}

// FlipsAt counts the flips if the policy gets a priority, which some plugins allow to be fractional.
func (m *PriorityMoves) FlipsAt(priority float64) []PairTotal {
	if m.move.Terms == nil || m.enforcedNow && priority == m.move.Priority {
		return nil
	}
	// Between the same neighbours the result is the same.
	at, tied := slices.BinarySearch(m.move.OtherPriorities, priority)
	key := [2]int{at, 0}
	if tied {
		key[1] = 1
	}
	out, known := m.flipsKnown[key]
	if !known {
		out = m.countFlips(m.move.Terms(priority))
		m.flipsKnown[key] = out
	}
	return out
}

// countFlips counts the flips if terms get other priorities.
func (m *PriorityMoves) countFlips(terms [verdict.StageCount][]verdict.Term) (out []PairTotal) {
	after := make([]int32, len(m.walks))
	for i, k := range m.walks {
		after[i] = k.resultBefore
		if len(k.movedTerms) > 0 && (!m.enforcedNow || k.changesOrder(m.x.Terms[k.stage], terms[k.stage])) {
			after[i] = m.results.InternResult(mergedTerms(k.otherTerms, k.movedTerms, terms[k.stage]), terms[k.stage], k.movedTerms, k.otherTerms)
		}
	}
	type change struct {
		before, after [verdict.Walks]int32
		nodeCut
	}
	flips := map[change][]PairTotal{}
	for way, pairs := range m.paths {
		c, same := change{noDeciders, noDeciders, way.nodeCut}, true
		for i, id := range way.walks {
			if id >= 0 {
				c.before[i], c.after[i] = m.walks[id].resultBefore, after[id]
				same = same && c.before[i] == c.after[i]
			}
		}
		if same {
			continue
		}
		kinds, known := flips[c]
		if !known {
			kinds = m.flipsOfResults(c.before, c.after, m.serviceCuts[c.cut].CutPortsFor(c.forOwnNode))
			flips[c] = kinds
		}
		for _, t := range kinds {
			out = addToTotals(out, PairTotal{t.Before, t.After, pairs})
		}
	}
	sortTotals(out)
	return out
}

// flipsOfResults returns the distinct changes of verdict over all ports except some.
func (m *PriorityMoves) flipsOfResults(before, after [verdict.Walks]int32, but []verdict.PortRange) (out []PairTotal) {
	verdict.EachOverlap(m.joinedVerdicts(before), m.joinedVerdicts(after), func(ports verdict.PortRange, was, is *verdict.Verdict) {
		flip := PairTotal{Before: *was, After: *is}
		if *was != *is && !slices.Contains(out, flip) && len(ports.WithoutPorts(but)) > 0 {
			out = append(out, flip)
		}
	})
	return out
}

// joinedVerdicts returns the verdict of each port over all walks.
func (m *PriorityMoves) joinedVerdicts(results [verdict.Walks]int32) (out []verdict.Segment) {
	for _, id := range results {
		switch {
		case id < 0:
		case out == nil:
			out = m.results.Lists[id]
		default:
			out = verdict.JoinRuns(out, m.results.Lists[id], verdict.JoinVerdicts)
		}
	}
	return out
}

// changesOrder reports whether a term of the policy changes its order with another term.
func (k *pathWalk) changesOrder(before, after []verdict.Term) bool {
	for _, i := range k.movedTerms {
		for _, j := range k.otherTerms {
			if o := &before[j]; o.Tier == before[i].Tier &&
				cmp.Compare(before[i].Priority, o.Priority) != cmp.Compare(after[i].Priority, after[j].Priority) {
				return true
			}
		}
	}
	return false
}

// mergedTerms merges two lists in the order in which their terms decide.
func mergedTerms(a, b []int32, terms []verdict.Term) []int32 {
	out := make([]int32, 0, len(a)+len(b))
	before := func(i, j int32) bool {
		return cmp.Or(cmp.Compare(terms[i].Tier, terms[j].Tier), cmp.Compare(terms[j].Priority, terms[i].Priority)) <= 0
	}
	for len(a) > 0 && len(b) > 0 {
		if before(a[0], b[0]) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
