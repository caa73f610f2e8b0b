package revision

import (
	"net/netip"

	"rung/model"
)

// Allocator hands out unused addresses, one for each IP family of the cluster.
type Allocator struct {
	ipv4, ipv6    bool
	taken         map[netip.Addr]bool
	near          []string                  // addresses of pods, and of the default network
	lastHandedOut map[netip.Addr]netip.Addr // by start address, the address handed out last
}

// NewAllocator returns an allocator for the given families that avoids the taken addresses. It picks addresses
// next to those of pods in the subnets, else any in the subnets. If a family has no subnets, every pod counts.
func NewAllocator(c *model.Cluster, ipv4, ipv6 bool, taken []netip.Addr, subnets []netip.Prefix) *Allocator {
	a := &Allocator{ipv4: ipv4, ipv6: ipv6, taken: map[netip.Addr]bool{}, lastHandedOut: map[netip.Addr]netip.Addr{}}
	for _, ip := range taken {
		a.taken[ip] = true
	}
	for p := range c.Pods() {
		if !p.CanBePeer() {
			continue
		}
		a.near = append(a.near, model.Filter(p.IPs, func(ip string) bool { return isIn(ip, subnets) })...)
	}
	a.near = append(append(a.near, FirstPodAddresses(subnets)...), "10.128.0.3", "fd01::3")
	return a
}

// AddressesNear hands out addresses next to the given ones, else next to any pod's, else in the default network.
func (a *Allocator) AddressesNear(near []string) (out []string) {
	for _, want4 := range []bool{true, false} {
		if want4 && !a.ipv4 || !want4 && !a.ipv6 {
			continue
		}
		begin, ok := firstOfFamily(near, want4)
		if !ok {
			begin, _ = firstOfFamily(a.near, want4)
		}
		at := begin
		if last, ok := a.lastHandedOut[begin]; ok {
			at = last
		}
		for ; a.taken[at]; at = at.Next() {
		}
		a.taken[at], a.lastHandedOut[begin] = true, at
		out = append(out, at.String())
	}
	return out
}

// FirstPodAddresses returns the first address of each subnet that a pod can have: the gateway and the management port
// come before it.
func FirstPodAddresses(subnets []netip.Prefix) []string {
	return model.MapList(subnets, func(s netip.Prefix) string { return s.Masked().Addr().Next().Next().Next().String() })
}

// isIn reports whether an address is in one of the subnets, or no subnet of its family is known.
func isIn(ip string, subnets []netip.Prefix) bool {
	at, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	at = at.Unmap()
	family := false
	for _, s := range subnets {
		if s.Contains(at) {
			return true
		}
		family = family || s.Addr().Is4() == at.Is4()
	}
	return !family
}

// firstOfFamily returns the first address of a family.
func firstOfFamily(ips []string, want4 bool) (netip.Addr, bool) {
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && a.Unmap().Is4() == want4 {
			return a.Unmap(), true
		}
	}
	return netip.Addr{}, false
}
