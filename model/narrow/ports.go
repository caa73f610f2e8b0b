package narrow

import (
	"cmp"
	"net/netip"
	"slices"

	"rung/model/verdict"
)

// rangesOf are ports as ranges, those side by side joined; none for every port, which is
// the only way to name ICMP.
func rangesOf(ports map[verdict.Ports]bool) (out []verdict.PortRange) {
	var all []verdict.Ports
	for p := range ports {
		if p.Protocol == verdict.ICMP {
			return nil
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b verdict.Ports) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	for _, p := range all {
		if n := len(out); n > 0 && out[n-1].Protocol == p.Protocol && int(out[n-1].Hi)+1 == int(p.Port) {
			out[n-1].Hi = p.Port
			continue
		}
		out = append(out, verdict.PortRange{Protocol: p.Protocol, Lo: p.Port, Hi: p.Port})
	}
	return out
}

// every port there is.
var every = []verdict.PortRange{{Protocol: verdict.ICMP}, {Protocol: verdict.SCTP, Lo: 1, Hi: 65535}, {Protocol: verdict.TCP, Lo: 1, Hi: 65535},
	{Protocol: verdict.UDP, Lo: 1, Hi: 65535}}

// missing are the ports of some ranges, of every one where there are none, that are not
// among others.
func missing(ranges []verdict.PortRange, others map[verdict.Ports]bool) (out []verdict.PortRange) {
	if len(ranges) == 0 {
		ranges = every
	}
	var had []verdict.Ports
	for p := range others {
		had = append(had, p)
	}
	slices.SortFunc(had, func(a, b verdict.Ports) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	for _, r := range ranges {
		next := int(r.Lo)
		for _, p := range had {
			if p.Protocol != r.Protocol || p.Port < r.Lo || p.Port > r.Hi {
				continue
			}
			if int(p.Port) > next {
				out = append(out, verdict.PortRange{Protocol: r.Protocol, Lo: uint16(next), Hi: p.Port - 1})
			}
			next = int(p.Port) + 1
		}
		if next <= int(r.Hi) {
			out = append(out, verdict.PortRange{Protocol: r.Protocol, Lo: uint16(next), Hi: r.Hi})
		}
	}
	return out
}

// networksOf are the addresses among some ends, those that fill a network together as that
// network.
func networksOf(ends []end) []netip.Prefix {
	var out []netip.Prefix
	for _, e := range ends {
		if e.pod < 0 {
			out = append(out, netip.PrefixFrom(e.addr, e.addr.BitLen()))
		}
	}
	for joined := true; joined; {
		joined = false
		slices.SortFunc(out, netip.Prefix.Compare)
		out = slices.Compact(out)
		for i := 0; i+1 < len(out); i++ {
			a, b := out[i], out[i+1]
			if a.Bits() != b.Bits() || a.Bits() < 2 || a.Addr().Is4() != b.Addr().Is4() {
				continue
			}
			if up, up2 := parent(a), parent(b); up == up2 {
				out, joined = slices.Replace(out, i, i+2, up), true
			}
		}
	}
	return out
}

func parent(p netip.Prefix) netip.Prefix { return netip.PrefixFrom(p.Addr(), p.Bits()-1).Masked() }
