package verdict

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"maps"
	"net/netip"
	"slices"

	"rung/model"
)

// Signatures counts the terms by their signatures.
func (x *Index) Signatures() map[Signature]int {
	out := map[Signature]int{}
	for stage := range x.Terms {
		for _, s := range x.StageSignatures(stage) {
			out[s]++
		}
	}
	return out
}

// Signature is equal for terms that match and do the same.
type Signature struct {
	stage, tier int8
	effect      TermEffect
	hopSwitch   HopSwitch
	maybe       bool
	outRouter   bool
	priority    int32
	from, to    uint64
	outPort     uint64
	ports       uint64
}

var signatureSeed = maphash.MakeSeed()

func (x *Index) StageSignatures(stage int) []Signature {
	x.signed.Do(func() {
		x.conditionHashes = make([]uint64, len(x.Conditions))
		for i, k := range x.Conditions {
			x.conditionHashes[i] = x.condSignature(k)
		}
	})
	conds := x.conditionHashes
	out := make([]Signature, len(x.Terms[stage]))
	var raw []byte
	for i := range out {
		t := &x.Terms[stage][i]
		out[i] = Signature{stage: int8(stage), tier: t.Tier, effect: t.Effect, hopSwitch: t.Switch, maybe: t.Maybe, outRouter: t.OutRouter,
			priority: t.Priority, from: conds[t.From], to: conds[t.To]}
		if t.Ports != nil {
			raw = raw[:0]
			for _, p := range t.Ports {
				raw = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(append(raw, byte(p.proto)), p.lo), p.hi)
			}
			out[i].ports = 1 | maphash.Bytes(signatureSeed, raw)
		}
		if t.OutPort > 0 {
			out[i].outPort = 1 | conds[t.OutPort-1]
		}
		if x.order != nil {
			priority, text := x.order.signaturePlace(t)
			out[i].priority, out[i].ports = priority, out[i].ports+maphash.String(signatureSeed, text)
		}
	}
	return out
}

// condSignature returns a hash that is equal for conditions that hold for the same ends. It is comparable only
// among indexes with the same ends.
func (x *Index) condSignature(k *Condition) uint64 {
	var h maphash.Hash
	h.SetSeed(signatureSeed)
	buf := make([]byte, 0, 512)
	for _, w := range k.Set {
		buf = binary.LittleEndian.AppendUint64(buf, w)
		if len(buf) == cap(buf) {
			_, _ = h.Write(buf)
			buf = buf[:0]
		}
	}
	_, _ = h.Write(buf)
	singles := model.MapSeq(maps.Keys(k.Addrs), netip.Addr.String)
	slices.Sort(singles)
	for i, is := range [...]bool{k.Port, k.router, k.OwnNode, k.everyAddrByFamily[0], k.everyAddrByFamily[1], k.hairpin} {
		if is {
			_ = h.WriteByte(byte(i))
		}
	}
	if len(singles)+len(k.Blocks) > 0 {
		_, _ = fmt.Fprint(&h, singles, k.Blocks)
	}
	return h.Sum64()
}
