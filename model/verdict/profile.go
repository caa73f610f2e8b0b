package verdict

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Outcome is the outcome of a connection, or the set of outcomes of several.
type Outcome uint8

// The outcomes; more than one of them is mixed.
const (
	Allowed Outcome = 1 << iota
	Denied
	IsUndefined
	IsUnknown
	IsMixed // endpoints of a Service are decided differently
)

var outcomes = [...]Verdict{Allow, Deny, Undefined, Unknown, Mixed}

// OutcomeOf returns the outcome of one verdict, 0 where no policy is asked.
func OutcomeOf(v Verdict) Outcome {
	for i, known := range outcomes {
		if v == known {
			return 1 << i
		}
	}
	return 0
}

// Verdict is the one verdict there is; ok is false where it is mixed.
func (o Outcome) Verdict() (v Verdict, ok bool) {
	if o == 0 || o&(o-1) != 0 {
		return "", false
	}
	return outcomes[bits.TrailingZeros8(uint8(o))], true
}

// Segment is a run of ports of one protocol with the same verdict. ICMP has ports 0 to 0.
type Segment struct {
	Protocol Protocol
	Lo, Hi   uint16
	Verdict  Verdict
}

// Profile is the verdicts of the connections between two classes, for every port.
type Profile struct{ Segments []Segment }

// ConnectionMode is how the connections of two classes go.
type ConnectionMode uint8

const (
	FarAway  ConnectionMode = iota // between pods of two nodes
	SameNode                       // between pods of one
	Leaving                        // from a pod to an address outside
	Arriving                       // from an address outside to a pod
)

// Candidates are the terms of which both ends meet the conditions, by walk: that after
// load balancing, that to the port on the source's switch, that to the destination's, and those of replies.
type Candidates struct{ Egress, Source, Destination, ReplyEgress, ReplyIngress []int32 }

// IsEmpty reports whether no term matches in any walk.
func (k *Candidates) IsEmpty() bool {
	return len(k.Egress)+len(k.Source)+len(k.Destination)+len(k.ReplyEgress)+len(k.ReplyIngress) == 0
}

// EachWalk visits the candidates by walk, with the stage that they are terms of.
func (k *Candidates) EachWalk(visit func(walk, stage int, list []int32)) {
	visit(0, EgressTerms, k.Egress)
	visit(1, IngressTerms, k.Source)
	visit(2, IngressTerms, k.Destination)
	visit(3, ReplyEgressTerms, k.ReplyEgress)
	visit(4, ReplyIngressTerms, k.ReplyIngress)
}

// FindCandidates finds the candidates of two classes.
func (c *Classes) FindCandidates(a, b int32, m ConnectionMode, into *Candidates) {
	ka, kb := c.termSides(a), c.termSides(b)
	into.Egress, into.Source, into.Destination = into.Egress[:0], into.Source[:0], into.Destination[:0]
	into.ReplyEgress = appendCommon(into.ReplyEgress[:0], ka.outTerms[ReplyEgressTerms], kb.inTerms[ReplyEgressTerms])
	into.ReplyIngress = appendCommon(into.ReplyIngress[:0], ka.outTerms[ReplyIngressTerms], kb.inTerms[ReplyIngressTerms])
	if m != Arriving {
		into.Egress = appendCommon(into.Egress, ka.outTerms[EgressTerms], kb.inTerms[EgressTerms])
	}
	terms := c.Index.Terms[IngressTerms]
	for w := range ka.outTerms[IngressTerms] {
		v := ka.outTerms[IngressTerms][w] & kb.inTerms[IngressTerms][w]
		for ; v != 0; v &= v - 1 {
			i := int32(w*64 + bits.TrailingZeros64(v))
			switch at := terms[i].Switch; {
			case m == SameNode:
				into.Destination = append(into.Destination, i)
			default:
				if at&AtSource != 0 && m != Arriving {
					into.Source = append(into.Source, i)
				}
				if at&AtDestination != 0 && m != Leaving {
					into.Destination = append(into.Destination, i)
				}
			}
		}
	}
}

