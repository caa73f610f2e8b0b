package antrea

import "net/netip"

// IsMulticast says whether a CIDR lies within the addresses of multicast groups.
func IsMulticast(cidr string) bool {
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Addr().IsMulticast() && (p.Addr().Is4() && p.Bits() >= 4 || p.Addr().Is6() && p.Bits() >= 8)
}
