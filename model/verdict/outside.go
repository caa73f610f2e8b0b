package verdict

import (
	"cmp"
	"net/netip"
	"slices"
)

// outside is an address that is no pod's, standing for all of a network that no narrower
// one of the rules holds.
type outside struct {
	addr    netip.Addr
	network netip.Prefix
}

var everywhere = [2]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// outsides are addresses that stand for all that are no pod's: one for each network that a
// rule names, outside of the narrower ones. A network full of them has none.
func outsides(xs []*Index) (out []outside) {
	networks := networksOf(xs)
	for i, n := range networks {
		if a, ok := free(xs, n, inner(networks[i+1:], n)); ok {
			out = append(out, outside{a, n})
		}
	}
	return out
}

// networksOf are those that rules name, and everything, each once: wider ones before what is
// in them.
func networksOf(xs []*Index) []netip.Prefix {
	seen := map[netip.Prefix]bool{everywhere[0]: true, everywhere[1]: true}
	for _, x := range xs {
		for _, c := range x.conds {
			for i := range c.blocks {
				seen[c.blocks[i].network] = true
				for _, e := range c.blocks[i].except {
					seen[e] = true
				}
			}
			for a := range c.addrs {
				seen[netip.PrefixFrom(a, a.BitLen())] = true
			}
		}
	}
	out := make([]netip.Prefix, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b netip.Prefix) int {
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
	return out
}

// inner are the networks inside n, of those that come after it in order.
func inner(after []netip.Prefix, n netip.Prefix) []netip.Prefix {
	end := 0
	for end < len(after) && n.Contains(after[end].Addr()) && after[end].Bits() > n.Bits() {
		end++
	}
	return after[:end]
}

var hairpinAndGroups = []netip.Prefix{netip.MustParsePrefix("169.254.169.5/32"), netip.MustParsePrefix("fd69::5/128"),
	netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("ff00::/8")}

// examples are the addresses that documents use for those outside (RFC 5737, RFC 3849).
var examples = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.1"),
	netip.MustParseAddr("2001:db8::1")}

// free is an address of a network that is in none of the inner ones, no pod's, no
// multicast group and nothing that OVN-Kubernetes keeps for itself: one that people take
// for an example where there is such a one, else the first, rather .1 than .0.
func free(xs []*Index, n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	for _, a := range examples {
		if n.Contains(a) && stands(xs, a, n, inner) {
			return a, true
		}
	}
	a, ok := firstFree(xs, n, inner)
	if b := a.Next(); ok && zeroes(a) && n.Contains(b) && stands(xs, b, n, inner) {
		return b, true
	}
	return a, ok
}

// zeroes says whether an address reads as that of a network: its last byte is 0.
func zeroes(a netip.Addr) bool {
	b := a.AsSlice()
	return b[len(b)-1] == 0
}

// stands says whether a is an address of n that firstFree could give.
func stands(xs []*Index, a netip.Addr, n netip.Prefix, inner []netip.Prefix) bool {
	has := func(p netip.Prefix) bool { return p.Contains(a) && p != n }
	return !a.IsMulticast() && !slices.ContainsFunc(inner, has) && !slices.ContainsFunc(hairpinAndGroups, func(p netip.Prefix) bool { return p.Contains(a) }) &&
		!slices.ContainsFunc(xs, func(x *Index) bool { return x.keeps(a) })
}

// keeps says whether an address is of the cluster itself.
func (x *Index) keeps(a netip.Addr) bool { return len(x.with(a)) > 0 || x.own(a) }

func firstFree(xs []*Index, n netip.Prefix, inner []netip.Prefix) (netip.Addr, bool) {
	a := n.Addr()
	if n.Bits() == 0 {
		a = a.Next() // "0.0.0.0" is nobody
	}
	for a.IsValid() && n.Contains(a) {
		over := func(p netip.Prefix) bool { return p.Contains(a) && p != n }
		switch i, j := slices.IndexFunc(inner, over), slices.IndexFunc(hairpinAndGroups, over); {
		case i >= 0:
			a = after(inner[i])
		case j >= 0:
			a = after(hairpinAndGroups[j])
		case a.IsMulticast() || a == hairpinAddrs[0] || a == hairpinAddrs[1]:
			return netip.Addr{}, false
		case slices.ContainsFunc(xs, func(x *Index) bool { return x.keeps(a) }):
			a = a.Next()
		default:
			return a, true
		}
	}
	return netip.Addr{}, false
}

// own says whether the address is a node's management port: what comes from there is the
// node's own connection.
// Under Antrea only some of its connections are, see Classes.source.
func (x *Index) own(a netip.Addr) bool {
	return x.nodeOf[a] != "" && !x.onAntrea() && x.ownNode(a, x.nodeOf[a])
}

// after is the address behind a network, not valid behind the last.
func after(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a.Next()
}
