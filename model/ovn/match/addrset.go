package match

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
)

// AddrSet has the members of an address set in a form for lookups. It is immutable and safe for concurrent
// use.
type AddrSet struct {
	// Most sets have hosts only. With many sets it matters that sorted slices are built faster than maps.
	hosts4   []uint32
	hosts6   []netip.Addr
	networks map[netip.Prefix]bool
	lengths  []int   // prefix lengths in networks
	masks    []Const // members whose mask is no prefix
	n        int
}

// NewAddrSet parses the members of an address set: addresses, CIDRs (host bits are cleared, as OVN does) and
// addresses with a mask. Other members are left out, as OVN leaves them out.
func NewAddrSet(members []string) *AddrSet {
	s := &AddrSet{}
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
		switch p, ok := c.Prefix(); {
		case !ok:
			s.masks = append(s.masks, c)
		case p.IsSingleIP():
			s.putHost(p.Addr())
		default:
			s.putNetwork(p)
		}
	}
	if !slices.IsSorted(s.hosts4) {
		slices.Sort(s.hosts4)
	}
	slices.SortFunc(s.hosts6, netip.Addr.Compare)
	return s
}

func (s *AddrSet) putHost(a netip.Addr) {
	if a.Is4() {
		s.hosts4 = append(s.hosts4, key4(a))
	} else {
		s.hosts6 = append(s.hosts6, a)
	}
}

func (s *AddrSet) putNetwork(p netip.Prefix) {
	if s.networks == nil {
		s.networks = map[netip.Prefix]bool{}
	}
	s.networks[p] = true
	if !slices.Contains(s.lengths, p.Bits()) {
		s.lengths = append(s.lengths, p.Bits())
	}
}

func key4(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// Len returns the number of valid members, duplicates included.
func (s *AddrSet) Len() int { return s.n }

// Contains reports whether the address is a member or in a member network.
func (s *AddrSet) Contains(a netip.Addr) bool {
	found := false
	switch {
	case a.Is4():
		_, found = slices.BinarySearch(s.hosts4, key4(a))
	case a.Is6():
		_, found = slices.BinarySearchFunc(s.hosts6, a, netip.Addr.Compare)
	default:
		return false
	}
	if found {
		return true
	}
	for _, bits := range s.lengths {
		if p, err := a.Prefix(bits); err == nil && s.networks[p] {
			return true
		}
	}
	for _, c := range s.masks {
		if n := a.BitLen(); c.minWidth() <= n && (c.Kind == ConstIP4) == a.Is4() && c.equalsMasked(addrValue(a), n) {
			return true
		}
	}
	return false
}
