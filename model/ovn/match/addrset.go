package match

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
)

// Addresses are the members of an address set, ready to be asked. They are
// immutable and safe for concurrent use.
type Addresses struct {
	// Of most sets all members are hosts: sorted, as that is made faster than a map, and
	// there are many sets.
	hosts4 []uint32
	hosts6 [][16]byte
	nets4  []prefixNetworks[uint32]
	nets6  []prefixNetworks[[16]byte]
	masks  []Const // members whose mask is no prefix
	n      int
}

// prefixNetworks are the networks of one prefix length.
type prefixNetworks[K comparable] struct {
	bits    int
	members map[K]struct{}
}

// NewAddrSet reads the members of an address set: addresses, CIDRs (host bits
// are cleared, as OVN does) and addresses with a mask. Members of
// another form are left out, as OVN leaves them out.
func NewAddrSet(members []string) *Addresses {
	s := &Addresses{}
	if len(members) > 0 && strings.IndexByte(members[0], ':') < 0 {
		s.hosts4 = make([]uint32, 0, len(members))
	}
	for _, m := range members {
		if strings.IndexByte(m, '/') < 0 {
			if a, err := netip.ParseAddr(m); err == nil && a.Zone() == "" {
				s.n++
				s.putHost(a)
				continue
			}
		}
		c, problem := parseNumber(m)
		if problem != "" || c.Kind != ConstIP4 && c.Kind != ConstIP6 {
			continue
		}
		s.n++
		if p, ok := c.Prefix(); ok {
			s.add(p)
		} else {
			s.masks = append(s.masks, c)
		}
	}
	if !slices.IsSorted(s.hosts4) {
		slices.Sort(s.hosts4)
	}
	slices.SortFunc(s.hosts6, compare16)
	return s
}

func compare16(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) }

func (s *Addresses) putHost(a netip.Addr) {
	if a.Is4() {
		s.hosts4 = append(s.hosts4, key4(a))
	} else {
		s.hosts6 = append(s.hosts6, a.As16())
	}
}

func (s *Addresses) add(p netip.Prefix) {
	a := p.Addr()
	switch {
	case p.IsSingleIP():
		s.putHost(a)
	case a.Is4():
		s.nets4 = putNet(s.nets4, p.Bits(), key4(a))
	default:
		s.nets6 = putNet(s.nets6, p.Bits(), a.As16())
	}
}

func putNet[K comparable](all []prefixNetworks[K], bits int, k K) []prefixNetworks[K] {
	for i := range all {
		if all[i].bits == bits {
			all[i].members[k] = struct{}{}
			return all
		}
	}
	return append(all, prefixNetworks[K]{bits, map[K]struct{}{k: {}}})
}

func key4(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// Len is how many members could be read, duplicates included.
func (s *Addresses) Len() int { return s.n }

// Contains says whether the address is a member or in a member network.
func (s *Addresses) Contains(a netip.Addr) bool {
	switch {
	case a.Is4():
		if s.contains4(key4(a)) {
			return true
		}
	case a.Is6():
		if s.contains6(a) {
			return true
		}
	default:
		return false
	}
	for _, c := range s.masks {
		if n := a.BitLen(); c.minWidth() <= n && (c.Kind == ConstIP4) == a.Is4() && c.equalsMasked(addrValue(a), n) {
			return true
		}
	}
	return false
}

func (s *Addresses) contains4(k uint32) bool {
	if _, ok := slices.BinarySearch(s.hosts4, k); ok {
		return true
	}
	for _, n := range s.nets4 {
		if _, ok := n.members[uint32(uint64(k)>>(32-n.bits)<<(32-n.bits))]; ok {
			return true
		}
	}
	return false
}

func (s *Addresses) contains6(a netip.Addr) bool {
	k := a.As16()
	if _, ok := slices.BinarySearchFunc(s.hosts6, k, compare16); ok {
		return true
	}
	for _, n := range s.nets6 {
		if _, ok := n.members[masked16(k, n.bits)]; ok {
			return true
		}
	}
	return false
}

// masked16 clears all but the first bits.
func masked16(k [16]byte, bits int) [16]byte {
	if i := bits / 8; i < len(k) {
		k[i] &= 0xff << (8 - bits%8)
		clear(k[i+1:])
	}
	return k
}
