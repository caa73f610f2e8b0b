package verdict

import (
	"slices"

	"rung/model"
)

// Matrix holds the outcomes of the connections between all ends of some classes. Like Classes, it must not be
// used concurrently.
type Matrix struct {
	Classes     *Classes
	Ports       Ports
	grid        *Grid
	results     WalkResults
	emptyResult int32 // the result if nothing matches
	// joinedOutcomes are the joint outcomes of an egress and an ingress walk, by their results, or 0.
	joinedOutcomes [][]Outcome
	joinedWalks    map[[Walks]int32]int32 // joined results of all walks
	list           [2][]int32
}

// Matrix makes the matrix of all classes, including pods on their node's network.
func (c *Classes) Matrix(p Ports) *Matrix {
	c.addHosts()
	return newMatrix(c, p)
}

func newMatrix(c *Classes, p Ports) *Matrix {
	m := &Matrix{Classes: c, Ports: p, results: NewWalkResults(p), joinedWalks: map[[Walks]int32]int32{}}
	m.grid = NewGrid(c, m.findResult)
	m.emptyResult = m.results.InternResult(nil, nil)
	return m
}

// findResult returns the result of a walk.
func (m *Matrix) findResult(kind WalkKind, met Set) int32 {
	terms := m.Classes.Index.Terms[kind.Stage()]
	m.list[0], m.list[1] = m.list[0][:0], m.list[1][:0]
	met.Each(func(i int32) {
		if kind != farWalk || m.grid.switchTerms[0].Has(i) {
			m.list[0] = append(m.list[0], i)
		}
		if kind == farWalk && m.grid.switchTerms[1].Has(i) {
			m.list[1] = append(m.list[1], i)
		}
	})
	r := m.results.InternResult(m.list[0], terms)
	if kind == farWalk {
		r = m.results.joinResults(r, m.results.InternResult(m.list[1], terms))
	}
	return r
}

// Segments returns the verdicts of all ports between two classes. Equal results share one slice, which must
// not be changed.
func (c *Classes) Segments(a, b int32, how ConnectionMode) []Segment {
	if c.everyPort == nil || len(c.everyPort.grid.out[0]) < len(c.List) {
		c.everyPort = newMatrix(c, Ports{})
	}
	m := c.everyPort
	way := m.grid.WalkAnswers(a, b, how)
	all, known := m.joinedWalks[way]
	if !known {
		all = m.emptyResult
		for _, r := range way {
			if r >= 0 {
				all = m.results.joinResults(all, r)
			}
		}
		m.joinedWalks[way] = all
	}
	return m.results.Lists[all]
}

// OutcomeOfClasses returns the outcome of the connections between two classes. With near, only pods of one
// node count.
func (m *Matrix) OutcomeOfClasses(a, b int32, near bool) Outcome {
	egress, ingress, ok := m.pairResults(a, b, near)
	if !ok {
		return 0
	}
	return m.joinOutcomes(egress, ingress)
}

// pairResults returns the results of the connections between two classes: of egress with replies, and of
// ingress. ok is false without connections.
func (m *Matrix) pairResults(a, b int32, near bool) (egress, ingress int32, ok bool) {
	c := m.Classes
	how, ok := c.PairMode(a, b)
	if !ok {
		return 0, 0, false
	}
	egress, host := m.emptyResult, c.List[a].Host
	if how != Arriving {
		egress = m.grid.walkAnswer(egressWalk, a, b)
	}
	for _, kind := range replyWalks {
		if m.grid.hasTerms(kind) {
			egress = m.results.joinResults(egress, m.grid.walkAnswer(kind, a, b))
		}
	}
	kind := farWalk
	switch {
	case how == Leaving:
		kind = sourceWalk
	case how == Arriving:
		kind = destinationWalk
	case near && (host || c.nodesMatter):
		kind = nearWalk
	case host:
		// On the switch that the node's connections leave, they are its own.
		left, came := m.grid.walkAnswer(sourceWalk, c.List[a].nearClass, b), m.grid.walkAnswer(destinationWalk, a, b)
		return egress, m.results.joinResults(left, came), true
	}
	return egress, m.grid.walkAnswer(kind, a, b), true
}

// joinOutcomes returns the outcome of connections that take two walks, by the walks' results.
func (m *Matrix) joinOutcomes(a, b int32) Outcome {
	if int(a) >= len(m.joinedOutcomes) {
		m.joinedOutcomes = append(m.joinedOutcomes, make([][]Outcome, len(m.results.Lists)-len(m.joinedOutcomes))...)
	}
	row := m.joinedOutcomes[a]
	if int(b) >= len(row) {
		row = append(row, make([]Outcome, len(m.results.Lists)-len(row))...)
		m.joinedOutcomes[a] = row
	}
	if row[b] == 0 {
		EachOverlap(m.results.Lists[a], m.results.Lists[b], func(_ PortRange, v, w *Verdict) { row[b] |= NewOutcome(JoinVerdicts(*v, *w)) })
	}
	return row[b]
}

