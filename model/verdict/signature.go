package verdict

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
)

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
