package verdict

import (
	"encoding/binary"
	"math/bits"
)

// Set is a set of small numbers.
type Set []uint64

func NewSet(n int) Set { return make(Set, (n+63)/64) }

func (s Set) Add(i int32) { s[i>>6] |= 1 << (i & 63) }

func (s Set) Has(i int32) bool {
	return int(i>>6) < len(s) && s[i>>6]&(1<<(i&63)) != 0
}

func (s Set) Or(o Set) {
	for i, w := range o {
		s[i] |= w
	}
}

// Meets reports whether two sets share a member.
func (s Set) Meets(o Set) bool {
	for i := range min(len(s), len(o)) {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// Each calls visit for every member, in order.
func (s Set) Each(visit func(int32)) {
	for i, w := range s {
		for w != 0 {
			visit(int32(i*64 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}

func AppendSet(into []byte, s Set) []byte {
	for _, w := range s {
		into = binary.LittleEndian.AppendUint64(into, w)
	}
	return into
}
