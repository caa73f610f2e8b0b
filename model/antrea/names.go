package antrea

import (
	"net/netip"
	"strings"
)

// MatchesName says whether a DNS name is one that an fqdn means: * stands for any
// characters, dots too, or none.
func MatchesName(fqdn, name string) bool {
	fqdn, name = strings.ToLower(strings.TrimSuffix(fqdn, ".")), strings.ToLower(strings.TrimSuffix(name, "."))
	parts := strings.Split(fqdn, "*")
	if len(parts) == 1 {
		return fqdn == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// Multicast says whether a CIDR lies within the addresses of multicast groups.
func Multicast(cidr string) bool {
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Addr().IsMulticast() && (p.Addr().Is4() && p.Bits() >= 4 || p.Addr().Is6() && p.Bits() >= 8)
}
