package verdict

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"slices"

	"rung/model"
)

// Classes are the ends of connections, grouped by what can tell them apart: two ends of a
// class meet the same conditions of every rule, so that what is said of one is said of
// all. Sources and destinations are pods on the default network, each with each of its
// addresses, and the addresses outside, by the networks that rules name (Blocks). Those of
// nodes, which stand for the pods on their network, join them with the first Matrix.
// Multicast is not among them. Classes are for one goroutine at a time.
type Classes struct {
	x       *Index
	classes []*class
	of      []int32 // of each end of the index, -1 for one that is left out
	self    map[[2]int32]int
	memo    map[string]*profile
	near    bool  // some term tells pods of one node from others
	hits    []hit // of the last walk, kept for the next
	outside *partition
	// hosts are the classes of nodes' own addresses.
	hosts map[netip.Addr]int32
}

// class is ends that nothing tells apart.
type class struct {
	family Family
	ends   []int32 // of the index; none for addresses that are no pod's
	// outside says that it is of addresses of no pod: of blocks of the partition, or of own,
	// nodes' addresses as they come to pods of their node alone.
	outside bool
	blocks  []int32
	own     []ownAddr
	cut     int32 // of the partition: the ports at which connections to it are a Service's
	// host says that the address is a node's own, on whose network pods are, and near is what
	// the class is to pods of that node.
	host bool
	near int32
	// marked are the addresses outside that were asked for by themselves.
	marked []netip.Addr
	nodes  map[string]int // pods by node, counted when needed

	// loops counts the pairs of ends of the class that are of one pod; crossed says that a
	// pod has an end in another class, too.
	loops   int
	crossed bool

	holds set // conditions
	// terms by their sides, made when needed.
	out, in [2]set
	ready   bool
}

// Classes groups the ends of the pods that pick chooses, all for nil, and of the
// addresses outside.
func (x *Index) Classes(pick func(*model.Pod) bool) *Classes { return classesOf(pick, nil, nil, x)[0] }

// grouping makes classes that are the same for several indexes: ends that none of them
// tells apart.
type grouping struct {
	out   []*Classes
	seed  maphash.Seed
	known map[uint64][]int32
	raw   []byte
}

// marks are addresses that no pod has whose classes are wanted. With a focus, only the ends of
// its connections are grouped, by what can tell those connections apart; the indexes have the
// same ends then.
func classesOf(pick func(*model.Pod) bool, marks []netip.Addr, f *focus, xs ...*Index) []*Classes {
	g := &grouping{seed: maphash.MakeSeed(), known: map[uint64][]int32{}}
	facts, conds := make([][]set, len(xs)), make([]set, len(xs))
	for i, x := range xs {
		c := &Classes{x: x, of: make([]int32, len(x.ends)), self: map[[2]int32]int{}, memo: map[string]*profile{}}
		for e := range c.of {
			c.of[e] = -1
		}
		for _, t := range x.terms[ingressTerms] {
			c.near = c.near || t.at == atSource
		}
		g.out = append(g.out, c)
		if f != nil {
			from, to := f.conds(x)
			facts[i], conds[i] = f.facts(x, from, to), f.outside(from, to)
		} else {
			facts[i] = x.facts()
		}
	}
	holds, ends := make([]set, len(xs)), make([]int32, len(xs))
	for e := range xs[0].ends {
		if f != nil && !f.has(int32(e)) {
			continue
		}
		p := xs[0].pods.At(int(xs[0].ends[e].pod))
		if p.PrimaryUDN() != "" || pick != nil && !pick(p) {
			continue
		}
		everywhere := true
		for i, x := range xs {
			if ends[i] = x.same(xs[0], int32(e)); ends[i] < 0 {
				everywhere = false
				break
			}
			holds[i] = facts[i][ends[i]]
		}
		if !everywhere {
			continue
		}
		id := g.join(FamilyOf(xs[0].ends[e].addr), holds, true, 0)
		for i, c := range g.out {
			c.classes[id].ends = append(c.classes[id].ends, ends[i])
			c.of[ends[i]] = id
		}
	}
	g.outsides(xs, marks, conds)
	for _, c := range g.out {
		c.countSelf()
	}
	return g.out
}

// join finds the class of an end that meets the conditions and has a cut, or makes one.
func (g *grouping) join(family Family, holds []set, pod bool, cut int32) int32 {
	g.raw = binary.LittleEndian.AppendUint32(append(g.raw[:0], byte(family)), uint32(cut))
	for _, h := range holds {
		for _, w := range h {
			g.raw = binary.LittleEndian.AppendUint64(g.raw, w)
		}
	}
	h := maphash.Bytes(g.seed, g.raw)
next:
	for _, id := range g.known[h] {
		for i, c := range g.out {
			k := c.classes[id]
			if k.family != family || k.outside == pod || k.cut != cut || !slices.Equal(k.holds, holds[i]) {
				continue next
			}
		}
		return id
	}
	id := int32(len(g.out[0].classes))
	g.known[h] = append(g.known[h], id)
	for i, c := range g.out {
		c.classes = append(c.classes, &class{family: family, outside: !pod, holds: holds[i], cut: cut})
	}
	return id
}

// facts are the conditions that each end meets.
func (x *Index) facts() []set {
	words := (len(x.conds) + 63) / 64
	all := make(set, len(x.ends)*words)
	for _, k := range x.conds {
		w, bit := int(k.id)/64, uint64(1)<<(k.id%64)
		k.set.each(func(e int32) { all[int(e)*words+w] |= bit })
	}
	out := make([]set, len(x.ends))
	for e := range out {
		out[e] = all[e*words : (e+1)*words : (e+1)*words]
	}
	return out
}

