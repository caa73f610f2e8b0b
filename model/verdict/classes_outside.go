package verdict

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
)

// ownAddr is an address from which a node reaches its own pods.
type ownAddr struct {
	addr netip.Addr
	node string
}

// outsides makes the classes of the addresses outside, as far as some conditions of each
// index tell them apart.
func (g *grouping) outsides(xs []*Index, marks []netip.Addr, conds []set) {
	s, holds := newPartition(xs), make([]set, len(xs))
	for _, c := range g.out {
		c.outside = s
	}
	join := func(a netip.Addr, cut int32) int32 {
		for i, x := range xs {
			holds[i] = x.factsOf(a, conds[i])
		}
		return g.join(FamilyOf(a), holds, false, cut)
	}
	s.part(conds, join)
	for i := range s.blocks {
		for _, c := range g.out {
			k := c.classes[s.blocks[i].class]
			k.blocks = append(k.blocks, int32(i))
		}
	}
	for _, a := range marks {
		b := part{network: netip.PrefixFrom(a, a.BitLen()), within: -1, addr: a}
		if around := s.around(a); around >= 0 {
			b.cut = s.blocks[around].cut
		}
		id := join(a, b.cut)
		alone := len(g.out[0].classes[id].blocks) == 0 // what is around it is special
		if alone {
			b.cut, b.host = s.cutOf(b.network)
			id = join(a, b.cut)
			b.class = id
			s.blocks = append(s.blocks, b)
		}
		for _, c := range g.out {
			k := c.classes[id]
			if k.marked = append(k.marked, a); alone {
				k.blocks = append(k.blocks, int32(len(s.blocks)-1))
			}
		}
	}
	if alikeForNodes(xs) {
		g.owned(xs, s, conds)
	}
}

// owned makes the classes of the addresses from which nodes reach their own pods: each meets
// what its block does, and that it is the node's own.
func (g *grouping) owned(xs []*Index, s *partition, conds []set) {
	type variant struct {
		class int32
		own   string // by index
	}
	known := map[variant]int32{}
	mine := make([]set, len(xs)) // the conditions that hold on the own node, nil for none
	for i, x := range xs {
		for _, k := range x.conds {
			if k.ownNode && (conds[i] == nil || conds[i].has(k.id)) {
				mine[i] = newSet(len(x.conds))
				mine[i].add(k.id)
			}
		}
	}
	for _, a := range s.owners {
		in := s.around(a)
		for _, node := range s.own[a] {
			v := variant{class: -1 - int32(FamilyOf(a))}
			if in >= 0 {
				v.class = s.blocks[in].class
			}
			for i, x := range xs {
				if mine[i] != nil && x.ownNode(a, node) {
					v.own += fmt.Sprint(i, " ")
				}
			}
			if v.own == "" {
				continue // as a source it is none of what is asked
			}
			id, is := known[v]
			if !is || in < 0 {
				holds := make([]set, len(xs))
				for i, x := range xs {
					if in >= 0 {
						holds[i] = slices.Clone(g.out[i].classes[v.class].holds)
					} else {
						holds[i] = x.factsOf(a, conds[i])
					}
					if x.ownNode(a, node) {
						holds[i].or(mine[i])
					}
				}
				id = g.join(FamilyOf(a), holds, false, 0)
				known[v] = id
			}
			for _, c := range g.out {
				k := c.classes[id]
				k.own = append(k.own, ownAddr{a, node})
			}
		}
	}
}

// alikeForNodes says whether indexes let nodes reach their own pods in the same way. Where
// they do not, that is no matter of policies, and is not compared.
func alikeForNodes(xs []*Index) bool {
	return !slices.ContainsFunc(xs, func(x *Index) bool {
		a, b := x.Options(), xs[0].Options()
		return a.System != b.System || a.Defaults != b.Defaults || a.LegacyIsolation != b.LegacyIsolation
	})
}

// factsOf are those of some conditions that an address outside meets, of all for nil.
func (x *Index) factsOf(a netip.Addr, some set) set {
	s := newSet(len(x.conds))
	for _, k := range x.conds {
		if !k.port && (some == nil || some.has(k.id)) && k.holds(x, &place{port: -1, end: -1, addr: a}, "") {
			s.add(k.id)
		}
	}
	return s
}

// sources are the addresses with which a class of those outside comes to an end, one for each
// of its blocks that does.
func (c *Classes) sources(k *class, to int32) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		node := c.x.nodeAt(to)
		for _, i := range k.blocks {
			if a := c.outside.from(&c.outside.blocks[i], node); a.IsValid() && !yield(a) {
				return
			}
		}
		for _, o := range k.own {
			if o.node == node && !yield(o.addr) {
				return
			}
		}
	}
}

// arrivals counts the pairs of a class outside and the ends that it comes to.
func (c *Classes) arrivals(from, to *class) (n int) {
	n = len(from.blocks) * len(to.ends)
	for _, i := range from.blocks {
		b := &c.outside.blocks[i]
		if own := c.outside.own[b.addr]; len(own) > 0 && !b.other.IsValid() {
			for _, node := range own {
				n -= c.byNode(to)[node]
			}
		}
	}
	for _, o := range from.own {
		n += c.byNode(to)[o.node]
	}
	return n
}

// Block is addresses outside that nothing tells apart: those of a network that are in no other
// block, no pod's and no Service's.
type Block struct {
	Network netip.Prefix
	// Except are the blocks inside it.
	Except []netip.Prefix
	// Addr is one of them, which may be asked about for all. Kind is what they are to a Matrix.
	Addr netip.Addr
	Kind PodKind
}

// Blocks are the addresses outside, by family and network.
func (c *Classes) Blocks() []Block {
	s := c.outside
	out := make([]Block, len(s.blocks))
	for i := range s.blocks {
		b := &s.blocks[i]
		out[i].Network, out[i].Addr = b.network, b.addr
		k, at := &out[i].Kind, FamilyOf(b.addr).at()
		k.from[at], k.own[at], k.to[at] = b.class+1, b.class+1, b.class+1
		if b.within >= 0 {
			out[b.within].Except = append(out[b.within].Except, b.network)
		}
	}
	return out
}
