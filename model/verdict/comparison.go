package verdict

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"rung/model"
)

// PodPair holds the verdicts of the connections from one pod to another in one family. Segments are in order
// and cover all ports.
type PodPair struct {
	From, To Endpoint
	Family   Family
	Segments []Segment
}

// VisitPodPairs visits the connections from each pod of from to each of to, in order, until visit returns
// false. It skips connections of a pod to itself, and pods without a class.
func (c *Classes) VisitPodPairs(from, to []*model.Pod, visit func(PodPair) bool) {
	sources, targets := c.EndsOfPods(from), c.EndsOfPods(to)
	for i, p := range from {
		for j, q := range to {
			if p.Key == q.Key {
				continue
			}
			for _, a := range sources[i] {
				for _, b := range targets[j] {
					if c.List[c.ClassByEnd[a]].Family != c.List[c.ClassByEnd[b]].Family {
						continue
					}
					how := FarAway
					if p.NodeName == q.NodeName {
						how = SameNode
					}
					if !visit(PodPair{c.Index.Endpoint(a), c.Index.Endpoint(b), AddrFamily(c.Index.Ends[a].Addr),
						c.Segments(c.ClassByEnd[a], c.ClassByEnd[b], how)}) {
						return
					}
				}
			}
		}
	}
}

// CommonVerdicts returns the verdicts that hold for all connections from pods of from's kind to pods of to's
// kind, whatever their nodes and family. Ports whose verdicts differ have no segment. ok is false if they
// share no family.
func (c *Classes) CommonVerdicts(from, to *model.Pod) (out []Segment, ok bool) {
	for _, a := range c.EndsOfPods([]*model.Pod{from})[0] {
		for _, b := range c.EndsOfPods([]*model.Pod{to})[0] {
			if c.List[c.ClassByEnd[a]].Family != c.List[c.ClassByEnd[b]].Family {
				continue
			}
			for _, how := range [...]ConnectionMode{FarAway, SameNode} {
				s := c.Segments(c.ClassByEnd[a], c.ClassByEnd[b], how)
				if !ok {
					out, ok = s, true
				} else {
					out = agreedSegments(out, s)
				}
			}
		}
	}
	return out, ok
}

// PodClassKey returns a key that is equal for pods that differ at most in their node.
func (c *Classes) PodClassKey(p *model.Pod) string {
	classes := model.MapList(c.EndsOfPods([]*model.Pod{p})[0], func(e int32) int32 { return c.ClassByEnd[e] })
	slices.Sort(classes)
	var out []byte
	for _, id := range classes {
		out = binary.LittleEndian.AppendUint32(out, uint32(id))
	}
	return string(out)
}

// EndsOfPods returns the ends of each pod that have a class.
func (c *Classes) EndsOfPods(pods []*model.Pod) [][]int32 {
	out := make([][]int32, len(pods))
	for i, p := range pods {
		if len(p.IPs) == 0 {
			continue
		}
		for _, e := range c.Index.PodEnds(p) {
			if c.ClassByEnd[e] >= 0 {
				out[i] = append(out[i], e)
			}
		}
	}
	return out
}

// agreedSegments returns the ports for which two lists have the same verdict.
func agreedSegments(a, b []Segment) (out []Segment) {
	for _, p := range a {
		for _, q := range b {
			if lo, hi := max(p.Lo, q.Lo), min(p.Hi, q.Hi); p.Protocol == q.Protocol && p.Verdict == q.Verdict && lo <= hi {
				out = append(out, Segment{p.Protocol, lo, hi, p.Verdict})
			}
		}
	}
	return out
}

// Comparison is two indexes with shared classes.
type Comparison struct {
	Before, After *Classes
	// Changed are the terms that only one of the two has, by side and stage.
	Changed [2][StageCount]Set
}

func NewComparison(before, after *Index, marks []netip.Addr) *Comparison {
	c := &Comparison{}
	var f *connectionFocus
	if sameEnds := slices.Equal(before.Ends, after.Ends); sameEnds {
		f = newFocus(len(after.Ends))
	}
	c.findChanged(before, after, f)
	both := new(classGrouping).groupClasses(nil, marks, f, before, after)
	c.Before, c.After = both[0], both[1]
	c.shareNodesMatter()
	return c
}

