package verdict

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"net/netip"
	"slices"
)

// Nodes says between pods of which nodes connections are.
type Nodes uint8

// The connections of a change.
const (
	AnyNodes Nodes = iota // it does not matter where the pods are
	OneNode
	TwoNodes
)

// rank puts what hurts first.
func rank(v Verdict) int { return slices.Index([]Verdict{Deny, Undefined, Unknown, Allow}, v) }

// comparison is two indexes with the same classes.
type comparison struct {
	before, after *Classes
	// changed are the terms that only one of the two has, by side and stage.
	changed [2][2]set
	k       candidates
	buf     []byte
}

func newComparison(before, after *Index, marks []netip.Addr) *comparison {
	both := classesOf(nil, marks, before, after)
	both[0].near = both[0].near || both[1].near
	both[1].near = both[0].near
	return &comparison{before: both[0], after: both[1], buf: make([]byte, 0, 4096)}
}

// each visits the pairs of classes between which something may change, until visit says
// that it is enough.
func (c *comparison) each(visit func(a, b int32, how mode, nodes Nodes, pairs int) bool) {
	on := true
	try := func(a, b int32, how mode, nodes Nodes, pairs int) {
		if on && pairs > 0 {
			on = visit(a, b, how, nodes, pairs)
		}
	}
	c.touched(func(a, b int32) {
		how, ok := c.after.mode(a, b)
		if !ok || !on {
			return
		}
		near, far := c.after.pairs(a, b)
		if how != farAway || !c.before.sensitive(a, b) && !c.after.sensitive(a, b) {
			try(a, b, how, AnyNodes, near+far)
			return
		}
		try(a, b, farAway, TwoNodes, far)
		try(a, b, sameNode, OneNode, near)
	})
}

// touched visits the pairs of classes that may change: where a term matches that only one
// of the two has.
func (c *comparison) touched(visit func(a, b int32)) {
	n := len(c.after.classes)
	byFrom := make([]set, n)
	sameEnds := slices.Equal(c.before.x.ends, c.after.x.ends) && slices.Equal(c.before.of, c.after.of)
	for n, side := range [...]struct{ has, other *Classes }{{c.before, c.after}, {c.after, c.before}} {
		known := map[signature]int{}
		if sameEnds { // conditions are compared by the places of ends
			known = side.other.x.signatures()
		}
		for stage, terms := range side.has.x.terms {
			mine := side.has.x.signaturesOf(stage)
			c.changed[n][stage] = newSet(len(terms))
			for i := range terms {
				if known[mine[i]] > 0 {
					known[mine[i]]--
					continue
				}
				c.changed[n][stage].add(int32(i))
				side.has.mark(&terms[i], byFrom)
			}
		}
	}
	for a, to := range byFrom {
		to.each(func(b int32) { visit(int32(a), b) })
	}
}

// mark notes the pairs of classes between which a term may match.
func (c *Classes) mark(t *term, byFrom []set) {
	to := newSet(len(c.classes))
	for b, k := range c.classes {
		if k.holds.has(t.to) {
			to.add(int32(b))
		}
	}
	for a, k := range c.classes {
		if !k.holds.has(t.from) {
			continue
		}
		if byFrom[a] == nil {
			byFrom[a] = newSet(len(c.classes))
		}
		byFrom[a].or(to)
	}
}

// signatures count the terms by what they match and do.
func (x *Index) signatures() map[signature]int {
	out := map[signature]int{}
	for stage := range x.terms {
		for _, s := range x.signaturesOf(stage) {
			out[s]++
		}
	}
	return out
}

// signature is equal for terms that match and do the same.
type signature struct {
	stage, tier int
	priority    int32
	does        does
	at          where
	maybe       bool
	from, to    uint64
	ports       string
}

var signatureSeed = maphash.MakeSeed()

func (x *Index) signaturesOf(stage int) []signature {
	x.signed.Do(func() {
		x.signs = make([]uint64, len(x.conds))
		for i, k := range x.conds {
			x.signs[i] = x.condSignature(k)
		}
	})
	conds := x.signs
	out := make([]signature, len(x.terms[stage]))
	for i := range out {
		t := &x.terms[stage][i]
		out[i] = signature{stage, int(t.tier), t.priority, t.does, t.at, t.maybe, conds[t.from], conds[t.to], ""}
		if t.outRouter || t.ports != nil {
			out[i].ports = fmt.Sprint(t.outRouter, t.ports)
		}
		if t.outPort > 0 {
			out[i].ports += fmt.Sprint(conds[t.outPort-1])
		}
		if x.onAntrea() {
			priority, text := x.antrea.sign(t)
			out[i].priority, out[i].ports = priority, out[i].ports+text
		}
	}
	return out
}

// condSignature is equal for conditions that hold for the same ends, of indexes that have
// the same ends.
func (x *Index) condSignature(k *cond) uint64 {
	var h maphash.Hash
	h.SetSeed(signatureSeed)
	buf := make([]byte, 0, 512)
	for _, w := range k.set {
		if buf = binary.LittleEndian.AppendUint64(buf, w); len(buf) == cap(buf) {
			_, _ = h.Write(buf)
			buf = buf[:0]
		}
	}
	_, _ = h.Write(buf)
	singles := make([]string, 0, len(k.addrs))
	for a := range k.addrs {
		singles = append(singles, a.String())
	}
	slices.Sort(singles)
	for i, is := range [...]bool{k.port, k.router, k.ownNode, k.any[0], k.any[1], k.hairpin} {
		if is {
			_ = h.WriteByte(byte(i))
		}
	}
	if len(singles)+len(k.blocks) > 0 {
		_, _ = fmt.Fprint(&h, singles, k.blocks)
	}
	return h.Sum64()
}
