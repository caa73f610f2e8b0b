package verdict

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
)

// Partition divides the outside addresses into blocks: one for each network that rules name, without the
// narrower ones inside it. A network treated like its surroundings by all rules is no block. Compared indexes
// share one partition.
//
// Special addresses are in no block: those of pods, which are ends themselves; those of Services, which load
// balancing replaces; multicast groups; and addresses that OVN-Kubernetes reserves. Ports at which an address
// is a Service do not belong to its block: a block without other addresses lacks these ports (Cuts). An
// address from which a node reaches its own pods is in a block for other nodes' pods only.
type Partition struct {
	xs     []*Index
	Blocks []outsidePart // wider ones before those inside them
	// NodesOfAddr are the nodes of an address that is special to their pods.
	NodesOfAddr map[netip.Addr][]string
	Owners      []netip.Addr // the addresses of NodesOfAddr, in order
	takeServed  bool         // whether an address that is a Service on some port may represent a block
	Cuts        []ServiceCut // of blocks and classes; the first is empty
	// reserved are networks without outside addresses: multicast groups and hairpin addresses.
	reserved []netip.Prefix
	// nodePortsByFamily caches nodePorts.
	nodePortsByFamily *[2][2][]PortRange
}

// outsidePart is one block.
type outsidePart struct {
	Network    netip.Prefix
	outerBlock int32 // the narrowest block around it, or -1 for none
	Class      int32
	cut        int32 // in Partition.Cuts
	// Addr represents the block. If the block has only addresses of NodesOfAddr, otherAddr is an address of
	// other nodes, invalid if there is none.
	Addr, otherAddr netip.Addr
	Host            string // the node with its addresses, if the cut needs it
}

var everywhere = [2]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

func newPartition(xs []*Index) *Partition {
	s := &Partition{xs: xs, NodesOfAddr: map[netip.Addr][]string{}, Cuts: make([]ServiceCut, 1), reserved: slices.Clone(multicastGroups)}
	for _, x := range xs {
		for _, f := range [...]Family{IPv4, IPv6} {
			a := x.HairpinAddr(f)
			s.reserved = append(s.reserved, netip.PrefixFrom(a, a.BitLen()))
		}
		if !slices.ContainsFunc(x.Conditions, func(c *Condition) bool { return c.OwnNode }) {
			continue
		}
		for a, node := range x.NodeByAddr {
			if x.IsOwnNode(a, node) && !slices.Contains(s.NodesOfAddr[a], node) {
				s.NodesOfAddr[a] = append(s.NodesOfAddr[a], node)
			}
		}
	}
	for a := range s.NodesOfAddr {
		s.Owners = append(s.Owners, a)
	}
	slices.SortFunc(s.Owners, netip.Addr.Compare)
	return s
}

// makeBlocks makes the blocks of the networks in some conditions of each index. classOf returns the class that
// a block's addresses join under a cut.
func (s *Partition) makeBlocks(conds []Set, classOf func(a netip.Addr, cut int32) int32) {
	networks := s.withServiceAddrs(conditionNetworks(s.xs, conds))
	var around []int32
	for i, n := range networks {
		b := outsidePart{Network: n, outerBlock: -1}
		var ok bool
		b.Addr, b.otherAddr, ok = s.freeAddr(n, innerNetworks(networks[i+1:], n))
		if !ok {
			continue
		}
		b.cut, b.Host = s.ensureCut(n)
		for len(around) > 0 && !s.Blocks[around[len(around)-1]].Network.Contains(n.Addr()) {
			around = around[:len(around)-1]
		}
		b.Class = classOf(b.Addr, b.cut)
		if k := len(around); k > 0 {
			b.outerBlock = around[k-1]
			wide, alike := &s.Blocks[b.outerBlock], b.Class
			if wide.cut != b.cut {
				alike = classOf(b.Addr, wide.cut)
			}
			if wide.Class == alike && len(s.NodesOfAddr[wide.Addr]) == 0 {
				continue
			}
		}
		around = append(around, int32(len(s.Blocks)))
		s.Blocks = append(s.Blocks, b)
	}
}

// AddrForNode returns the address that represents a block to pods of a node, invalid if all are its own.
func (s *Partition) AddrForNode(b *outsidePart, node string) netip.Addr {
	if slices.Contains(s.NodesOfAddr[b.Addr], node) {
		return b.otherAddr
	}
	return b.Addr
}

// BlockAround returns the narrowest block that contains an address, or -1 for none.
func (s *Partition) BlockAround(a netip.Addr) int32 {
	narrow := int32(-1)
	for i := range s.Blocks {
		if n := s.Blocks[i].Network; n.Contains(a) && (narrow < 0 || n.Bits() > s.Blocks[narrow].Network.Bits()) {
			narrow = int32(i)
		}
	}
	return narrow
}

// NetworksOfBlocks describes some of the blocks for people: as networks, with the exceptions inside them.
func (s *Partition) NetworksOfBlocks(some Set) (networks, except []netip.Prefix) {
	for i := range s.Blocks {
		b := &s.Blocks[i]
		in, wide := some.Has(int32(i)), b.outerBlock >= 0 && some.Has(b.outerBlock)
		switch {
		case in && !wide:
			networks = append(networks, b.Network)
		case wide && !in:
			except = append(except, b.Network)
		}
	}
	return networks, except
}

