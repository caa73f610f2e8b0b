package verdict

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Outcome is what becomes of a connection, or all that becomes of several.
type Outcome uint8

// The outcomes; more than one of them is mixed.
const (
	Allowed Outcome = 1 << iota
	Denied
	IsUndefined
	IsUnknown
)

var outcomes = [...]Verdict{Allow, Deny, Undefined, Unknown}

// OutcomeOf is the outcome of one verdict, 0 where no policy is asked.
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

// Segment is a run of ports of one protocol to all of which the same happens. ICMP has
// ports 0 to 0.
type Segment struct {
	Protocol Protocol
	Lo, Hi   uint16
	Verdict  Verdict
}

// profile is what becomes of the connections between two classes, for every port.
type profile struct {
	segments []Segment
	any      Outcome
}

// mode is how the connections of two classes go.
type mode uint8

const (
	farAway  mode = iota // between pods of two nodes
	sameNode             // between pods of one
	leaving              // from a pod to an address outside
	arriving             // from an address outside to a pod
)

// candidates are the terms of which both ends meet the conditions, by walk: that after
// load balancing, that to the port on the source's switch, that to the destination's.
type candidates struct{ egress, source, destination []int32 }

// between finds the candidates of two classes.
func (c *Classes) between(a, b int32, m mode, into *candidates) {
	ka, kb := c.sides(a), c.sides(b)
	into.egress, into.source, into.destination = into.egress[:0], into.source[:0], into.destination[:0]
	if m != arriving {
		into.egress = both(into.egress, ka.out[egressTerms], kb.in[egressTerms])
	}
	terms := c.x.terms[ingressTerms]
	for w := range ka.out[ingressTerms] {
		v := ka.out[ingressTerms][w] & kb.in[ingressTerms][w]
		for ; v != 0; v &= v - 1 {
			i := int32(w*64 + bits.TrailingZeros64(v))
			switch at := terms[i].at; {
			case m == sameNode:
				into.destination = append(into.destination, i)
			default:
				if at&atSource != 0 && m != arriving {
					into.source = append(into.source, i)
				}
				if at&atDestination != 0 && m != leaving {
					into.destination = append(into.destination, i)
				}
			}
		}
	}
}

func both(into []int32, a, b set) []int32 {
	for w := range a {
		for v := a[w] & b[w]; v != 0; v &= v - 1 {
			into = append(into, int32(w*64+bits.TrailingZeros64(v)))
		}
	}
	return into
}

// sensitive says whether it matters that the pods are on one node: where something can
// match on the source's switch.
func (c *Classes) sensitive(a, b int32) bool {
	if !c.near {
		return false
	}
	ka, kb := c.sides(a), c.sides(b)
	terms := c.x.terms[ingressTerms]
	for w := range ka.out[ingressTerms] {
		for v := ka.out[ingressTerms][w] & kb.in[ingressTerms][w]; v != 0; v &= v - 1 {
			if terms[w*64+bits.TrailingZeros64(v)].at == atSource {
				return true
			}
		}
	}
	return false
}

// key is equal for equal candidates.
func (k *candidates) key(buf []byte) []byte {
	for _, list := range [...][]int32{k.egress, k.source, k.destination} {
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

// profile works out what becomes of every port.
func (c *Classes) profile(k *candidates, buf []byte) *profile {
	buf = k.key(buf[:0])
	if p := c.memo[string(buf)]; p != nil {
		return p
	}
	p := &profile{}
	for proto := range int8(len(protocols)) {
		edges := c.edges(k, proto)
		for i, lo := range edges {
			hi := uint16(lastPort)
			if proto == int8(ICMP.number()) {
				hi = 0
			} else if i+1 < len(edges) {
				hi = edges[i+1] - 1
			}
			v := c.at(k, proto, lo)
			if n := len(p.segments); n > 0 && p.segments[n-1].Verdict == v && p.segments[n-1].Protocol == protocols[proto] {
				p.segments[n-1].Hi = hi
				continue
			}
			p.segments = append(p.segments, Segment{protocols[proto], lo, hi, v})
			p.any |= OutcomeOf(v)
		}
	}
	if len(c.memo) < maxMemo {
		c.memo[string(buf)] = p
	}
	return p
}

// edges are the ports at which something may change.
func (c *Classes) edges(k *candidates, proto int8) []uint16 {
	if proto == int8(ICMP.number()) {
		return []uint16{0}
	}
	out := noteEdges([]uint16{1}, k.egress, c.x.terms[egressTerms], proto)
	out = noteEdges(out, k.source, c.x.terms[ingressTerms], proto)
	out = noteEdges(out, k.destination, c.x.terms[ingressTerms], proto)
	slices.Sort(out)
	return slices.Compact(out)
}

// at is the verdict for one port.
func (c *Classes) at(k *candidates, proto int8, port uint16) Verdict {
	v := walk(k.egress, c.x.terms[egressTerms], proto, port, &c.hits)
	for _, list := range [...][]int32{k.source, k.destination} {
		if v == Deny {
			break
		}
		v = worse(v, walk(list, c.x.terms[ingressTerms], proto, port, &c.hits))
	}
	return v
}

func join2(p, q []Segment) (out []Segment) {
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := p[i], q[j]
		hi := min(s.Hi, t.Hi)
		out = append(out, Segment{s.Protocol, max(s.Lo, t.Lo), hi, worse(s.Verdict, t.Verdict)})
		if s.Hi == hi {
			i++
		}
		if t.Hi == hi {
			j++
		}
	}
	return out
}
