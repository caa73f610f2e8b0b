package verdict

import (
	"encoding/binary"
)

// Grid works out once what many pairs of classes have in common. The candidates of a walk
// are the terms whose one side the source meets and whose other side the destination
// meets. There are few different sets of these even where classes are many: a policy's
// rules have their subject in common. It is for one goroutine at a time.
type Grid struct {
	Classes *Classes
	// out and in number the distinct sets of terms of the classes, by stage: those met as the
	// source, and as the destination. outs and ins count them.
	out, in   [StageCount][]int32
	outs, ins [StageCount]int
	// switchTerms are the terms that can match on the source's switch, and on the destination's.
	switchTerms [2]Set
	// answers holds the answers of answerWalk plus one, by kind of walk and both numbers; 0 where it
	// was not asked.
	answers [walkKinds][][]int32
	// answerWalk says something of the terms of a walk, never less than 0; it must not keep them.
	answerWalk func(kind WalkKind, met Set) int32
	metTerms   Set
	raw        []byte
}

// WalkKind says of which of its terms a stage is walked.
type WalkKind uint8

// The kinds of walks.
const (
	egressWalk       WalkKind = iota
	nearWalk                  // ingress, between pods of one node
	sourceWalk                // ingress, on the source's switch
	destinationWalk           // ingress, on the destination's
	farWalk                   // ingress, on both
	replyEgressWalk           // replies, where they begin
	replyIngressWalk          // replies, where the connection began
	walkKinds
)

func (k WalkKind) Stage() int {
	switch k {
	case egressWalk:
		return EgressTerms
	case replyEgressWalk:
		return ReplyEgressTerms
	case replyIngressWalk:
		return ReplyIngressTerms
	}
	return IngressTerms
}

// Walks counts the walks of a connection.
const Walks = 5

var replyWalks = [...]WalkKind{replyEgressWalk, replyIngressWalk}

// hasTerms reports whether any term is asked in a walk.
func (g *Grid) hasTerms(kind WalkKind) bool { return len(g.Classes.Index.Terms[kind.Stage()]) > 0 }

// mostCells bounds what is kept by kind of walk; where sources and destinations are both
// many it is found out again.
const mostCells = 4_000_000

func NewGrid(c *Classes, make func(kind WalkKind, met Set) int32) *Grid {
	g := &Grid{Classes: c, answerWalk: make}
	for stage := range g.out {
		g.out[stage], g.outs[stage] = g.numberSets(func(k *Class) Set { return k.outTerms[stage] })
		g.in[stage], g.ins[stage] = g.numberSets(func(k *Class) Set { return k.inTerms[stage] })
	}
	terms := c.Index.Terms[IngressTerms]
	for side, where := range [...]HopSwitch{AtSource, AtDestination} {
		g.switchTerms[side] = NewSet(len(terms))
		for i := range terms {
			if terms[i].Switch&where != 0 {
				g.switchTerms[side].Add(int32(i))
			}
		}
	}
	return g
}

// numberSets gives equal sets of classes the same number.
func (g *Grid) numberSets(sets func(*Class) Set) (of []int32, n int) {
	known := map[string]int32{}
	of = make([]int32, len(g.Classes.List))
	for i := range of {
		g.raw = AppendSet(g.raw[:0], sets(g.Classes.termSides(int32(i))))
		id, is := known[string(g.raw)]
		if !is {
			id = int32(len(known))
			known[string(g.raw)] = id
		}
		of[i] = id
	}
	return of, len(known)
}

// WalkAnswers returns make's answers about the walks of the connections from a class to
// another, as in Candidates: at the source's egress, where they arrive on the
// source's switch and on the destination's, and where replies begin and arrive; -1 for none.
func (g *Grid) WalkAnswers(a, b int32, how ConnectionMode) [Walks]int32 {
	way := [Walks]int32{-1, -1, -1, -1, -1}
	for i, kind := range replyWalks {
		if g.hasTerms(kind) {
			way[3+i] = g.walkAnswer(kind, a, b)
		}
	}
	if how != Arriving {
		way[0] = g.walkAnswer(egressWalk, a, b)
	}
	switch how {
	case SameNode:
		way[2] = g.walkAnswer(nearWalk, a, b)
	case Leaving:
		way[1] = g.walkAnswer(sourceWalk, a, b)
	case Arriving:
		way[2] = g.walkAnswer(destinationWalk, a, b)
	default:
		way[1] = g.walkAnswer(sourceWalk, a, b)
		way[2] = g.walkAnswer(destinationWalk, a, b)
	}
	return way
}