// same is the end that another index has, -1 where this one has none: the pod is not
// there, has another address, or runs elsewhere.
func (x *Index) same(o *Index, end int32) int32 {
	if x == o {
		return end
	}
	theirs := o.pods.At(int(o.ends[end].pod))
	if int(end) < len(x.ends) && x.ends[end].addr == o.ends[end].addr && x.pods.At(int(x.ends[end].pod)) == theirs {
		return end
	}
	for _, e := range x.with(o.ends[end].addr) {
		if p := x.pods.At(int(x.ends[e].pod)); p.Key == theirs.Key && p.NodeName == theirs.NodeName && p.PrimaryUDN() == "" {
			return e
		}
	}
	return -1
}

// countSelf counts the pairs of ends that are of one pod: it does not connect to itself.
func (c *Classes) countSelf() {
	x := c.x
	for i := range x.pods.Len() {
		for a := x.ofPod[i]; a < x.ofPod[i+1]; a++ {
			for b := x.ofPod[i]; b < x.ofPod[i+1]; b++ {
				if c.of[a] < 0 || c.of[b] < 0 || c.classes[c.of[a]].family != c.classes[c.of[b]].family {
					continue
				}
				if k := c.classes[c.of[a]]; c.of[a] == c.of[b] {
					k.loops++
				} else {
					k.crossed = true
					c.self[[2]int32{c.of[a], c.of[b]}]++
				}
			}
		}
	}
}

// Len is how many classes there are.
func (c *Classes) Len() int { return len(c.classes) }

// sides are the terms of which a class meets the one side and the other.
func (c *Classes) sides(id int32) *class {
	k := c.classes[id]
	if k.ready {
		return k
	}
	for stage, terms := range c.x.terms {
		k.out[stage], k.in[stage] = newSet(len(terms)), newSet(len(terms))
		k.holds.each(func(cond int32) {
			for _, i := range c.x.byFrom[stage][cond] {
				k.out[stage].add(i)
			}
			for _, i := range c.x.byTo[stage][cond] {
				if t := &terms[i]; !t.outRouter && t.services == 0 && (t.outPort == 0 || k.holds.has(t.outPort-1)) {
					k.in[stage].add(i)
				}
			}
		})
	}
	k.ready = true
	return k
}

// pairs counts the connections from a class to another: between pods of one node, and of
// others. To addresses outside those to the pod's own node are near, where the cut asks for it.
func (c *Classes) pairs(a, b int32) (near, far int) {
	ka, kb := c.classes[a], c.classes[b]
	switch {
	case ka.outside:
		return 0, c.arrivals(ka, kb)
	case kb.outside:
		near = c.toOwnNode(ka, kb)
		return near, len(ka.ends)*len(kb.blocks) - near
	}
	self := 0
	switch {
	case a == b:
		self = ka.loops
	case ka.crossed:
		self = c.self[[2]int32{a, b}]
	}
	total := len(ka.ends)*len(kb.ends) - self
	if !c.near {
		return 0, total
	}
	for node, n := range c.byNode(ka) {
		near += n * c.byNode(kb)[node]
	}
	near -= self
	return near, total - near
}

func (c *Classes) byNode(k *class) map[string]int {
	if k.nodes == nil {
		k.nodes = map[string]int{}
		for _, e := range k.ends {
			k.nodes[c.x.nodeAt(e)]++
		}
	}
	return k.nodes
}

// example is a connection from a class to another.
func (c *Classes) example(a, b int32, nodes Nodes) (from, to Endpoint, ok bool) {
	ka, kb := c.classes[a], c.classes[b]
	switch {
	case ka.outside:
		for _, e := range kb.ends {
			for a := range c.sources(ka, e) {
				return AddrEnd(a), c.x.endpoint(e), true
			}
		}
		return from, to, false
	case kb.outside:
		for _, e := range ka.ends {
			for _, i := range kb.blocks {
				if b := &c.outside.blocks[i]; nodes.has(b.host == c.x.nodeAt(e)) {
					return c.x.endpoint(e), AddrEnd(b.addr), true
				}
			}
		}
		return from, to, false
	}
	for _, i := range ka.ends {
		for _, j := range kb.ends {
			if c.x.ends[i].pod != c.x.ends[j].pod && nodes.has(c.x.nodeAt(i) == c.x.nodeAt(j)) {
				return c.x.endpoint(i), c.x.endpoint(j), true
			}
		}
	}
	return from, to, false
}

// Nodes says between pods of which nodes connections are.
type Nodes uint8

// The connections of a change; those to a node's own addresses are of one node from its pods.
const (
	AnyNodes Nodes = iota // it does not matter where the pods are
	OneNode
	TwoNodes
)

// has says whether connections of one node, or of two, are among them.
func (n Nodes) has(one bool) bool { return n == AnyNodes || one == (n == OneNode) }

// mark notes the pairs of classes between which a term may match.
func (c *Classes) mark(t *term, byFrom []set) {
	to := newSet(len(c.classes))
	for b, k := range c.classes {
		if k.holds.has(t.to) {
			to.add(int32(b))
		}
	}
	for a, k := range c.classes {
		if !k.holds.has(t.from) {
			continue
		}
		if byFrom[a] == nil {
			byFrom[a] = newSet(len(c.classes))
		}
		byFrom[a].or(to)
	}
}