func appendCommon(into []int32, a, b Set) []int32 {
	for w := range a {
		for v := a[w] & b[w]; v != 0; v &= v - 1 {
			into = append(into, int32(w*64+bits.TrailingZeros64(v)))
		}
	}
	return into
}

// NodesMatter says whether it matters that the pods are on one node: where something can
// match on the source's switch.
func (c *Classes) NodesMatter(a, b int32) bool {
	if !c.nodesMatter {
		return false
	}
	ka, kb := c.termSides(a), c.termSides(b)
	terms := c.Index.Terms[IngressTerms]
	for w := range ka.outTerms[IngressTerms] {
		for v := ka.outTerms[IngressTerms][w] & kb.inTerms[IngressTerms][w]; v != 0; v &= v - 1 {
			if terms[w*64+bits.TrailingZeros64(v)].Switch == AtSource {
				return true
			}
		}
	}
	return false
}

// Key is equal for equal candidates.
func (k *Candidates) Key(buf []byte) []byte {
	for _, list := range [...][]int32{k.Egress, k.Source, k.Destination, k.ReplyEgress, k.ReplyIngress} {
		for _, i := range list {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(i))
		}
		buf = append(buf, 0xff, 0xff, 0xff, 0xff)
	}
	return buf
}

// maxMemo bounds how many profiles are kept: where every pod has labels of its own, hardly
// any is asked for again.
const maxMemo = 20_000

// ProfileOf works out what becomes of every port.
func (c *Classes) ProfileOf(k *Candidates, buf []byte) *Profile {
	buf = k.Key(buf[:0])
	if p := c.memo[string(buf)]; p != nil {
		return p
	}
	p := &Profile{portSegments(func(proto int8) []uint16 { return c.PortEdges(k, proto) },
		func(proto int8, port uint16) Verdict { return c.verdictAt(k, proto, port) })}
	if len(c.memo) < maxMemo {
		c.memo[string(buf)] = p
	}
	return p
}

// portSegments are the segments of all ports, which have one verdict from each edge to the next.
func portSegments(edges func(proto int8) []uint16, verdict func(proto int8, port uint16) Verdict) (out []Segment) {
	for proto := range int8(len(Protocols)) {
		at := edges(proto)
		for i, lo := range at {
			hi := uint16(LastPort)
			if proto == int8(ICMP.Number()) {
				hi = 0
			} else if i+1 < len(at) {
				hi = at[i+1] - 1
			}
			v := verdict(proto, lo)
			if n := len(out); n > 0 && out[n-1].Protocol == Protocols[proto] && out[n-1].Verdict == v {
				out[n-1].Hi = hi
				continue
			}
			out = append(out, Segment{Protocols[proto], lo, hi, v})
		}
	}
	return out
}

// PortEdges are the ports at which something may change.
func (c *Classes) PortEdges(k *Candidates, proto int8) []uint16 {
	if proto == int8(ICMP.Number()) {
		return []uint16{0}
	}
	out := []uint16{1}
	k.EachWalk(func(_, stage int, list []int32) { out = AddPortEdges(out, list, c.Index.Terms[stage], proto) })
	slices.Sort(out)
	return slices.Compact(out)
}

// verdictAt is the verdict for one port.
func (c *Classes) verdictAt(k *Candidates, proto int8, port uint16) Verdict {
	v := Allow
	k.EachWalk(func(_, stage int, list []int32) {
		if v != Deny && len(list) > 0 {
			v = JoinVerdicts(v, WalkVerdict(list, c.Index.Terms[stage], proto, port, &c.hits))
		}
	})
	return v
}

func JoinSegments(p, q []Segment) (out []Segment) {
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := p[i], q[j]
		hi := min(s.Hi, t.Hi)
		out = append(out, Segment{s.Protocol, max(s.Lo, t.Lo), hi, JoinVerdicts(s.Verdict, t.Verdict)})
		if s.Hi == hi {
			i++
		}
		if t.Hi == hi {
			j++
		}
	}
	return out
}
