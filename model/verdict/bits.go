package verdict

import (
	"encoding/binary"
	"math/bits"
)

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int32) { s[i>>6] |= 1 << (i & 63) }

func (s set) has(i int32) bool {
	return int(i>>6) < len(s) && s[i>>6]&(1<<(i&63)) != 0
}

func (s set) or(o set) {
	for i, w := range o {
		s[i] |= w
	}
}

// meets says whether two sets have a member in common.
func (s set) meets(o set) bool {
	for i := range min(len(s), len(o)) {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// each calls visit for every member, in order.
func (s set) each(visit func(int32)) {
	for i, w := range s {
		for w != 0 {
			visit(int32(i*64 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}

func rawSet(into []byte, s set) []byte {
	for _, w := range s {
		into = binary.LittleEndian.AppendUint64(into, w)
	}
	return into
}
