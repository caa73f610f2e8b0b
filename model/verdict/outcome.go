package verdict

import (
	"encoding/binary"
	"math/bits"
)

// Outcome is the outcome of a connection, or the set of outcomes of several.
type Outcome uint8

// The outcomes; several together are mixed.
const (
	Allowed Outcome = 1 << iota
	Denied
	UndefinedOutcome
	UnknownOutcome
	MixedOutcome // endpoints of a Service are decided differently
)

var outcomes = [...]Verdict{Allow, Deny, Undefined, Unknown, Mixed}

// NewOutcome returns the outcome of one verdict, 0 if no policy applies.
func NewOutcome(v Verdict) Outcome {
	for i, known := range outcomes {
		if v == known {
			return 1 << i
		}
	}
	return 0
}

// Verdict returns the only verdict. ok is false for several verdicts or none.
func (o Outcome) Verdict() (v Verdict, ok bool) {
	if o == 0 || o&(o-1) != 0 {
		return "", false
	}
	return outcomes[bits.TrailingZeros8(uint8(o))], true
}

// Run is a range of ports of one protocol with the same verdict, or another common value. ICMP has port 0.
type Run[V comparable] struct {
	Protocol Protocol
	Lo, Hi   uint16
	Verdict  V
}

// Segment is a run of ports with the same verdict.
type Segment = Run[Verdict]

// Ports returns the ports of the run.
func (r *Run[V]) Ports() PortRange { return PortRange{r.Protocol, r.Lo, r.Hi} }

// CollectRuns returns the runs of all ports. verdict is evaluated at each edge and holds up to the next.
func CollectRuns[V comparable](edges func(proto int8) []uint16, verdict func(proto int8, port uint16) V) (out []Run[V]) {
	for proto := range int8(len(Protocols)) {
		at := edges(proto)
		for i, lo := range at {
			hi := uint16(LastPort)
			if proto == int8(ICMP.Number()) {
				hi = 0
			} else if i+1 < len(at) {
				hi = at[i+1] - 1
			}
			out = appendRun(out, Run[V]{Protocols[proto], lo, hi, verdict(proto, lo)})
		}
	}
	return out
}

// appendRun appends a run, or extends the last one if its protocol and verdict are equal.
func appendRun[V comparable](all []Run[V], r Run[V]) []Run[V] {
	if n := len(all); n > 0 && all[n-1].Protocol == r.Protocol && all[n-1].Verdict == r.Verdict {
		all[n-1].Hi = r.Hi
		return all
	}
	return append(all, r)
}

// EachOverlap visits the common runs of two lists, each of which covers all ports.
func EachOverlap[P, Q comparable](p []Run[P], q []Run[Q], visit func(ports PortRange, of *P, and *Q)) {
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := &p[i], &q[j]
		hi := min(s.Hi, t.Hi)
		visit(PortRange{s.Protocol, max(s.Lo, t.Lo), hi}, &s.Verdict, &t.Verdict)
		if s.Hi == hi {
			i++
		}
		if t.Hi == hi {
			j++
		}
	}
}

// JoinRuns joins two lists that each cover all ports.
func JoinRuns[P, Q, V comparable](p []Run[P], q []Run[Q], join func(P, Q) V) (out []Run[V]) {
	EachOverlap(p, q, func(at PortRange, of *P, and *Q) {
		out = appendRun(out, Run[V]{at.Protocol, at.Lo, at.Hi, join(*of, *and)})
	})
	return out
}

// RunTable numbers lists of runs; equal lists get the same number. Raw appends a verdict as bytes.
type RunTable[V comparable] struct {
	Raw     func([]byte, V) []byte
	Lists   [][]Run[V] // by their numbers
	numbers map[string]int32
	raw     []byte
}

// InternRuns returns the number of a list, which the table keeps.
func (t *RunTable[V]) InternRuns(list []Run[V]) int32 {
	t.raw = t.raw[:0]
	for i := range list {
		r := &list[i]
		t.raw = t.Raw(binary.BigEndian.AppendUint16(append(t.raw, byte(r.Protocol.Number())), r.Hi), r.Verdict)
	}
	id, known := t.numbers[string(t.raw)]
	if !known {
		id = int32(len(t.Lists))
		if t.numbers == nil {
			t.numbers = map[string]int32{}
		}
		t.numbers[string(t.raw)] = id
		t.Lists = append(t.Lists, list)
	}
	return id
}

// ConnectionMode is how the connections between two classes go.
type ConnectionMode uint8

const (
	FarAway  ConnectionMode = iota // between pods of two nodes
	SameNode                       // between pods of one node
	Leaving                        // from a pod to an address outside
	Arriving                       // from an address outside to a pod
)

// NodesMatter reports whether it matters that both pods are on the same node: something may match on the
// source's switch.
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
