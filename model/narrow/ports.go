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
