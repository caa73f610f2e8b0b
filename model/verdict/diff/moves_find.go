package diff

import (
	"rung/model/verdict"
)

type pathFinder struct {
	m                  *PriorityMoves
	g                  *verdict.Grid
	byFrom             []verdict.Set
	policyTerms        [verdict.StageCount]verdict.Set      // terms of the policy, by stage
	walkByTerms        [verdict.StageCount]map[string]int32 // by terms
	walksWithoutPolicy map[int32]int32                      // walks without the policy, by result: they never change
	raw                []byte
}

func (f *pathFinder) findPair(a, b int32) {
	c := f.g.Classes
	c.EachMode(a, b, c, func(how verdict.ConnectionMode, nodes verdict.NodePairing) bool {
		var at nodeCut
		if how == verdict.Leaving {
			at = nodeCut{c.List[b].Cut, nodes == verdict.OneNode}
		}
		if pairs := c.CountPairsOnNodes(a, b, nodes); pairs > 0 {
			f.m.paths[pathKey{f.g.WalkAnswers(a, b, how), at}] += pairs
		}
		return true
	})
}

func (f *pathFinder) findWalk(kind verdict.WalkKind, met verdict.Set) int32 {
	stage := kind.Stage()
	f.raw = verdict.AppendSet(f.raw[:0], met)
	if id, known := f.walkByTerms[stage][string(f.raw)]; known {
		return id
	}
	k := &pathWalk{stage: stage}
	met.Each(func(i int32) {
		if f.policyTerms[stage].Has(i) {
			k.movedTerms = append(k.movedTerms, i)
		} else {
			k.otherTerms = append(k.otherTerms, i)
		}
	})
	terms, list := f.m.x.Terms[stage], k.otherTerms
	if f.m.enforcedNow {
		list = mergedTerms(k.otherTerms, k.movedTerms, terms)
	}
	k.resultBefore = f.m.results.InternResult(list, terms, k.movedTerms, k.otherTerms)
	id, known := f.walksWithoutPolicy[k.resultBefore]
	if len(k.movedTerms) > 0 || !known {
		id = int32(len(f.m.walks))
		f.m.walks = append(f.m.walks, k)
		if len(k.movedTerms) == 0 {
			k.otherTerms = nil // not needed again
			f.walksWithoutPolicy[k.resultBefore] = id
		}
	}
	f.walkByTerms[stage][string(f.raw)] = id
	return id
}
