package verdict

import (
	"rung/model"
)

// Matrix holds the outcomes of the connections between all ends of some classes; it is for
// one goroutine at a time, as its Classes are.
type Matrix struct {
	Classes     *Classes
	Ports       Ports
	grid        *Grid
	results     WalkResults
	emptyResult int32 // the result where nothing matches
	// joinedOutcomes are the outcomes of an egress walk and an ingress walk together, by their results;
	// 0 where they were not asked for.
	joinedOutcomes [][]Outcome
	list           [2][]int32
	k, source      Candidates
	buf            []byte
}

// Matrix makes the matrix of all classes, and of the pods on the network of their node.
func (c *Classes) Matrix(p Ports) *Matrix {
	c.addHosts()
	m := &Matrix{Classes: c, Ports: p, results: WalkResults{ports: p}, buf: make([]byte, 0, 4096)}
	m.grid = NewGrid(c, m.findResult)
	m.emptyResult = m.results.ResultOf(nil, nil)
	return m
}

// findResult is the result of a walk.
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
	r := m.results.ResultOf(m.list[0], terms)
	if kind == farWalk {
		r = m.results.joinResults(r, m.results.ResultOf(m.list[1], terms))
	}
	return r
}

// OutcomeOfClasses returns the outcome of the connections from a class to another, of pods of one
// node where near.
func (m *Matrix) OutcomeOfClasses(a, b int32, near bool) Outcome {
	c := m.Classes
	how, ok := c.PairMode(a, b)
	if !ok {
		return 0
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
	switch {
	case how == Leaving:
		return m.joinOutcomes(egress, m.grid.walkAnswer(sourceWalk, a, b))
	case how == Arriving:
		return m.joinOutcomes(egress, m.grid.walkAnswer(destinationWalk, a, b))
	case near && (host || c.nodesMatter):
		return m.joinOutcomes(egress, m.grid.walkAnswer(nearWalk, a, b))
	case host:
		// On the switch that they come from, the node's connections are its own.
		return m.joinOutcomes(egress, m.results.joinResults(m.grid.walkAnswer(sourceWalk, c.List[a].nearClass, b), m.grid.walkAnswer(destinationWalk, a, b)))
	}
	return m.joinOutcomes(egress, m.grid.walkAnswer(farWalk, a, b))
}

// joinOutcomes returns the outcome of connections that take two walks, by the walks'
// results.
func (m *Matrix) joinOutcomes(a, b int32) Outcome {
	if int(a) >= len(m.joinedOutcomes) {
		m.joinedOutcomes = append(m.joinedOutcomes, make([][]Outcome, len(m.results.ByPort)-len(m.joinedOutcomes))...)
	}
	row := m.joinedOutcomes[a]
	if int(b) >= len(row) {
		row = append(row, make([]Outcome, len(m.results.ByPort)-len(row))...)
		m.joinedOutcomes[a] = row
	}
	if row[b] == 0 {
		for _, s := range JoinSegments(m.results.ByPort[a], m.results.ByPort[b]) {
			row[b] |= OutcomeOf(s.Verdict)
		}
	}
	return row[b]
}

// findTerms finds the terms that the connections from a class to another may match; ok is false
// where there are none, and same says that pods of one node are not told from others.
func (m *Matrix) findTerms(a, b int32, near bool) (same, ok bool) {
	c := m.Classes
	how, ok := c.PairMode(a, b)
	host := c.List[a].Host
	switch {
	case !ok:
		return false, false
	case near && how == FarAway && !host && !c.NodesMatter(a, b):
		return true, true
	case near && how == FarAway:
		how = SameNode
	}
	c.FindCandidates(a, b, how, &m.k)
	if host && how == FarAway {
		// On the switch that they come from, the node's connections are its own.
		c.FindCandidates(c.List[a].nearClass, b, how, &m.source)
		m.k.Source = append(m.k.Source[:0], m.source.Source...)
	}
	return false, true
}

// PairMode is how connections from a class to another go where they are not of one node; ok
// is false where there are none.
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

// PodKind is the kind of a pod in a matrix: pods of a kind meet the same rules, apart from
// the nodes that they run on. The zero PodKind is that of pods that take part in no
// connection.
type PodKind struct {
	// Classes by family, one more than their numbers, 0 for none: from for connections that
	// begin at the pod, own for those of them that stay on its node, to for connections to it.
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
			if id, is := c.hosts[family.FirstAddrOf(from)]; is {
				k.from[i], k.own[i] = id+1, c.List[id].nearClass+1
			}
			if id, is := c.hosts[family.FirstAddrOf(to)]; is {
				k.to[i] = id + 1
			}
		}
		return k
	}
	for _, e := range x.EndsOf(p) {
		if i := FamilyOf(x.Ends[e].Addr).Index(); k.from[i] == 0 && c.ClassOf[e] >= 0 {
			k.from[i] = c.ClassOf[e] + 1
		}
	}
	k.own, k.to = k.from, k.from
	return k
}

// OutcomeBetween returns the outcome of the connections from pods of a kind to pods of another,
// of two nodes or of one, over both families; 0 where policies are not asked about any.
func (m *Matrix) OutcomeBetween(a, b PodKind, oneNode bool) (out Outcome) {
	for i := range a.from {
		if from, to, ok := a.classesWith(b, oneNode, i); ok {
			out |= m.OutcomeOfClasses(from, to, oneNode)
		}
	}
	return out
}

// classesWith returns the classes of two kinds in a family, from and to.
func (k *PodKind) classesWith(to PodKind, oneNode bool, family int) (a, b int32, ok bool) {
	a, b = k.from[family], to.to[family]
	if oneNode {
		a = k.own[family]
	}
	return a - 1, b - 1, a > 0 && b > 0
}

// ExamplePort returns a port and a family for which the connections of OutcomeBetween have a verdict.
// ok is false where there are none.
func (m *Matrix) ExamplePort(a, b PodKind, oneNode bool, v Verdict) (p Ports, f Family, ok bool) {
	for i, family := range [...]Family{IPv4, IPv6} {
		from, to, ok := a.classesWith(b, oneNode, i)
		if !ok || m.OutcomeOfClasses(from, to, oneNode)&OutcomeOf(v) == 0 {
			continue
		}
		if m.Ports != (Ports{}) {
			return m.Ports, family, true
		}
		if same, _ := m.findTerms(from, to, oneNode); same {
			m.findTerms(from, to, false)
		}
		met := m.Classes.ProfileOf(&m.k, m.buf)
		for _, u := range FamiliarPorts {
			if met.verdictAt(u) == v {
				return u, family, true
			}
		}
		for _, s := range met.Segments {
			if s.Verdict == v {
				return Ports{Protocol: s.Protocol, Port: s.Lo}, family, true
			}
		}
	}
	return p, f, false
}

// verdictAt returns the verdict about a port, empty where it has none.
func (p *Profile) verdictAt(q Ports) Verdict {
	for _, s := range p.Segments {
		if s.Protocol == q.Protocol && s.Lo <= q.Port && q.Port <= s.Hi {
			return s.Verdict
		}
	}
	return ""
}

// MorePods says whether connections are allowed between more pairs of pods than so many, on
// some port: each address of a pod counts. n is how many there are, where there are not more.
func MorePods(x *Index, than int, stop func() bool) (n int, more bool) {
	c := ClassesOf(x, nil)
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
