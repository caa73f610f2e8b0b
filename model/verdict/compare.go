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

// The connections of a change; those to a node's own addresses are of one node from its pods.
const (
	AnyNodes Nodes = iota // it does not matter where the pods are
	OneNode
	TwoNodes
)

// has says whether connections of one node, or of two, are among them.
func (n Nodes) has(one bool) bool { return n == AnyNodes || one == (n == OneNode) }

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
	c := &comparison{buf: make([]byte, 0, 4096)}
	var f *focus
	if sameEnds := slices.Equal(before.ends, after.ends); sameEnds {
		f = newFocus(len(after.ends))
	}
	c.findChanged(before, after, f)
	both := classesOf(nil, marks, f, before, after)
	both[0].near = both[0].near || both[1].near
	both[1].near = both[0].near
	c.before, c.after = both[0], both[1]
	return c
}

// findChanged finds the terms that only one of the two has, and what they are about. Without
// the same ends terms cannot be compared: then all are.
func (c *comparison) findChanged(before, after *Index, f *focus) {
	for n, side := range [...]struct{ has, other *Index }{{before, after}, {after, before}} {
		known := map[signature]int{}
		if f != nil { // conditions are compared by the places of ends
			known = side.other.signatures()
		}
		for stage, terms := range side.has.terms {
			mine := side.has.signaturesOf(stage)
			c.changed[n][stage] = newSet(len(terms))
			for i := range terms {
				if known[mine[i]] > 0 {
					known[mine[i]]--
					continue
				}
				c.changed[n][stage].add(int32(i))
				if f != nil {
					f.add(side.has, &terms[i])
				}
			}
		}
	}
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
		switch {
		case how == leaving && c.after.ownNodeMatters(b):
			try(a, b, how, TwoNodes, far)
			try(a, b, how, OneNode, near)
			return
		case how != farAway || !c.before.sensitive(a, b) && !c.after.sensitive(a, b):
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
	byFrom := make([]set, len(c.after.classes))
	for n, side := range [...]*Classes{c.before, c.after} {
		for stage, terms := range side.x.terms {
			c.changed[n][stage].each(func(i int32) { side.mark(&terms[i], byFrom) })
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
	stage, tier int8
	does        does
	at          where
	maybe       bool
	outRouter   bool
	priority    int32
	from, to    uint64
	outPort     uint64
	ports       uint64
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
	var raw []byte
	for i := range out {
		t := &x.terms[stage][i]
		out[i] = signature{stage: int8(stage), tier: t.tier, does: t.does, at: t.at, maybe: t.maybe, outRouter: t.outRouter,
			priority: t.priority, from: conds[t.from], to: conds[t.to]}
		if t.ports != nil {
			raw = raw[:0]
			for _, p := range t.ports {
				raw = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(append(raw, byte(p.proto)), p.lo), p.hi)
			}
			out[i].ports = 1 | maphash.Bytes(signatureSeed, raw)
		}
		if t.outPort > 0 {
			out[i].outPort = 1 | conds[t.outPort-1]
		}
		if x.onAntrea() {
			priority, text := x.antrea.sign(t)
			out[i].priority, out[i].ports = priority, out[i].ports+maphash.String(signatureSeed, text)
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
