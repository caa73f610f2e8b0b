package match

import "slices"

// Ports are the numbers that the expression compares ports of TCP, UDP or SCTP with, in
// order: between two of them it tells no destination port from the next, nor beyond.
func Ports(e Expr) (out []uint16) {
	add := func(f Field, values ...Const) {
		if f.Name != "tcp.dst" && f.Name != "udp.dst" && f.Name != "sctp.dst" {
			return
		}
		for _, v := range values {
			if n, ok := v.Number(); ok && n <= 0xffff {
				out = append(out, uint16(n))
			}
		}
	}
	anyLeaf(e, func(l Expr) bool {
		switch l := l.(type) {
		case *Cmp:
			add(l.Field, l.Values...)
		case *Range:
			add(l.Field, l.Lo, l.Hi)
		}
		return false
	})
	slices.Sort(out)
	return slices.Compact(out)
}
