package verdict

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
)

// OwnAddr is an address from which a node reaches its own pods.
type OwnAddr struct {
	Addr netip.Addr
	Node string
}

// groupOutside makes the classes of the outside addresses, told apart by conds of each index.
func (g *classGrouping) groupOutside(xs []*Index, marks []netip.Addr, conds []Set) {
	s, holds := newPartition(xs), make([]Set, len(xs))
	for _, c := range g.out {
		c.Outside = s
	}
	join := func(a netip.Addr, cut int32) int32 {
		for i, x := range xs {
			holds[i] = conditionsMet(x, a, conds[i])
		}
		return g.classOfEnd(AddrFamily(a), holds, false, cut)
	}
	s.makeBlocks(conds, join)
	for i := range s.Blocks {
		for _, c := range g.out {
			k := c.List[s.Blocks[i].Class]
			k.Blocks = append(k.Blocks, int32(i))
		}
	}
	for _, a := range marks {
		b := outsidePart{Network: netip.PrefixFrom(a, a.BitLen()), outerBlock: -1, Addr: a}
		if around := s.BlockAround(a); around >= 0 {
			b.cut = s.Blocks[around].cut
		}
		id := join(a, b.cut)
		alone := len(g.out[0].List[id].Blocks) == 0 // its surroundings are special
		if alone {
			b.cut, b.Host = s.ensureCut(b.Network)
			id = join(a, b.cut)
			b.Class = id
			s.Blocks = append(s.Blocks, b)
		}
		for _, c := range g.out {
			k := c.List[id]
			k.Marked = append(k.Marked, a)
			if alone {
				k.Blocks = append(k.Blocks, int32(len(s.Blocks)-1))
			}
		}
	}
	if alikeForNodes(xs) {
		g.groupOwned(xs, s, conds)
	}
}

// groupOwned makes the classes of the addresses from which nodes reach their own pods. Such an address meets
// the conditions of its block, and those for the node's own pods.
func (g *classGrouping) groupOwned(xs []*Index, s *Partition, conds []Set) {
	type variant struct {
		class int32
		own   string // by index
	}
	known := map[variant]int32{}
	mine := make([]Set, len(xs)) // the conditions that hold on the own node, or nil
	for i, x := range xs {
		for _, k := range x.Conditions {
			if k.OwnNode && (conds[i] == nil || conds[i].Has(k.ID)) {
				mine[i] = NewSet(len(x.Conditions))
				mine[i].Add(k.ID)
			}
		}
	}
	for _, a := range s.Owners {
		in := s.BlockAround(a)
		for _, node := range s.NodesOfAddr[a] {
			v := variant{class: -1 - int32(AddrFamily(a))}
			if in >= 0 {
				v.class = s.Blocks[in].Class
			}
			for i, x := range xs {
				if mine[i] != nil && x.IsOwnNode(a, node) {
					v.own += fmt.Sprint(i, " ")
				}
			}
			if v.own == "" {
				continue // no such connection is compared
			}
			id, is := known[v]
			if !is || in < 0 {
				holds := make([]Set, len(xs))
				for i, x := range xs {
					if in >= 0 {
						holds[i] = slices.Clone(g.out[i].List[v.class].Holds)
					} else {
						holds[i] = conditionsMet(x, a, conds[i])
					}
					if x.IsOwnNode(a, node) {
						holds[i].Or(mine[i])
					}
				}
				id = g.classOfEnd(AddrFamily(a), holds, false, 0)
				known[v] = id
			}
			for _, c := range g.out {
				k := c.List[id]
				k.OwnAddrs = append(k.OwnAddrs, OwnAddr{a, node})
			}
		}
	}
}

// alikeForNodes reports whether indexes let nodes reach their own pods in the same way. If not, policies are
// not the cause, and these connections are not compared.
func alikeForNodes(xs []*Index) bool {
	return !slices.ContainsFunc(xs, func(x *Index) bool {
		a, b := x.Options(), xs[0].Options()
		return a.Precedence != b.Precedence || a.Defaults != b.Defaults || a.LegacyIsolation != b.LegacyIsolation
	})
}

// conditionsMet returns the conditions in some that an outside address meets; a nil some means all.
func conditionsMet(x *Index, a netip.Addr, some Set) Set {
	s := NewSet(len(x.Conditions))
	for _, k := range x.Conditions {
		if !k.Port && (some == nil || some.Has(k.ID)) && k.HoldsFor(x, &HopEnd{Port: -1, End: -1, Addr: a}, "") {
			s.Add(k.ID)
		}
	}
	return s
}

// SourceAddrs yields one address of every block of an outside class that reaches an end.
func (c *Classes) SourceAddrs(k *Class, to int32) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		node := c.Index.NodeOfEnd(to)
		for _, i := range k.Blocks {
			if a := c.Outside.AddrForNode(&c.Outside.Blocks[i], node); a.IsValid() && !yield(a) {
				return
			}
		}
		for _, o := range k.OwnAddrs {
			if o.Node == node && !yield(o.Addr) {
				return
			}
		}
	}
}

// countArrivals counts the pairs of an outside class and the ends it reaches.
func (c *Classes) countArrivals(from, to *Class) (n int) {
	n = len(from.Blocks) * len(to.Ends)
	for _, i := range from.Blocks {
		b := &c.Outside.Blocks[i]
		if own := c.Outside.NodesOfAddr[b.Addr]; len(own) > 0 && !b.otherAddr.IsValid() {
			for _, node := range own {
				n -= c.PodsByNode(to)[node]
			}
		}
	}
	for _, o := range from.OwnAddrs {
		n += c.PodsByNode(to)[o.Node]
	}
	return n
}

// OutsideBlock is a network of outside addresses that no rule tells apart, without inner blocks and the
// addresses of pods and Services.
type OutsideBlock struct {
	Network netip.Prefix
	// Except are the blocks inside it.
	Except []netip.Prefix
	// Addr is an example address, valid for the whole block. Kind is its kind in a Matrix.
	Addr netip.Addr
	Kind PodKind
}

// OutsideBlocks returns the outside addresses by family and network.
func (c *Classes) OutsideBlocks() []OutsideBlock {
	s := c.Outside
	out := make([]OutsideBlock, len(s.Blocks))
	for i := range s.Blocks {
		b := &s.Blocks[i]
		out[i].Network, out[i].Addr = b.Network, b.Addr
		k, at := &out[i].Kind, AddrFamily(b.Addr).Index()
		k.from[at], k.own[at], k.to[at] = b.Class+1, b.Class+1, b.Class+1
		if b.outerBlock >= 0 {
			out[b.outerBlock].Except = append(out[b.outerBlock].Except, b.Network)
		}
	}
	return out
}
