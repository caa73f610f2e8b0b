package verdict

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"slices"

	"rung/model"
)

// Classes groups the ends of connections so that no rule tells the ends of a class apart: a verdict about one
// end holds for all. Ends are the addresses of pods on the default network, and the addresses outside, by the
// networks that rules name (OutsideBlocks). The first Matrix adds the addresses of nodes, for the pods on
// their network. Multicast is left out. Classes are for one goroutine at a time.
type Classes struct {
	Index       *Index
	List        []*Class
	ClassByEnd  []int32 // of each end of the index, -1 if left out
	self        map[[2]int32]int
	everyPort   *Matrix // of Segments, built when needed
	nodesMatter bool    // some term tells pods of the same node from others
	Outside     *Partition
	// hosts are the classes of nodes' own addresses.
	hosts map[netip.Addr]int32
}

// Class is a set of ends that no rule tells apart.
type Class struct {
	Family Family
	Ends   []int32 // of the index; empty for addresses of no pod
	// Outside marks a class of addresses of no pod: blocks of the partition, or OwnAddrs, which are nodes'
	// addresses as seen by their own pods.
	Outside  bool
	Blocks   []int32
	OwnAddrs []OwnAddr
	Cut      int32 // in Partition.Cuts: the ports at which connections to it go to a Service
	// Host marks a node's own address, used by pods on its network. nearClass is the class of the same address
	// for pods of that node.
	Host      bool
	nearClass int32
	// Marked are the outside addresses asked for individually.
	Marked []netip.Addr
	nodes  map[string]int // pods by node, counted when needed

	// Loops counts the pairs of ends in the class that belong to one pod. Crossed reports that a pod has an
	// end in another class, too.
	Loops   int
	Crossed bool

	Holds Set // conditions
	// terms whose source or destination the class meets, found when needed.
	outTerms, inTerms [StageCount]Set
	sidesMade         bool
}

// NewClasses groups the outside addresses and the ends of the pods that pick chooses. nil picks all.
func NewClasses(x *Index, pick func(*model.Pod) bool) *Classes {
	return new(classGrouping).groupClasses(pick, nil, nil, x)[0]
}

// classGrouping makes classes shared by several indexes: no index tells their ends apart.
type classGrouping struct {
	// nodesMayDiffer treats a pod as the same after it moved to another node.
	nodesMayDiffer bool
	out            []*Classes
	seed           maphash.Seed
	byHash         map[uint64][]int32
	raw            []byte
}

// groupClasses makes the same classes for several indexes. marks are addresses of no pod that get classes too.
// With a focus it groups only the ends of the focused connections, by the terms that can match those; the
// indexes must then have the same ends.
func (g *classGrouping) groupClasses(pick func(*model.Pod) bool, marks []netip.Addr, f *connectionFocus, xs ...*Index) []*Classes {
	g.seed, g.byHash = maphash.MakeSeed(), map[uint64][]int32{}
	facts, conds := make([][]Set, len(xs)), make([]Set, len(xs))
	for i, x := range xs {
		c := &Classes{Index: x, ClassByEnd: make([]int32, len(x.Ends)), self: map[[2]int32]int{}}
		for e := range c.ClassByEnd {
			c.ClassByEnd[e] = -1
		}
		for _, t := range x.Terms[IngressTerms] {
			c.nodesMatter = c.nodesMatter || t.Switch == AtSource
		}
		g.out = append(g.out, c)
		if f != nil {
			from, to := f.relevantConditions(x)
			facts[i], conds[i] = f.endConditions(x, from, to), f.outsideConditions(from, to)
		} else {
			facts[i] = conditionsOfEnds(x)
		}
	}
	holds, ends := make([]Set, len(xs)), make([]int32, len(xs))
	for e := range xs[0].Ends {
		if f != nil && !f.hasEnd(int32(e)) {
			continue
		}
		p := xs[0].Pods.PodAt(int(xs[0].Ends[e].Pod))
		if p.PrimaryUDN() != "" || pick != nil && !pick(p) {
			continue
		}
		everywhere := true
		for i, x := range xs {
			ends[i] = g.endInOther(x, xs[0], int32(e))
			if ends[i] < 0 {
				everywhere = false
				break
			}
			holds[i] = facts[i][ends[i]]
		}
		if !everywhere {
			continue
		}
		id := g.classOfEnd(AddrFamily(xs[0].Ends[e].Addr), holds, true, 0)
		for i, c := range g.out {
			c.List[id].Ends = append(c.List[id].Ends, ends[i])
			c.ClassByEnd[ends[i]] = id
		}
	}
	g.groupOutside(xs, marks, conds)
	for _, c := range g.out {
		c.countSelf()
	}
	return g.out
}