// walkAnswer returns make's answer about one walk of the connections from a class to another.
func (g *Grid) walkAnswer(kind WalkKind, a, b int32) int32 {
	stage := kind.Stage()
	if g.outs[stage]*g.ins[stage] > mostCells {
		return g.makeAnswer(kind, a, b)
	}
	if g.answers[kind] == nil {
		g.answers[kind] = make([][]int32, g.outs[stage])
	}
	row := &g.answers[kind][g.out[stage][a]]
	if *row == nil {
		*row = make([]int32, g.ins[stage])
	}
	at := &(*row)[g.in[stage][b]]
	if *at == 0 {
		*at = 1 + g.makeAnswer(kind, a, b)
	}
	return *at - 1
}

func (g *Grid) makeAnswer(kind WalkKind, a, b int32) int32 {
	out, in := g.Classes.termSides(a).outTerms[kind.Stage()], g.Classes.termSides(b).inTerms[kind.Stage()]
	g.metTerms = g.metTerms[:0]
	for w := range out {
		v := out[w] & in[w]
		switch kind {
		case sourceWalk:
			v &= g.switchTerms[0][w]
		case destinationWalk:
			v &= g.switchTerms[1][w]
		}
		g.metTerms = append(g.metTerms, v)
	}
	return g.answerWalk(kind, g.metTerms)
}

// WalkResults number what becomes of the ports in walks: equal for equal.
type WalkResults struct {
	ports   Ports // the one port that is asked about, zero for all
	numbers map[string]int32
	ByPort  [][]Segment
	hits    []Hit
	raw     []byte
}

// ResultOf is the result of a walk through some terms; something changes only at the ports of
// those and of others.
func (r *WalkResults) ResultOf(list []int32, terms []Term, others ...[]int32) int32 {
	if r.ports != (Ports{}) {
		p := r.ports
		return r.resultNumber([]Segment{{p.Protocol, p.Port, p.Port, WalkVerdict(list, terms, int8(p.Protocol.Number()), p.Port, &r.hits)}})
	}
	return r.resultNumber(portSegments(func(proto int8) []uint16 { return PortEdges(proto, terms, append(others, list)...) },
		func(proto int8, port uint16) Verdict { return WalkVerdict(list, terms, proto, port, &r.hits) }))
}

func (r *WalkResults) resultNumber(s []Segment) int32 {
	r.raw = r.raw[:0]
	for i := range s {
		r.raw = append(binary.BigEndian.AppendUint16(append(r.raw, byte(s[i].Protocol.Number())), s[i].Hi), byte(OutcomeOf(s[i].Verdict)))
	}
	id, known := r.numbers[string(r.raw)]
	if !known {
		id = int32(len(r.ByPort))
		if r.numbers == nil {
			r.numbers = map[string]int32{}
		}
		r.numbers[string(r.raw)] = id
		r.ByPort = append(r.ByPort, s)
	}
	return id
}

// joinResults is the result of two walks together.
func (r *WalkResults) joinResults(a, b int32) int32 {
	if a == b {
		return a
	}
	return r.resultNumber(mergedSegments(JoinSegments(r.ByPort[a], r.ByPort[b])))
}

// mergedSegments joins neighbours to which the same happens, in place.
func mergedSegments(s []Segment) []Segment {
	out := s[:0]
	for _, next := range s {
		if n := len(out); n > 0 && out[n-1].Protocol == next.Protocol && out[n-1].Verdict == next.Verdict {
			out[n-1].Hi = next.Hi
			continue
		}
		out = append(out, next)
	}
	return out
}
