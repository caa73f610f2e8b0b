package verify

import (
	"net/netip"
	"slices"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
)

// statementTally counts the pairs of ends that contradict a statement.
type statementTally struct {
	s                   *Statement
	pairs, pairsAgainst int
	witness             verdict.Connection
	failed              bool // cannot be asked
	enough              bool // the one wanted connection was found
	lastPair            [2]verdict.Endpoint
	omissions           *omissionFinder
	isCounted           bool // the current pair was counted as contradicting in an earlier family
}

// countEnds counts two ends once for all their families, which follow each other.
func (t *statementTally) countEnds(c verdict.Connection) {
	ends := [2]verdict.Endpoint{c.From, c.To}
	for i := range ends {
		if ends[i].Key.Name != "" {
			ends[i].Addr = netip.Addr{}
		}
	}
	if t.pairs == 0 || ends != t.lastPair {
		t.pairs, t.lastPair, t.isCounted = t.pairs+1, ends, false
	}
}

// countAgainst counts the current pair as contradicting the statement.
func (t *statementTally) countAgainst(c verdict.Connection, g verdict.Segment) {
	if t.isCounted {
		return
	}
	t.isCounted = true
	t.pairsAgainst++
	if t.pairsAgainst == 1 {
		c.Protocol, c.Port = g.Protocol, g.Lo
		t.witness = c
	}
}

// countPair counts the verdicts on the connections between two ends. segments are those of the statement's
// ports. decided is the list for all ports, shared by pairs of the same classes; nil if the pair was asked
// alone. It returns whether to ask more.
func (t *statementTally) countPair(c verdict.Connection, segments, decided []verdict.Segment) bool {
	if len(segments) == 0 {
		return true
	}
	t.countEnds(c)
	for _, g := range segments {
		holds := g.Verdict == t.s.Expect || t.s.Some && g.Verdict == verdict.Mixed
		if holds != t.s.Some {
			continue
		}
		if t.s.Some {
			t.enough = true
			// This connection alone decides, so omissions of others do not matter.
			t.omissions = newOmissionFinder(t.omissions.filter, t.omissions.ask)
			t.omissions.checkPair(c, []verdict.Segment{g})
			return false
		}
		t.countAgainst(c, g)
		return true
	}
	if decided != nil {
		t.omissions.checkPods(c, decided)
	} else {
		t.omissions.checkPair(c, segments)
	}
	if t.s.Some {
		t.countAgainst(c, segments[0])
	}
	return true
}

// segmentsOfPorts restricts segments to some ports.
func segmentsOfPorts(all []verdict.Segment, ports []verdict.PortRange) (out []verdict.Segment) {
	for _, p := range ports {
		for _, g := range all {
			if lo, hi := max(p.Lo, g.Lo), min(p.Hi, g.Hi); p.Protocol == g.Protocol && lo <= hi {
				out = append(out, verdict.Segment{Protocol: p.Protocol, Lo: lo, Hi: hi, Verdict: g.Verdict})
			}
		}
	}
	return out
}

// byPolicies asks the policies: about pods together, by classes, about other ends one by one.
func (j *statementJudge) byPolicies(s *Statement, from, to *foundEnds, t *statementTally) error {
	x := j.rev.Verdicts()
	cuts := x.PortSlices(s.Ports, nil)
	t.omissions.cuts = cuts
	if j.classes == nil && len(from.pods) > 0 && len(to.pods) > 0 {
		j.classes = verdict.NewClasses(x, nil)
	}
	more := true
	if len(from.pods) > 0 && len(to.pods) > 0 {
		j.classes.VisitPodPairs(from.pods, to.pods, func(c verdict.PodPair) bool {
			more = t.countPair(verdict.Connection{From: c.From, To: c.To, Family: c.Family}, segmentsOfPorts(c.Segments, s.Ports), c.Segments) &&
				j.mayContinue()
			return more
		})
	}
	if !more || j.ctx.Err() != nil {
		return j.ctx.Err()
	}
	ports := func(_, _ verdict.Endpoint) []verdict.PortRange { return cuts }
	ask := func(c verdict.Connection) (verdict.Answer, error) { return verdict.FromPolicies(x, c) }
	pods := podEnds(from.pods)
	if more, err := j.askEach(s, pods, to.otherEnds, ports, t, ask); err != nil || !more {
		return err
	}
	_, err := j.askEach(s, from.otherEnds, slices.Concat(podEnds(to.pods), to.otherEnds), ports, t, ask)
	return err
}

