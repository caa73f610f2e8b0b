package diff

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// FlipReach counts the pairs with the same flip by namespace. A pair counts once for all ports.
type FlipReach struct {
	Before, After verdict.Verdict
	// Pods counts the pairs of pods, each with each of its addresses.
	Pods int
	// AcrossNamespaces are the pairs between two namespaces, or with an outside end, by destination namespace.
	AcrossNamespaces FlipShare
	// Protected are the pairs with an end in a protected namespace, by that namespace. A pair with both ends
	// in such namespaces counts for each.
	Protected FlipShare
}

// FlipShare is a part of the pairs with the same flip.
type FlipShare struct {
	Pairs int
	// ByNamespace is sorted by falling count; the namespace "" is outside.
	ByNamespace       []NamespacePairs
	Ports             []verdict.PortRange
	Example           verdict.Connection
	ByBefore, ByAfter []verdict.Decider // of the example
}

// NamespacePairs counts pairs of a namespace.
type NamespacePairs struct {
	Namespace string
	Pairs     int
}

// StillDeniedPairs are pairs that were denied at both ends before a change, and at only one end after it.
type StillDeniedPairs struct {
	// AtSenders reports that the sender's egress rules still deny them, else the receiver's ingress.
	AtSenders bool
	Deciders  []verdict.Decider // of all pairs
	Pairs     int
	Example   verdict.Connection
	Network   string // as in FlipGroup
}

// portFlip is the ports with the same flip between two lists of decisions.
type portFlip struct {
	before, after     verdict.Verdict
	byBefore, byAfter int32
	ports             []verdict.PortRange
}

// findFlips joins the changes with the same flip.
func (r *decisionDiff) findFlips() {
	for i := range r.changes {
		c := &r.changes[i]
		if c.before == c.after {
			continue
		}
		at := slices.IndexFunc(r.flips, func(f *portFlip) bool { return f.before == c.before && f.after == c.after })
		if at < 0 {
			r.flips = append(r.flips, &portFlip{c.before, c.after, c.byBefore, c.byAfter, slices.Clone(c.ports)})
			continue
		}
		r.flips[at].ports = append(r.flips[at].ports, c.ports...)
	}
}

type reachBuilder struct {
	FlipReach
	acrossNamespaces, protected shareBuilder
}

// shareBuilder builds a FlipShare. byNamespace counts by namespace, with outside last.
type shareBuilder struct {
	FlipShare
	byNamespace []int
	notedFlips  map[*portFlip]bool
}

// noNamespace is the namespace of an end without pod.
const noNamespace int32 = -1

// reachCounter counts flipped pairs by the namespaces of their ends.
type reachCounter struct {
	c           *verdict.Classes
	names       []string
	protected   []bool
	namespaces  []int32 // by pod
	classCounts []*namespaceCounts
	byNode      []map[string]*namespaceCounts
	list        []*reachBuilder
	stillDenied []*stillDeniedBuilder
}

type stillDeniedBuilder struct {
	StillDeniedPairs
	deciders []int32
}

// namespaceCounts counts ends by namespace, in namespace order.
type namespaceCounts struct {
	total, unprotected int // unprotected are in no protected namespace
	counts             []namespaceCount
}

type namespaceCount struct {
	namespace int32
	n         int
}

func newReachCounter(c *verdict.Classes, protected []string) *reachCounter {
	s := &reachCounter{c: c, classCounts: make([]*namespaceCounts, len(c.List)), byNode: make([]map[string]*namespaceCounts, len(c.List))}
	known := map[string]int32{}
	for i := range c.Index.Pods.Len() {
		name := c.Index.Pods.PodAt(i).Namespace
		id, is := known[name]
		if !is {
			id = int32(len(s.names))
			known[name] = id
			s.names = append(s.names, name)
			s.protected = append(s.protected, model.IsProtectedNamespace(name, protected))
		}
		s.namespaces = append(s.namespaces, id)
	}
	return s
}