// PairMode returns the mode of connections between two classes, on different nodes if both are pods. ok is
// false if there are none.
func (c *Classes) PairMode(a, b int32) (ConnectionMode, bool) {
	ka, kb := c.List[a], c.List[b]
	switch {
	case ka.Family != kb.Family || ka.Outside && kb.Outside || len(kb.OwnAddrs) > 0:
		return 0, false
	case ka.Outside && !ka.Host:
		return Arriving, true
	case kb.Outside:
		return Leaving, true
	}
	return FarAway, true
}

// PodKind is the kind of a pod in a matrix: pods of a kind match the same rules, apart from their nodes. The
// zero PodKind takes part in no connection.
type PodKind struct {
	// Classes by family, plus one; 0 means none. from is for connections from the pod, own for those within
	// its node, to for connections to it.
	from, own, to [2]int32
}

// KindOfPod returns the kind of a pod.
func (c *Classes) KindOfPod(p *model.Pod) (k PodKind) {
	c.addHosts()
	x := c.Index
	from, none := PodAddrs(x, p, true)
	switch {
	case none != "":
		return k
	case p.HostNetwork:
		to, _ := PodAddrs(x, p, false)
		for i, family := range [...]Family{IPv4, IPv6} {
			if id, is := c.hosts[family.FirstAddr(from)]; is {
				k.from[i], k.own[i] = id+1, c.List[id].nearClass+1
			}
			if id, is := c.hosts[family.FirstAddr(to)]; is {
				k.to[i] = id + 1
			}
		}
		return k
	}
	for _, e := range x.PodEnds(p) {
		if i := AddrFamily(x.Ends[e].Addr).Index(); k.from[i] == 0 && c.ClassByEnd[e] >= 0 {
			k.from[i] = c.ClassByEnd[e] + 1
		}
	}
	k.own, k.to = k.from, k.from
	return k
}

// OutcomeBetween returns the outcome of connections from pods of kind a to pods of kind b, over both families.
// With oneNode both are on one node, else on two. It is 0 if policies are not asked about any.
func (m *Matrix) OutcomeBetween(a, b PodKind, oneNode bool) (out Outcome) {
	for i := range a.from {
		if from, to, ok := a.classesWith(b, oneNode, i); ok {
			out |= m.OutcomeOfClasses(from, to, oneNode)
		}
	}
	return out
}

// classesWith returns the classes from and to of two kinds in a family.
func (k *PodKind) classesWith(to PodKind, oneNode bool, family int) (a, b int32, ok bool) {
	a, b = k.from[family], to.to[family]
	if oneNode {
		a = k.own[family]
	}
	return a - 1, b - 1, a > 0 && b > 0
}

// ExamplePort returns a port and family for which the connections of OutcomeBetween have a verdict; ok is
// false if none have it.
func (m *Matrix) ExamplePort(a, b PodKind, oneNode bool, v Verdict) (p Ports, f Family, ok bool) {
	for i, family := range [...]Family{IPv4, IPv6} {
		from, to, ok := a.classesWith(b, oneNode, i)
		if !ok || m.OutcomeOfClasses(from, to, oneNode)&NewOutcome(v) == 0 {
			continue
		}
		if m.Ports != (Ports{}) {
			return m.Ports, family, true
		}
		egress, ingress, _ := m.pairResults(from, to, oneNode)
		segments := JoinRuns(m.results.Lists[egress], m.results.Lists[ingress], JoinVerdicts)
		for _, u := range FamiliarPorts {
			if slices.ContainsFunc(segments, func(s Segment) bool {
				return s.Verdict == v && s.Protocol == u.Protocol && s.Lo <= u.Port && u.Port <= s.Hi
			}) {
				return u, family, true
			}
		}
		if i := slices.IndexFunc(segments, func(s Segment) bool { return s.Verdict == v }); i >= 0 {
			return Ports{Protocol: segments[i].Protocol, Port: segments[i].Lo}, family, true
		}
	}
	return p, f, false
}

// MorePods reports whether the pairs of pods that may connect on some port exceed a number; each address of a
// pod counts. n is the number of pairs unless more is true.
func MorePods(x *Index, than int, stop func() bool) (n int, more bool) {
	c := NewClasses(x, nil)
	all := int32(c.Len())
	m := c.Matrix(Ports{})
	for a := range all {
		if stop() {
			return n, false
		}
		for b := range all {
			if c.List[a].Outside || c.List[b].Outside {
				continue
			}
			near, far := c.CountPairs(a, b)
			if far > 0 && m.OutcomeOfClasses(a, b, false)&Allowed != 0 {
				n += far
			}
			if near > 0 && m.OutcomeOfClasses(a, b, true)&Allowed != 0 {
				n += near
			}
			if n > than {
				return n, true
			}
		}
	}
	return n, false
}
