package verdict

import (
	"cmp"
	"net/netip"
	"slices"
)

// partition is the addresses outside, in blocks: one for each network that rules name, but for
// the narrower ones in it. A network that all rules treat as what is around it is no block of
// its own. Several indexes that are compared have one partition.
//
// What is special is in no block: the addresses of pods, which are ends themselves; those of
// Services, which are others' once the connection is load balanced; groups, and what
// OVN-Kubernetes keeps for itself. At the ports at which an address is a Service it is in none
// either: a block that has no other addresses is without these ports (cuts). An address from which a node reaches its own pods is in a
// block for all other pods only.
type partition struct {
	xs     []*Index
	blocks []part // wider ones before what is in them
	// own are the nodes that an address is of, where it is special to their pods.
	own    map[netip.Addr][]string
	owners []netip.Addr // of own, in order
	served bool         // whether an address that is a Service on some port may stand for a block
	cuts   []cut        // those of blocks and classes; the first is none
	// ofNodes is nodePorts, once they were asked for.
	ofNodes *[2][2][]PortRange
}

// part is one block.
type part struct {
	network netip.Prefix
	within  int32 // the narrowest block around it, -1 for none
	class   int32
	cut     int32 // of partition.cuts
	// addr stands for the block. Where only addresses of own are in it, it is one of them, and
	// other is one that is other nodes', not valid where there is none.
	addr, other netip.Addr
	host        string // the node that its addresses are of, where the cut asks for it
}

var everywhere = [2]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

func newPartition(xs []*Index) *partition {
	s := &partition{xs: xs, own: map[netip.Addr][]string{}, cuts: make([]cut, 1)}
	for _, x := range xs {
		if !slices.ContainsFunc(x.conds, func(c *cond) bool { return c.ownNode }) {
			continue
		}
		for a, node := range x.nodeOf {
			if x.ownNode(a, node) && !slices.Contains(s.own[a], node) {
				s.own[a] = append(s.own[a], node)
			}
		}
	}
	for a := range s.own {
		s.owners = append(s.owners, a)
	}
	slices.SortFunc(s.owners, netip.Addr.Compare)
	return s
}

// part makes the blocks of the networks that some conditions of each index name. classOf is
// the class that the addresses of a block with a cut join; it is asked of every network once.
func (s *partition) part(conds []set, classOf func(a netip.Addr, cut int32) int32) {
	networks := s.apart(networksOf(s.xs, conds))
	var around []int32
	for i, n := range networks {
		b := part{network: n, within: -1}
		var ok bool
		if b.addr, b.other, ok = s.free(n, inner(networks[i+1:], n)); !ok {
			continue
		}
		b.cut, b.host = s.cutOf(n)
		for len(around) > 0 && !s.blocks[around[len(around)-1]].network.Contains(n.Addr()) {
			around = around[:len(around)-1]
		}
		b.class = classOf(b.addr, b.cut)
		if k := len(around); k > 0 {
			b.within = around[k-1]
			wide, alike := &s.blocks[b.within], b.class
			if wide.cut != b.cut {
				alike = classOf(b.addr, wide.cut)
			}
			if wide.class == alike && len(s.own[wide.addr]) == 0 {
				continue
			}
		}
		around = append(around, int32(len(s.blocks)))
		s.blocks = append(s.blocks, b)
	}
}

// from is the address with which a block comes to pods of a node; not valid where all that it
// holds is the node's own.
func (s *partition) from(b *part, node string) netip.Addr {
	if slices.Contains(s.own[b.addr], node) {
		return b.other
	}
	return b.addr
}

// around is the narrowest block that an address is in, -1 for none.
func (s *partition) around(a netip.Addr) int32 {
	narrow := int32(-1)
	for i := range s.blocks {
		if n := s.blocks[i].network; n.Contains(a) && (narrow < 0 || n.Bits() > s.blocks[narrow].network.Bits()) {
			narrow = int32(i)
		}
	}
	return narrow
}

// list names some of the blocks for people: networks, and what in them is not meant.
func (s *partition) list(some set) (networks, except []netip.Prefix) {
	for i := range s.blocks {
		b := &s.blocks[i]
		in, wide := some.has(int32(i)), b.within >= 0 && some.has(b.within)
		switch {
		case in && !wide:
			networks = append(networks, b.network)
		case wide && !in:
			except = append(except, b.network)
		}
	}
	return networks, except
}