// byRows asks the rows, pair by pair.
func (j *statementJudge) byRows(s *Statement, from, to *foundEnds, t *statementTally) error {
	x := j.rev.Verdicts()
	ask := func(c verdict.Connection) (verdict.Answer, error) {
		a, err := j.tracer.Ask(j.rev, c, trace.Rows, false, j.options.Now)
		if err != nil {
			return verdict.Answer{}, err
		}
		return a.Answer, nil
	}
	ports := func(a, b verdict.Endpoint) []verdict.PortRange { return x.PortSlices(s.Ports, j.rowPorts(s, a, b)) }
	_, err := j.askEach(s, slices.Concat(podEnds(from.pods), from.otherEnds), slices.Concat(podEnds(to.pods), to.otherEnds), ports, t, ask)
	return err
}

func podEnds(pods []*model.Pod) []verdict.Endpoint {
	return model.MapList(pods, func(p *model.Pod) verdict.Endpoint { return verdict.Endpoint{Key: p.Key} })
}

// mayContinue reports whether to go on; it checks the context every 1024 calls.
func (j *statementJudge) mayContinue() bool {
	j.n++
	return j.n%1024 != 0 || j.ctx.Err() == nil
}

// connectionAsker answers a question, from policies or rows.
type connectionAsker func(verdict.Connection) (verdict.Answer, error)

// portsAsked returns the ports to ask between two ends, in pieces.
type portsAsked func(a, b verdict.Endpoint) []verdict.PortRange

// askEach asks about ends one by one.
func (j *statementJudge) askEach(s *Statement, from, to []verdict.Endpoint, ports portsAsked, t *statementTally,
	ask connectionAsker) (more bool, err error) {
	for i, a := range from {
		for k, b := range to {
			if j.options.Progress != nil {
				j.options.Progress(s, i*len(to)+k, len(from)*len(to))
			}
			if a == b && a.Key.Kind != "" {
				continue
			}
			if more, err := j.askPair(s, a, b, ports(a, b), t, ask); err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}

// askPair asks about two ends, in each common family.
func (j *statementJudge) askPair(s *Statement, a, b verdict.Endpoint, ports []verdict.PortRange, t *statementTally,
	ask connectionAsker) (more bool, err error) {
	ports = j.portsToAsk(s, b, ports, t)
	if ports == nil {
		return false, nil
	}
	type inFamily struct {
		c        verdict.Connection
		segments []verdict.Segment
		none     bool // no policy applies
	}
	var all []inFamily
	applies := false
	for _, family := range j.commonFamilies(a, b) {
		in := inFamily{c: verdict.Connection{From: a, To: b, Family: family}, none: true}
		for _, p := range ports {
			c := in.c
			c.Protocol, c.Port = p.Protocol, p.Lo
			if !j.mayContinue() {
				return false, j.ctx.Err()
			}
			answer, err := ask(c)
			switch {
			case err != nil:
				j.problem(s.FilePlace, "%s: %v", c, err)
				t.failed = true
				return false, nil
			case (b.Key.Kind == model.KindService || answer.Front != nil) && len(answer.Paths) == 0:
				j.problem(s.To[0].FilePlace, "%s", answer.Reason)
				t.failed = true
				return false, nil
			}
			in.none = in.none && answer.Verdict == verdict.NotApplicable
			in.segments = append(in.segments, verdict.Segment{Protocol: p.Protocol, Lo: p.Lo, Hi: p.Hi, Verdict: answer.Verdict})
		}
		applies = applies || !in.none
		all = append(all, in)
	}
	for _, in := range all {
		// Ends connect only in families in which both have addresses.
		if in.none && (applies || len(all) > 1 && in.c.Family == verdict.IPv6) {
			continue
		}
		if !t.countPair(in.c, in.segments, nil) {
			return false, nil
		}
	}
	return true, nil
}
