package verdict

// Grid computes once what many pairs of classes have in common. The candidates of a walk are the terms whose
// source condition the source meets and whose destination condition the destination meets. Few of these sets
// differ even among many classes, since a policy's rules share their subject. Grids must not be used
// concurrently.
type Grid struct {
	Classes *Classes
	// out and in number the distinct sets of terms that classes meet as source and as destination, by stage.
	// outs and ins count them.
	out, in   [StageCount][]int32
	outs, ins [StageCount]int
	// switchTerms are the terms that can match on the source's and on the destination's switch.
	switchTerms [2]Set
	// answers caches answerWalk plus one, by kind of walk and both numbers; 0 if not yet computed.
	answers [walkKinds][][]int32
	// answerWalk returns a number, at least 0, about the terms of a walk; it must not keep met.
	answerWalk func(kind WalkKind, met Set) int32
	metTerms   Set
	raw        []byte
}

// WalkKind is one kind of walk through a stage, with the terms that apply.
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
	noWalk
)

// walksOfMode are the walks by connection mode: egress at the source, ingress on the source's and the
// destination's switch, replies at their beginning and at their end.
var walksOfMode = [...][Walks]WalkKind{
	FarAway:  {egressWalk, sourceWalk, destinationWalk, replyEgressWalk, replyIngressWalk},
	SameNode: {egressWalk, noWalk, nearWalk, replyEgressWalk, replyIngressWalk},
	Leaving:  {egressWalk, sourceWalk, noWalk, replyEgressWalk, replyIngressWalk},
	Arriving: {noWalk, noWalk, destinationWalk, replyEgressWalk, replyIngressWalk},
}

// walkStages are the stages of the walks of a connection.
var walkStages = [Walks]int{EgressTerms, IngressTerms, IngressTerms, ReplyEgressTerms, ReplyIngressTerms}

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

// Walks is the number of walks of a connection.
const Walks = 5

var replyWalks = [...]WalkKind{replyEgressWalk, replyIngressWalk}

// hasTerms reports whether a walk has any terms.
func (g *Grid) hasTerms(kind WalkKind) bool { return len(g.Classes.Index.Terms[kind.Stage()]) > 0 }

// mostCells bounds the cache of a kind of walk. Above it, answers are computed again.
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

// numberSets numbers the sets of the classes; equal sets get the same number.
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

// WalkAnswers returns the answers about the walks from one class to another, in the order of walksOfMode; -1
// for no walk.
func (g *Grid) WalkAnswers(a, b int32, how ConnectionMode) (way [Walks]int32) {
	for i, kind := range walksOfMode[how] {
		way[i] = -1
		if kind != noWalk && (walkStages[i] < ReplyEgressTerms || g.hasTerms(kind)) {
			way[i] = g.walkAnswer(kind, a, b)
		}
	}
	return way
}

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

// WalkResults holds the verdicts of ports in walks.
type WalkResults struct {
	RunTable[Verdict]
	ports Ports // the only port, or zero for all
	hits  []Hit
}

// NewWalkResults makes an empty table for one port, or for all.
func NewWalkResults(p Ports) WalkResults {
	appendOutcome := func(raw []byte, v Verdict) []byte { return append(raw, byte(NewOutcome(v))) }
	return WalkResults{ports: p, RunTable: RunTable[Verdict]{Raw: appendOutcome}}
}

// InternResult returns the number of the result of a walk through some terms. It looks at the ports where these
// terms, or others, begin or stop matching.
func (r *WalkResults) InternResult(list []int32, terms []Term, others ...[]int32) int32 {
	if r.ports != (Ports{}) {
		p := r.ports
		return r.InternRuns([]Segment{{p.Protocol, p.Port, p.Port, WalkVerdict(list, terms, int8(p.Protocol.Number()), p.Port, &r.hits)}})
	}
	return r.InternRuns(CollectRuns(func(proto int8) []uint16 { return PortEdges(proto, terms, append(others, list)...) },
		func(proto int8, port uint16) Verdict { return WalkVerdict(list, terms, proto, port, &r.hits) }))
}

// joinResults returns the joined result of two walks.
func (r *WalkResults) joinResults(a, b int32) int32 {
	if a == b {
		return a
	}
	return r.InternRuns(JoinRuns(r.Lists[a], r.Lists[b], JoinVerdicts))
}