// networksOf are those that some conditions name, and everything, each once: wider ones before
// what is in them.
func networksOf(xs []*Index, conds []set) []netip.Prefix {
	seen := map[netip.Prefix]bool{everywhere[0]: true, everywhere[1]: true}
	for i, x := range xs {
		for _, c := range x.conds {
			if conds[i] != nil && !conds[i].has(c.id) {
				continue
			}
			for i := range c.blocks {
				seen[c.blocks[i].network] = true
				for _, e := range c.blocks[i].except {
					seen[e] = true
				}
			}
			for a := range c.addrs {
				seen[netip.PrefixFrom(a, a.BitLen())] = true
			}
		}
	}
	out := make([]netip.Prefix, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sortNetworks(out)
	return out
}

func sortNetworks(all []netip.Prefix) {
	slices.SortFunc(all, func(a, b netip.Prefix) int {
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
}

// inner are the networks inside n, of those that come after it in order.
func inner(after []netip.Prefix, n netip.Prefix) []netip.Prefix {
	end := 0
	for end < len(after) && n.Contains(after[end].Addr()) && after[end].Bits() > n.Bits() {
		end++
	}
	return after[:end]
}

var hairpinAndGroups = []netip.Prefix{netip.MustParsePrefix("169.254.169.5/32"), netip.MustParsePrefix("fd69::5/128"),
	netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("ff00::/8")}

// examples are the addresses that documents use for those outside (RFC 5737, RFC 3849).
var examples = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.1"),
	netip.MustParseAddr("2001:db8::1")}

// free is an address of a network that is in none of the inner ones and not special: one that
// people take for an example where there is such a one, else the first, rather .1 than .0.
// One that is a Service on some port is taken where there is no other. Where nodes have all there
// are it is one of theirs, with another that is other nodes'.
func (s *partition) free(n netip.Prefix, inner []netip.Prefix) (a, other netip.Addr, ok bool) {
	for _, s.served = range [...]bool{false, true} {
		if a, ok = s.plain(n, inner); ok {
			return a, other, true
		}
	}
	return s.owned(n, inner)
}

// plain is free of addresses that no node has as its own way to its pods.
func (s *partition) plain(n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	for _, a := range examples {
		if n.Contains(a) && s.stands(a, n, inner) {
			return a, true
		}
	}
	a, ok := s.firstFree(n, inner)
	if !ok {
		return a, false
	}
	if b := a.Next(); zeroes(a) && n.Contains(b) && s.stands(b, n, inner) {
		return b, true
	}
	return a, true
}

// owned is free for a network of which nodes have all that is left.
func (s *partition) owned(n netip.Prefix, inner []netip.Prefix) (a, other netip.Addr, ok bool) {
	i, _ := slices.BinarySearchFunc(s.owners, n.Addr(), netip.Addr.Compare)
	for ; i < len(s.owners) && n.Contains(s.owners[i]); i++ {
		b := s.owners[i]
		switch {
		case slices.ContainsFunc(inner, func(p netip.Prefix) bool { return p.Contains(b) && p != n }) || s.keeps(b):
		case !a.IsValid():
			a = b
		case !slices.ContainsFunc(s.own[b], func(node string) bool { return slices.Contains(s.own[a], node) }):
			return a, b, true
		}
	}
	return a, other, a.IsValid()
}

// zeroes says whether an address reads as that of a network: its last byte is 0.
func zeroes(a netip.Addr) bool {
	b := a.AsSlice()
	return b[len(b)-1] == 0
}

// stands says whether a is an address of n that firstFree could give.
func (s *partition) stands(a netip.Addr, n netip.Prefix, inner []netip.Prefix) bool {
	has := func(p netip.Prefix) bool { return p.Contains(a) && p != n }
	return !a.IsMulticast() && !slices.ContainsFunc(inner, has) && !slices.ContainsFunc(hairpinAndGroups, func(p netip.Prefix) bool { return p.Contains(a) }) &&
		len(s.own[a]) == 0 && !s.keeps(a) && !s.isFront(a)
}

// keeps says whether an address is a pod's or a Service's.
func (s *partition) keeps(a netip.Addr) bool {
	return slices.ContainsFunc(s.xs, func(x *Index) bool { return len(x.with(a)) > 0 || x.ofService(a) })
}

// isFront says whether an address is a Service on some port, where such ones are left out.
func (s *partition) isFront(a netip.Addr) bool {
	return !s.served && slices.ContainsFunc(s.xs, func(x *Index) bool {
		all := x.frontsOf()
		return len(all.at[a]) > 0 || len(all.nodePorts) > 0 && x.hostOf(a) != ""
	})
}

func (s *partition) firstFree(n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	a := n.Addr()
	if n.Bits() == 0 {
		a = a.Next() // "0.0.0.0" is nobody
	}
	for a.IsValid() && n.Contains(a) {
		over := func(p netip.Prefix) bool { return p.Contains(a) && p != n }
		switch i, j := slices.IndexFunc(inner, over), slices.IndexFunc(hairpinAndGroups, over); {
		case i >= 0:
			a = after(inner[i])
		case j >= 0:
			a = after(hairpinAndGroups[j])
		case a.IsMulticast() || a == hairpinAddrs[0] || a == hairpinAddrs[1]:
			return netip.Addr{}, false
		case len(s.own[a]) > 0 || s.keeps(a) || s.isFront(a):
			a = a.Next()
		default:
			return a, true
		}
	}
	return netip.Addr{}, false
}

// after is the address behind a network, not valid behind the last.
func after(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a.Next()
}