// classOfEnd finds or makes the class of an end with these conditions and this cut.
func (g *classGrouping) classOfEnd(family Family, holds []Set, pod bool, cut int32) int32 {
	g.raw = binary.LittleEndian.AppendUint32(append(g.raw[:0], byte(family)), uint32(cut))
	for _, h := range holds {
		for _, w := range h {
			g.raw = binary.LittleEndian.AppendUint64(g.raw, w)
		}
	}
	h := maphash.Bytes(g.seed, g.raw)
next:
	for _, id := range g.byHash[h] {
		for i, c := range g.out {
			k := c.List[id]
			if k.Family != family || k.Outside == pod || k.Cut != cut || !slices.Equal(k.Holds, holds[i]) {
				continue next
			}
		}
		return id
	}
	id := int32(len(g.out[0].List))
	g.byHash[h] = append(g.byHash[h], id)
	for i, c := range g.out {
		c.List = append(c.List, &Class{Family: family, Outside: !pod, Holds: holds[i], Cut: cut})
	}
	return id
}

func conditionsOfEnds(x *Index) []Set {
	words := (len(x.Conditions) + 63) / 64
	all := make(Set, len(x.Ends)*words)
	for _, k := range x.Conditions {
		w, bit := int(k.ID)/64, uint64(1)<<(k.ID%64)
		k.Set.Each(func(e int32) { all[int(e)*words+w] |= bit })
	}
	out := make([]Set, len(x.Ends))
	for e := range out {
		out[e] = all[e*words : (e+1)*words : (e+1)*words]
	}
	return out
}

// endInOther returns the end of o as an end of x. It is -1 if the pod is missing, moved or readdressed.
func (g *classGrouping) endInOther(x *Index, o *Index, end int32) int32 {
	if x == o {
		return end
	}
	theirs := o.Pods.PodAt(int(o.Ends[end].Pod))
	if int(end) < len(x.Ends) && x.Ends[end].Addr == o.Ends[end].Addr && x.Pods.PodAt(int(x.Ends[end].Pod)) == theirs {
		return end
	}
	for _, e := range x.EndsAt(o.Ends[end].Addr) {
		if p := x.Pods.PodAt(int(x.Ends[e].Pod)); p.Key == theirs.Key && (g.nodesMayDiffer || p.NodeName == theirs.NodeName) &&
			p.PrimaryUDN() == "" {
			return e
		}
	}
	return -1
}

// countSelf counts the pairs of ends that belong to one pod, which does not connect to itself.
func (c *Classes) countSelf() {
	x := c.Index
	for i := range x.Pods.Len() {
		for a := x.FirstEnd[i]; a < x.FirstEnd[i+1]; a++ {
			for b := x.FirstEnd[i]; b < x.FirstEnd[i+1]; b++ {
				if c.ClassByEnd[a] < 0 || c.ClassByEnd[b] < 0 || c.List[c.ClassByEnd[a]].Family != c.List[c.ClassByEnd[b]].Family {
					continue
				}
				if k := c.List[c.ClassByEnd[a]]; c.ClassByEnd[a] == c.ClassByEnd[b] {
					k.Loops++
				} else {
					k.Crossed = true
					c.self[[2]int32{c.ClassByEnd[a], c.ClassByEnd[b]}]++
				}
			}
		}
	}
}

// Len returns the number of classes.
func (c *Classes) Len() int { return len(c.List) }

// termSides returns a class with the terms whose source and whose destination it meets.
func (c *Classes) termSides(id int32) *Class {
	k := c.List[id]
	if k.sidesMade {
		return k
	}
	for stage, terms := range c.Index.Terms {
		k.outTerms[stage], k.inTerms[stage] = NewSet(len(terms)), NewSet(len(terms))
		k.Holds.Each(func(cond int32) {
			for _, i := range c.Index.TermsFrom[stage][cond] {
				k.outTerms[stage].Add(i)
			}
			for _, i := range c.Index.TermsTo[stage][cond] {
				if t := &terms[i]; !t.OutRouter && t.Services == 0 && (t.OutPort == 0 || k.Holds.Has(t.OutPort-1)) {
					k.inTerms[stage].Add(i)
				}
			}
		})
	}
	k.sidesMade = true
	return k
}

