package verdict

import (
	"encoding/binary"
	"slices"

	"rung/model"
)

// Crossed is what becomes of the connections from one pod to another in one family, for
// every port: Segments are in order and leave none out.
type Crossed struct {
	From, To Endpoint
	Family   Family
	Segments []Segment
}

// Cross visits the connections from each of some pods to each of others, in their order,
// until visit says that it is enough. No pod connects to itself. Pods that the classes
// leave out have none.
func (c *Classes) Cross(from, to []*model.Pod, visit func(Crossed) bool) {
	known := map[crossing][]Segment{}
	sources, targets := c.places(from), c.places(to)
	for i, p := range from {
		for j, q := range to {
			if p.Key == q.Key {
				continue
			}
			for _, a := range sources[i] {
				for _, b := range targets[j] {
					if c.classes[c.of[a]].family != c.classes[c.of[b]].family {
						continue
					}
					how := farAway
					if p.NodeName == q.NodeName {
						how = sameNode
					}
					if !visit(Crossed{c.x.endpoint(a), c.x.endpoint(b), FamilyOf(c.x.ends[a].addr),
						c.segments(crossing{c.of[a], c.of[b], how}, known)}) {
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
	for _, a := range c.places([]*model.Pod{from})[0] {
		for _, b := range c.places([]*model.Pod{to})[0] {
			if c.classes[c.of[a]].family != c.classes[c.of[b]].family {
				continue
			}
			for _, how := range [...]mode{farAway, sameNode} {
				s := c.segments(crossing{c.of[a], c.of[b], how}, known)
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
	for _, e := range c.places([]*model.Pod{p})[0] {
		classes = append(classes, c.of[e])
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
	how      mode
}

// places are the ends of pods that have a class.
func (c *Classes) places(pods []*model.Pod) [][]int32 {
	out := make([][]int32, len(pods))
	for i, p := range pods {
		if len(p.IPs) == 0 {
			continue
		}
		for _, e := range c.x.of(p) {
			if c.of[e] >= 0 {
				out[i] = append(out[i], e)
			}
		}
	}
	return out
}

func (c *Classes) segments(at crossing, known map[crossing][]Segment) []Segment {
	if at.how == sameNode && !c.sensitive(at.from, at.to) {
		at.how = farAway
	}
	s, ok := known[at]
	if !ok {
		var k candidates
		c.between(at.from, at.to, at.how, &k)
		s = c.profile(&k, nil).segments
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
