package matrix

import (
	"encoding/binary"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// Crossed is what becomes of the connections from one pod to another in one family, for
// every port: Segments are in order and leave none out.
type Crossed struct {
	From, To verdict.Endpoint
	Family   verdict.Family
	Segments []Segment
}

// Cross visits the connections from each of some pods to each of others, in their order,
// until visit says that it is enough. No pod connects to itself. Pods that the classes
// leave out have none.
func (c *Classes) Cross(from, to []*model.Pod, visit func(Crossed) bool) {
	known := map[crossing][]Segment{}
	sources, targets := c.EndsOfPods(from), c.EndsOfPods(to)
	for i, p := range from {
		for j, q := range to {
			if p.Key == q.Key {
				continue
			}
			for _, a := range sources[i] {
				for _, b := range targets[j] {
					if c.List[c.ClassOf[a]].Family != c.List[c.ClassOf[b]].Family {
						continue
					}
					how := FarAway
					if p.NodeName == q.NodeName {
						how = SameNode
					}
					if !visit(Crossed{c.Index.Endpoint(a), c.Index.Endpoint(b), verdict.FamilyOf(c.Index.Ends[a].Addr),
						c.segments(crossing{c.ClassOf[a], c.ClassOf[b], how}, known)}) {
						return
					}
				}
			}
		}
	}
}

// Common is what becomes of the connections from pods of one kind to pods of another, on
// which nodes they may be and by whichever family: of ports at which that is not one
// verdict there is no segment. ok is false where they have no family in common.
func (c *Classes) Common(from, to *model.Pod) (out []Segment, ok bool) {
	known := map[crossing][]Segment{}
	for _, a := range c.EndsOfPods([]*model.Pod{from})[0] {
		for _, b := range c.EndsOfPods([]*model.Pod{to})[0] {
			if c.List[c.ClassOf[a]].Family != c.List[c.ClassOf[b]].Family {
				continue
			}
			for _, how := range [...]Mode{FarAway, SameNode} {
				s := c.segments(crossing{c.ClassOf[a], c.ClassOf[b], how}, known)
				if !ok {
					out, ok = s, true
				} else {
					out = agreed(out, s)
				}
			}
		}
	}
	return out, ok
}

// Like is equal for pods that nothing tells apart but the node they are on.
func (c *Classes) Like(p *model.Pod) string {
	var classes []int32
	for _, e := range c.EndsOfPods([]*model.Pod{p})[0] {
		classes = append(classes, c.ClassOf[e])
	}
	slices.Sort(classes)
	var out []byte
	for _, id := range classes {
		out = binary.LittleEndian.AppendUint32(out, uint32(id))
	}
	return string(out)
}

// crossing is two classes and how connections between them go.
type crossing struct {
	from, to int32
	how      Mode
}

// EndsOfPods are the ends of pods that have a class.
func (c *Classes) EndsOfPods(pods []*model.Pod) [][]int32 {
	out := make([][]int32, len(pods))
	for i, p := range pods {
		if len(p.IPs) == 0 {
			continue
		}
		for _, e := range c.Index.EndsOf(p) {
			if c.ClassOf[e] >= 0 {
				out[i] = append(out[i], e)
			}
		}
	}
	return out
}

func (c *Classes) segments(at crossing, known map[crossing][]Segment) []Segment {
	if at.how == SameNode && !c.NodesMatter(at.from, at.to) {
		at.how = FarAway
	}
	s, ok := known[at]
	if !ok {
		var k Candidates
		c.FindCandidates(at.from, at.to, at.how, &k)
		s = c.Profile(&k, nil).Segments
		known[at] = s
	}
	return s
}

// agreed are the ports of which two lists say the same.
func agreed(a, b []Segment) (out []Segment) {
	for _, p := range a {
		for _, q := range b {
			if lo, hi := max(p.Lo, q.Lo), min(p.Hi, q.Hi); p.Protocol == q.Protocol && p.Verdict == q.Verdict && lo <= hi {
				out = append(out, Segment{p.Protocol, lo, hi, p.Verdict})
			}
		}
	}
	return out
}