func (s *reachCounter) endNamespace(end int32) int32 {
	if end < 0 {
		return noNamespace
	}
	return s.namespaces[s.c.Index.Ends[end].Pod]
}

func (s *reachCounter) countEnds(ends []int32) *namespaceCounts {
	k := &namespaceCounts{}
	n := map[int32]int{}
	for _, e := range ends {
		n[s.endNamespace(e)]++
	}
	for id, n := range n {
		k.counts = append(k.counts, namespaceCount{id, n})
		k.total += n
		if !s.protected[id] {
			k.unprotected += n
		}
	}
	slices.SortFunc(k.counts, func(a, b namespaceCount) int { return cmp.Compare(a.namespace, b.namespace) })
	return k
}

func (s *reachCounter) countsOfClass(class int32) *namespaceCounts {
	if s.classCounts[class] == nil {
		s.classCounts[class] = s.countEnds(s.c.List[class].Ends)
	}
	return s.classCounts[class]
}

func (s *reachCounter) countsByNode(class int32) map[string]*namespaceCounts {
	if s.byNode[class] == nil {
		ends := map[string][]int32{}
		for _, e := range s.c.List[class].Ends {
			ends[s.c.Index.NodeOfEnd(e)] = append(ends[s.c.Index.NodeOfEnd(e)], e)
		}
		s.byNode[class] = map[string]*namespaceCounts{}
		for node, list := range ends {
			s.byNode[class][node] = s.countEnds(list)
		}
	}
	return s.byNode[class]
}

func (s *reachCounter) addClassPair(d *differ, a, b int32, nodes verdict.NodePairing, pairs int, r *decisionDiff) {
	for _, h := range r.stillDenied {
		at := slices.IndexFunc(s.stillDenied, func(o *stillDeniedBuilder) bool { return o.AtSenders == h.atSenders })
		if at < 0 {
			at = len(s.stillDenied)
			s.stillDenied = append(s.stillDenied, &stillDeniedBuilder{StillDeniedPairs: StillDeniedPairs{AtSenders: h.atSenders,
				Example: d.exampleConnection(a, b, nodes, h.port)}})
		}
		o := s.stillDenied[at]
		o.Pairs += pairs
		for _, by := range h.deciders {
			if !slices.Contains(o.deciders, by) {
				o.deciders, o.Deciders = append(o.deciders, by), append(o.Deciders, d.sides[1].decidersOfID(by)...)
			}
		}
	}
	for _, f := range r.flips {
		s.addFlip(d, a, b, nodes, pairs, f)
	}
}

func (s *reachCounter) addFlip(d *differ, a, b int32, nodes verdict.NodePairing, pairs int, f *portFlip) {
	at := slices.IndexFunc(s.list, func(o *reachBuilder) bool { return o.Before == f.before && o.After == f.after })
	if at < 0 {
		at = len(s.list)
		s.list = append(s.list, &reachBuilder{FlipReach: FlipReach{Before: f.before, After: f.after},
			acrossNamespaces: shareBuilder{byNamespace: make([]int, len(s.names)+1)},
			protected:        shareBuilder{byNamespace: make([]int, len(s.names)+1)}})
	}
	o := s.list[at]
	across, protected := o.acrossNamespaces.Pairs, o.protected.Pairs
	ka, kb := s.c.List[a], s.c.List[b]
	switch {
	case ka.Outside || kb.Outside:
		s.addOutsidePairs(a, b, nodes, pairs, o)
	default:
		o.Pods += pairs
		if nodes != verdict.OneNode {
			s.addCrossPairs(1, s.countsOfClass(a), s.countsOfClass(b), o)
		}
		if nodes != verdict.AnyNodes {
			sign := 1
			if nodes == verdict.TwoNodes {
				sign = -1
			}
			there := s.countsByNode(b)
			for node, k := range s.countsByNode(a) {
				if there[node] != nil {
					s.addCrossPairs(sign, k, there[node], o)
				}
			}
		}
		if nodes != verdict.TwoNodes && (a == b && ka.Loops > 0 || a != b && ka.Crossed) {
			s.subtractSelfPairs(a, b, o)
		}
	}
	if o.acrossNamespaces.Pairs > across {
		o.acrossNamespaces.notePorts(s, d, a, b, nodes, f, func(from, to int32) bool { return from != to })
	}
	if o.protected.Pairs > protected {
		o.protected.notePorts(s, d, a, b, nodes, f, func(from, to int32) bool { return s.isProtected(from) || s.isProtected(to) })
	}
}