// findChanged finds the terms that only one index has, and adds them to the focus. If the ends differ, terms
// cannot be compared, and all count as changed.
func (c *Comparison) findChanged(before, after *Index, f *connectionFocus) {
	for n, side := range [...]struct{ has, other *Index }{{before, after}, {after, before}} {
		known := map[Signature]int{}
		if f != nil { // conditions are compared by the places of ends
			known = side.other.Signatures()
		}
		for stage, terms := range side.has.Terms {
			mine := side.has.StageSignatures(stage)
			c.Changed[n][stage] = NewSet(len(terms))
			for i := range terms {
				if known[mine[i]] > 0 {
					known[mine[i]]--
					continue
				}
				c.Changed[n][stage].Add(int32(i))
				if f != nil {
					f.addTerm(side.has, &terms[i])
				}
			}
		}
	}
}

// ComparisonOfOne returns an index compared with itself: nothing changed.
func ComparisonOfOne(x *Index) *Comparison {
	c := NewClasses(x, nil)
	return &Comparison{Before: c, After: c}
}

// WholeComparison returns two indexes with shared classes for EachPair. It includes unaffected ends, and pods
// that moved to another node.
func WholeComparison(before, after *Index) *Comparison {
	g := classGrouping{nodesMayDiffer: true}
	both := g.groupClasses(nil, nil, nil, before, after)
	c := &Comparison{Before: both[0], After: both[1]}
	c.shareNodesMatter()
	return c
}

// shareNodesMatter makes nodes matter on both sides if they matter on one.
func (c *Comparison) shareNodesMatter() {
	matter := c.Before.nodesMatter || c.After.nodesMatter
	c.Before.nodesMatter, c.After.nodesMatter = matter, matter
}

// EachPair visits all pairs of classes that may have connections, in each connection mode, until visit returns
// false. It does not count pairs of ends.
func (c *Comparison) EachPair(visit func(a, b int32, how ConnectionMode, nodes NodePairing) bool) {
	for i := range c.After.List {
		for j := range c.After.List {
			a, b := int32(i), int32(j)
			if !c.After.EachMode(a, b, c.Before, func(how ConnectionMode, nodes NodePairing) bool { return visit(a, b, how, nodes) }) {
				return
			}
		}
	}
}

// EachMode visits the modes of the connections between two classes, until visit returns false. Nodes count if
// they matter to these classes or to others.
func (c *Classes) EachMode(a, b int32, others *Classes, visit func(how ConnectionMode, nodes NodePairing) bool) bool {
	how, ok := c.PairMode(a, b)
	switch {
	case !ok:
		return true
	case how == Leaving && c.OwnNodeMatters(b):
		return visit(how, TwoNodes) && visit(how, OneNode)
	case how != FarAway || !c.NodesMatter(a, b) && !others.NodesMatter(a, b):
		return visit(how, AnyNodes)
	}
	return visit(FarAway, TwoNodes) && visit(SameNode, OneNode)
}

// Each visits the pairs of classes whose verdicts may change, until visit returns false.
func (c *Comparison) Each(visit func(a, b int32, how ConnectionMode, nodes NodePairing, pairs int) bool) {
	on := true
	c.visitTouched(func(a, b int32) {
		on = on && c.After.EachMode(a, b, c.Before, func(how ConnectionMode, nodes NodePairing) bool {
			pairs := c.After.CountPairsOnNodes(a, b, nodes)
			return pairs == 0 || visit(a, b, how, nodes, pairs)
		})
	})
}

// visitTouched visits the pairs of classes that may change: a changed term matches them.
func (c *Comparison) visitTouched(visit func(a, b int32)) {
	byFrom := make([]Set, len(c.After.List))
	for n, side := range [...]*Classes{c.Before, c.After} {
		for stage, terms := range side.Index.Terms {
			c.Changed[n][stage].Each(func(i int32) { side.MarkPairs(&terms[i], byFrom) })
		}
	}
	for a, to := range byFrom {
		to.Each(func(b int32) { visit(int32(a), b) })
	}
}