// conditionNetworks returns the networks in some conditions, and both whole families, each once; wider ones come
// before those inside them.
func conditionNetworks(xs []*Index, conds []Set) []netip.Prefix {
	seen := map[netip.Prefix]bool{everywhere[0]: true, everywhere[1]: true}
	for i, x := range xs {
		for _, c := range x.Conditions {
			if conds[i] != nil && !conds[i].Has(c.ID) {
				continue
			}
			for i := range c.Blocks {
				seen[c.Blocks[i].Network] = true
				for _, e := range c.Blocks[i].Except {
					seen[e] = true
				}
			}
			for a := range c.Addrs {
				seen[netip.PrefixFrom(a, a.BitLen())] = true
			}
		}
	}
	out := slices.Collect(maps.Keys(seen))
	sortNetworks(out)
	return out
}

func sortNetworks(all []netip.Prefix) {
	slices.SortFunc(all, func(a, b netip.Prefix) int {
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
}

// innerNetworks returns the networks inside n; after are the networks behind n in order.
func innerNetworks(after []netip.Prefix, n netip.Prefix) []netip.Prefix {
	end := 0
	for end < len(after) && n.Contains(after[end].Addr()) && after[end].Bits() > n.Bits() {
		end++
	}
	return after[:end]
}

var multicastGroups = []netip.Prefix{netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("ff00::/8")}

// examples are the documentation addresses (RFC 5737, RFC 3849).
var examples = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.1"),
	netip.MustParseAddr("2001:db8::1")}

// freeAddr returns an address of a network outside the inner ones that is not special: a documentation address
// if possible, else the first, .1 rather than .0. A Service's address is the second choice. If nodes own every
// address, it returns two, of different nodes.
func (s *Partition) freeAddr(n netip.Prefix, inner []netip.Prefix) (a, other netip.Addr, ok bool) {
	for _, s.takeServed = range [...]bool{false, true} {
		a, ok = s.plainFreeAddr(n, inner)
		if ok {
			return a, other, true
		}
	}
	return s.ownedFreeAddr(n, inner)
}

// plainFreeAddr returns a free address that no node uses to reach its own pods.
func (s *Partition) plainFreeAddr(n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	for _, a := range examples {
		if free, _ := s.isFreeAddr(a, n, inner); free && n.Contains(a) {
			return a, true
		}
	}
	a, ok := s.firstFree(n, inner)
	if !ok {
		return a, false
	}
	if b := a.Next(); endsInZero(a) && n.Contains(b) {
		if free, _ := s.isFreeAddr(b, n, inner); free {
			return b, true
		}
	}
	return a, true
}

// ownedFreeAddr is freeAddr for a network whose remaining addresses all belong to nodes.
func (s *Partition) ownedFreeAddr(n netip.Prefix, inner []netip.Prefix) (a, other netip.Addr, ok bool) {
	i, _ := slices.BinarySearchFunc(s.Owners, n.Addr(), netip.Addr.Compare)
	for ; i < len(s.Owners) && n.Contains(s.Owners[i]); i++ {
		b := s.Owners[i]
		switch {
		case slices.ContainsFunc(inner, func(p netip.Prefix) bool { return p.Contains(b) && p != n }) || s.IsPodOrService(b):
		case !a.IsValid():
			a = b
		case !slices.ContainsFunc(s.NodesOfAddr[b], func(node string) bool { return slices.Contains(s.NodesOfAddr[a], node) }):
			return a, b, true
		}
	}
	return a, other, a.IsValid()
}

// endsInZero reports whether an address looks like a network's: its last byte is 0.
func endsInZero(a netip.Addr) bool {
	b := a.AsSlice()
	return b[len(b)-1] == 0
}

// isFreeAddr reports whether an address of n is free: not special, and in no inner network. If not, next is
// the next candidate, invalid if there is none.
func (s *Partition) isFreeAddr(a netip.Addr, n netip.Prefix, inner []netip.Prefix) (free bool, next netip.Addr) {
	over := func(p netip.Prefix) bool { return p.Contains(a) && p != n }
	switch i, j := slices.IndexFunc(inner, over), slices.IndexFunc(s.reserved, over); {
	case i >= 0:
		return false, addrAfter(inner[i])
	case j >= 0:
		return false, addrAfter(s.reserved[j])
	case a.IsMulticast() || slices.Contains(s.reserved, netip.PrefixFrom(a, a.BitLen())):
		return false, netip.Addr{}
	case len(s.NodesOfAddr[a]) > 0 || s.IsPodOrService(a) || s.isFront(a):
		return false, a.Next()
	}
	return true, a
}

// IsPodOrService reports whether an address is a pod's or a Service's.
func (s *Partition) IsPodOrService(a netip.Addr) bool {
	return slices.ContainsFunc(s.xs, func(x *Index) bool { return len(x.EndsAt(a)) > 0 || x.IsServiceAddr(a) })
}

// isFront reports whether an address is a Service on some port, unless such addresses are accepted.
func (s *Partition) isFront(a netip.Addr) bool {
	return !s.takeServed && slices.ContainsFunc(s.xs, func(x *Index) bool {
		all := x.ServiceFronts()
		return len(all.ByAddr[a]) > 0 || len(all.NodePorts) > 0 && x.NodeWithAddr(a) != ""
	})
}

func (s *Partition) firstFree(n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	a := n.Addr()
	if n.Bits() == 0 {
		a = a.Next() // "0.0.0.0" is no host
	}
	for a.IsValid() && n.Contains(a) {
		free, next := s.isFreeAddr(a, n, inner)
		if free {
			return a, true
		}
		a = next
	}
	return netip.Addr{}, false
}

// addrAfter returns the address behind a network, invalid behind the last.
func addrAfter(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a.Next()
}
