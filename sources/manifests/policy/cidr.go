package policy

import (
	"fmt"
	"net/netip"

	"rung/model/ovn/match"
)

// IsCommonCIDR says whether a CIDR is in the form that everybody takes: no leading zeros,
// IPv4 in its own form.
func IsCommonCIDR(s string) bool {
	p, err := netip.ParsePrefix(s)
	return err == nil && !p.Addr().Is4In6()
}

// CIDRRemedy says how to write a CIDR right.
func CIDRRemedy(s string) string {
	if p, ok := match.ParseCIDR(s); ok {
		if p.Addr().Is4In6() {
			p = p.Masked()
		}
		return "write " + p.String()
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return fmt.Sprintf("write %s/%d", a, a.BitLen())
	}
	return "write address/length, as 10.0.0.0/8 or fd00::/8"
}
