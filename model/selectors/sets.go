package selectors

import (
	"iter"
	"math/bits"
	"net/netip"
	"slices"
)

// PodSet is a set of pods in a PodIndex. It must not be changed once shared; nil is the empty set.
type PodSet []uint64

func (s PodSet) add(i int) { s[i/64] |= 1 << (i % 64) }

// Has reports whether the pod at an index is in the set.
func (s PodSet) Has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

func (s PodSet) addRange(from, to int) {
	for i := from; i < to; i++ {
		if i%64 == 0 && i+64 <= to {
			s[i/64] = ^uint64(0)
			i += 63
			continue
		}
		s.add(i)
	}
}

// And returns the pods in both sets.
func (s PodSet) And(o PodSet) PodSet {
	out := make(PodSet, min(len(s), len(o)))
	for i := range out {
		out[i] = s[i] & o[i]
	}
	return out
}

// AndNot returns the pods of s that are not in o.
func (s PodSet) AndNot(o PodSet) PodSet {
	out := slices.Clone(s)
	for i := range min(len(s), len(o)) {
		out[i] &^= o[i]
	}
	return out
}

// Or returns the pods in either set.
func (s PodSet) Or(o PodSet) PodSet {
	if len(s) < len(o) {
		s, o = o, s
	}
	out := slices.Clone(s)
	for i, w := range o {
		out[i] |= w
	}
	return out
}

// Meets reports whether the sets share a pod.
func (s PodSet) Meets(o PodSet) bool {
	for i := range min(len(s), len(o)) {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// IsWithin reports whether every pod of s is in o.
func (s PodSet) IsWithin(o PodSet) bool {
	for i, w := range s {
		if i < len(o) {
			w &^= o[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// Len counts the pods.
func (s PodSet) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// IsEmpty reports whether the set has no pod.
func (s PodSet) IsEmpty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

// Each yields the indexes of the pods, for PodIndex.PodAt.
func (s PodSet) Each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for w != 0 {
				if !yield(i*64 + bits.TrailingZeros64(w)) {
					return
				}
				w &= w - 1
			}
		}
	}
}

// familyIndex returns 0 for IPv4, 1 for IPv6.
func familyIndex(a netip.Addr) int {
	if a.Unmap().Is4() {
		return 0
	}
	return 1
}

// InNetwork returns the eligible pods with an address in the network.
func (x *PodIndex) InNetwork(n netip.Prefix) PodSet {
	n = n.Masked()
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, ok := x.netMemo[n]; ok {
		return s
	}
	if x.addrs == nil {
		x.sortAddrs()
	}
	s := x.newSet()
	from, _ := slices.BinarySearchFunc(x.addrs, n.Addr(), func(a podAddr, to netip.Addr) int { return a.addr.Compare(to) })
	for _, a := range x.addrs[from:] {
		if !n.Contains(a.addr) {
			break
		}
		s.add(int(a.pod))
	}
	if len(x.netMemo) < memoLimit {
		x.netMemo[n] = s
	}
	return s
}

// InNetworkBut returns the eligible pods with an address in the network, without those in exceptions.
func (x *PodIndex) InNetworkBut(n netip.Prefix, except []string) PodSet {
	pods := x.InNetwork(n)
	for e := range ParsedNetworks(except) {
		pods = pods.AndNot(x.InNetwork(e))
	}
	return pods
}

func (x *PodIndex) sortAddrs() {
	x.addrs = make([]podAddr, 0, x.peers.Len())
	for i := range x.peers.Each() {
		for _, ip := range x.pods[i].IPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				x.addrs = append(x.addrs, podAddr{a.Unmap(), int32(i)})
			}
		}
	}
	slices.SortFunc(x.addrs, func(a, b podAddr) int { return a.addr.Compare(b.addr) })
}

// WithPort returns the eligible pods that declare a container port with that name and a known protocol.
func (x *PodIndex) WithPort(name string) PodSet {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byPortName == nil {
		x.byPortName = map[string]PodSet{}
		for i := range x.peers.Each() {
			for _, port := range x.pods[i].Ports {
				if port.Name == "" || port.Protocol == "" {
					continue
				}
				s, ok := x.byPortName[port.Name]
				if !ok {
					s = x.newSet()
					x.byPortName[port.Name] = s
				}
				s.add(i)
			}
		}
	}
	return x.byPortName[name]
}

// ParseNetwork reads a CIDR as policies use it and keeps host bits, so that the caller can see them. ok is
// false for an invalid CIDR, and for forms that OVN cannot use: leading zeros, IPv4-mapped IPv6. Readers
// normalize these if the rows do.
func ParseNetwork(s string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, false
	}
	return p, true
}

// ParsedNetworks yields the valid networks among the texts.
func ParsedNetworks(texts []string) iter.Seq[netip.Prefix] {
	return func(yield func(netip.Prefix) bool) {
		for _, s := range texts {
			if n, ok := ParseNetwork(s); ok && !yield(n) {
				return
			}
		}
	}
}

// NetworkSet is a set of networks that finds containment without trying all pairs. Zero is ready.
type NetworkSet struct {
	members map[netip.Prefix]int
	lengths [2][129]bool // prefix lengths in use, by family
}

// Add adds a network with a number chosen by the caller; of equal networks the first keeps its number.
func (n *NetworkSet) Add(p netip.Prefix, id int) {
	if n.members == nil {
		n.members = map[netip.Prefix]int{}
	}
	p = p.Masked()
	if _, ok := n.members[p]; !ok {
		n.members[p] = id
		n.lengths[familyIndex(p.Addr())][p.Bits()] = true
	}
}

// NarrowestCovering returns the narrowest member that contains the whole network.
func (n *NetworkSet) NarrowestCovering(p netip.Prefix) (member netip.Prefix, id int, ok bool) {
	if len(n.members) == 0 {
		return netip.Prefix{}, 0, false
	}
	for l := p.Bits(); l >= 0; l-- {
		if !n.lengths[familyIndex(p.Addr())][l] {
			continue
		}
		m := netip.PrefixFrom(p.Addr(), l).Masked()
		if id, ok := n.members[m]; ok {
			return m, id, true
		}
	}
	return netip.Prefix{}, 0, false
}