func (s *reachCounter) isProtected(namespace int32) bool {
	return namespace != noNamespace && s.protected[namespace]
}

// addCrossPairs adds the pairs between two sets of ends, or subtracts them for a sign of -1.
func (s *reachCounter) addCrossPairs(sign int, ka, kb *namespaceCounts, o *reachBuilder) {
	o.protected.Pairs += sign * (ka.total*kb.total - ka.unprotected*kb.unprotected)
	for i, j := 0, 0; i < len(ka.counts) || j < len(kb.counts); {
		var from, to int
		var id int32
		switch {
		case j == len(kb.counts) || i < len(ka.counts) && ka.counts[i].namespace < kb.counts[j].namespace:
			id, from = ka.counts[i].namespace, ka.counts[i].n
			i++
		case i == len(ka.counts) || kb.counts[j].namespace < ka.counts[i].namespace:
			id, to = kb.counts[j].namespace, kb.counts[j].n
			j++
		default:
			id, from, to = ka.counts[i].namespace, ka.counts[i].n, kb.counts[j].n
			i, j = i+1, j+1
		}
		n := sign * to * (ka.total - from)
		o.acrossNamespaces.Pairs += n
		o.acrossNamespaces.byNamespace[id] += n
		if s.protected[id] {
			o.protected.byNamespace[id] += sign * (from*kb.total + ka.total*to - from*to)
		}
	}
}

// subtractSelfPairs subtracts the pairs of ends of one pod, which does not connect to itself.
func (s *reachCounter) subtractSelfPairs(a, b int32, o *reachBuilder) {
	x := s.c.Index
	for _, e := range s.c.List[a].Ends {
		id := s.endNamespace(e)
		if !s.protected[id] {
			continue
		}
		pod := x.Ends[e].Pod
		for other := x.FirstEnd[pod]; other < x.FirstEnd[pod+1]; other++ {
			if s.c.ClassByEnd[other] == b {
				o.protected.Pairs--
				o.protected.byNamespace[id]--
			}
		}
	}
}

// addOutsidePairs counts the pairs of pods with outside addresses.
func (s *reachCounter) addOutsidePairs(a, b int32, nodes verdict.NodePairing, pairs int, o *reachBuilder) {
	ka, kb := s.c.List[a], s.c.List[b]
	o.acrossNamespaces.Pairs += pairs
	ends, n := ka.Ends, 0
	if ka.Outside {
		ends = kb.Ends
	} else {
		o.acrossNamespaces.byNamespace[len(s.names)] += pairs
	}
	for _, e := range ends {
		id := s.endNamespace(e)
		if ka.Outside {
			n = 0
			for range s.c.SourceAddrs(ka, e) {
				n++
			}
			o.acrossNamespaces.byNamespace[id] += n
		} else if s.protected[id] {
			n = s.c.BlocksFor(kb, s.c.Index.NodeOfEnd(e), nodes)
		}
		if s.protected[id] {
			o.protected.Pairs += n
			o.protected.byNamespace[id] += n
		}
	}
}