// CountPairs counts the connections from one class to another: near between pods of the same node, far between
// nodes. Outside, near counts those to the pod's own node, if the cut needs it.
func (c *Classes) CountPairs(a, b int32) (near, far int) {
	ka, kb := c.List[a], c.List[b]
	switch {
	case ka.Outside:
		return 0, c.countArrivals(ka, kb)
	case kb.Outside:
		near = c.toOwnNode(ka, kb)
		return near, len(ka.Ends)*len(kb.Blocks) - near
	}
	self := 0
	switch {
	case a == b:
		self = ka.Loops
	case ka.Crossed:
		self = c.self[[2]int32{a, b}]
	}
	total := len(ka.Ends)*len(kb.Ends) - self
	if !c.nodesMatter {
		return 0, total
	}
	for node, n := range c.PodsByNode(ka) {
		near += n * c.PodsByNode(kb)[node]
	}
	near -= self
	return near, total - near
}

// CountPairsOnNodes counts the connections from one class to another for a node pairing.
func (c *Classes) CountPairsOnNodes(a, b int32, nodes NodePairing) int {
	switch near, far := c.CountPairs(a, b); nodes {
	case OneNode:
		return near
	case TwoNodes:
		return far
	default:
		return near + far
	}
}

func (c *Classes) PodsByNode(k *Class) map[string]int {
	if k.nodes == nil {
		k.nodes = map[string]int{}
		for _, e := range k.Ends {
			k.nodes[c.Index.NodeOfEnd(e)]++
		}
	}
	return k.nodes
}

// ExampleConnection returns a connection from one class to another; ok is false for none.
func (c *Classes) ExampleConnection(a, b int32, nodes NodePairing) (from, to Endpoint, ok bool) {
	return c.ExampleWhere(a, b, nodes, func(int32, int32) bool { return true })
}

// ExampleWhere returns ExampleConnection for ends that fit accepts; -1 stands for an address of no pod.
func (c *Classes) ExampleWhere(a, b int32, nodes NodePairing, fit func(from, to int32) bool) (from, to Endpoint, ok bool) {
	ka, kb := c.List[a], c.List[b]
	switch {
	case ka.Outside:
		for _, e := range kb.Ends {
			for a := range c.SourceAddrs(ka, e) {
				if fit(-1, e) {
					return AddrEnd(a), c.Index.Endpoint(e), true
				}
			}
		}
		return from, to, false
	case kb.Outside:
		for _, e := range ka.Ends {
			for _, i := range kb.Blocks {
				if b := &c.Outside.Blocks[i]; fit(e, -1) && nodes.Includes(b.Host == c.Index.NodeOfEnd(e)) {
					return c.Index.Endpoint(e), AddrEnd(b.Addr), true
				}
			}
		}
		return from, to, false
	}
	for _, i := range ka.Ends {
		for _, j := range kb.Ends {
			if c.Index.Ends[i].Pod != c.Index.Ends[j].Pod && fit(i, j) && nodes.Includes(c.Index.NodeOfEnd(i) == c.Index.NodeOfEnd(j)) {
				return c.Index.Endpoint(i), c.Index.Endpoint(j), true
			}
		}
	}
	return from, to, false
}

// NodePairing selects connections by whether both pods are on the same node.
type NodePairing uint8

// The node pairings. From a pod to its own node's addresses is OneNode.
const (
	AnyNodes NodePairing = iota // whichever nodes the pods are on
	OneNode
	TwoNodes
)

// Includes reports whether the pairing includes connections within one node, or between two.
func (n NodePairing) Includes(one bool) bool { return n == AnyNodes || one == (n == OneNode) }

// MarkPairs marks the pairs of classes between which a term may match.
func (c *Classes) MarkPairs(t *Term, byFrom []Set) {
	to := NewSet(len(c.List))
	for b, k := range c.List {
		if k.Holds.Has(t.To) {
			to.Add(int32(b))
		}
	}
	for a, k := range c.List {
		if !k.Holds.Has(t.From) {
			continue
		}
		if byFrom[a] == nil {
			byFrom[a] = NewSet(len(c.List))
		}
		byFrom[a].Or(to)
	}
}