// notePorts notes the ports of a flip with pairs in a share, and an example of the first flip.
func (t *shareBuilder) notePorts(s *reachCounter, d *differ, a, b int32, nodes verdict.NodePairing, f *portFlip,
	counts func(from, to int32) bool) {
	if t.notedFlips[f] {
		return
	}
	if t.notedFlips == nil {
		t.notedFlips = map[*portFlip]bool{}
		t.ByBefore, t.ByAfter = d.sides[0].decidersOfID(f.byBefore), d.sides[1].decidersOfID(f.byAfter)
		t.Example = verdict.Connection{Family: s.c.List[a].Family, Protocol: f.ports[0].Protocol, Port: f.ports[0].ExamplePort()}
		t.Example.From, t.Example.To, _ = s.c.ExampleWhere(a, b, nodes, func(from, to int32) bool {
			return counts(s.endNamespace(from), s.endNamespace(to))
		})
	}
	t.notedFlips[f] = true
	t.Ports = append(t.Ports, f.ports...)
}

// sortedReaches returns the counts, the most harmful first.
func (s *reachCounter) sortedReaches() (out []FlipReach, hangs []StillDeniedPairs) {
	for _, r := range s.list {
		r.AcrossNamespaces, r.Protected = r.acrossNamespaces.finishShare(s.names), r.protected.finishShare(s.names)
		out = append(out, r.FlipReach)
	}
	slices.SortFunc(out, func(a, b FlipReach) int {
		return cmp.Or(a.After.HarmRank()-b.After.HarmRank(), a.Before.HarmRank()-b.Before.HarmRank())
	})
	for _, h := range s.stillDenied {
		hangs = append(hangs, h.StillDeniedPairs)
	}
	slices.SortStableFunc(hangs, func(a, b StillDeniedPairs) int { return cmp.Compare(b.Pairs, a.Pairs) })
	return out, hangs
}

func (t *shareBuilder) finishShare(names []string) FlipShare {
	for id, n := range t.byNamespace {
		if n == 0 {
			continue
		}
		name := ""
		if id < len(names) {
			name = names[id]
		}
		t.ByNamespace = append(t.ByNamespace, NamespacePairs{name, n})
	}
	slices.SortFunc(t.ByNamespace, func(a, b NamespacePairs) int {
		return cmp.Or(cmp.Compare(b.Pairs, a.Pairs), cmp.Compare(a.Namespace, b.Namespace))
	})
	t.Ports = verdict.JoinPorts(t.Ports)
	return t.FlipShare
}

// stillDeniedPorts are ports still denied by only one end.
type stillDeniedPorts struct {
	atSenders bool
	deciders  []int32
	port      verdict.PortRange
}

// denyingEnds reports at which ends a ruling denies. An egress rule is the sender's, wherever its rows are.
func (s *indexSide) denyingEnds(r *joinedVerdict) (sender, receiver bool) {
	for i := range r.walks {
		w := &r.walks[i]
		switch {
		case w.verdict != verdict.Deny, i > 2: // replies
		case i == 0 || s.c.Index.Rules[s.decidersByID[w.decider][0]].Direction == model.Egress:
			sender = true
		default:
			receiver = true
		}
	}
	return sender, receiver
}

// noteStillDenied notes the ports that both ends denied before, and only one denies after.
func (d *differ) noteStillDenied(r *decisionDiff, p, q *joinedVerdict, ports verdict.PortRange) {
	if p.verdict != verdict.Deny || q.verdict != verdict.Deny {
		return
	}
	if out, in := d.sides[0].denyingEnds(p); !out || !in {
		return
	}
	out, in := d.sides[1].denyingEnds(q)
	if out == in {
		return
	}
	by := q.walks[q.settlingWalk()].decider
	at := slices.IndexFunc(r.stillDenied, func(o stillDeniedPorts) bool { return o.atSenders == out })
	if at < 0 {
		r.stillDenied = append(r.stillDenied, stillDeniedPorts{atSenders: out, deciders: []int32{by}, port: ports})
	} else if !slices.Contains(r.stillDenied[at].deciders, by) {
		r.stillDenied[at].deciders = append(r.stillDenied[at].deciders, by)
	}
}
