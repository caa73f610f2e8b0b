package verify

import (
	"net/netip"
	"slices"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/matrix"
	"rung/model/verdict/walk"
)

// tally counts what speaks against a statement.
type tally struct {
	s              *Statement
	pairs, against int
	witness        verdict.Connection
	failed         bool // the statement cannot be asked
	enough         bool // the one connection that is wanted was found
	last           [2]verdict.Endpoint
	hangs          *hanging
	counted        bool // the pair at hand speaks against it, in a family that was asked before
}

// next counts two ends once, whatever number of families they have: those follow each other.
func (t *tally) next(c verdict.Connection) {
	ends := [2]verdict.Endpoint{c.From, c.To}
	for i := range ends {
		if ends[i].Key.Name != "" {
			ends[i].Addr = netip.Addr{}
		}
	}
	if t.pairs == 0 || ends != t.last {
		t.pairs, t.last, t.counted = t.pairs+1, ends, false
	}
}

// speaks counts the pair at hand among those that speak against the statement.
func (t *tally) speaks(c verdict.Connection, g matrix.Segment) {
	if t.counted {
		return
	}
	t.counted = true
	t.against++
	if t.against == 1 {
		t.note(c, g)
	}
}

// pair takes in what becomes of the connections between two ends, port by port: segments
// are those of the statement's ports. It says whether more has to be asked.
func (t *tally) pair(c verdict.Connection, segments []matrix.Segment) bool {
	if len(segments) == 0 {
		return true
	}
	t.next(c)
	for _, g := range segments {
		if (g.Verdict == t.s.Expect) != t.s.Some {
			continue
		}
		if t.s.Some {
			t.enough = true
			t.hangs = newHanging(t.hangs.filter, t.hangs.ask) // on what the others are, nothing hangs
			t.hangs.pair(c, []matrix.Segment{g})
			return false
		}
		t.speaks(c, g)
		return true
	}
	t.hangs.pair(c, segments)
	if t.s.Some {
		t.speaks(c, segments[0])
	}
	return true
}

func (t *tally) note(c verdict.Connection, g matrix.Segment) {
	t.witness = c
	t.witness.Protocol, t.witness.Port = g.Protocol, g.Lo
}

// cut are the segments of some ports.
func cut(all []matrix.Segment, ports []verdict.PortRange) (out []matrix.Segment) {
	for _, p := range ports {
		for _, g := range all {
			if lo, hi := max(p.Lo, g.Lo), min(p.Hi, g.Hi); p.Protocol == g.Protocol && lo <= hi {
				out = append(out, matrix.Segment{Protocol: p.Protocol, Lo: lo, Hi: hi, Verdict: g.Verdict})
			}
		}
	}
	return out
}

// byPolicies asks the policies: of pods all at once, by classes, of others one by one.
func (j *judge) byPolicies(s *Statement, from, to *found, t *tally) error {
	x := j.rev.Verdicts()
	if j.classes == nil && len(from.pods) > 0 && len(to.pods) > 0 {
		j.classes = matrix.ClassesOf(x, nil)
	}
	more := true
	if len(from.pods) > 0 && len(to.pods) > 0 {
		j.classes.VisitPodPairs(from.pods, to.pods, func(c matrix.PodPair) bool {
			more = t.pair(verdict.Connection{From: c.From, To: c.To, Family: c.Family}, cut(c.Segments, s.Ports)) && j.on()
			return more
		})
	}
	if !more || j.ctx.Err() != nil {
		return j.ctx.Err()
	}
	cuts := x.PortSlices(s.Ports, nil)
	ports := func(_, _ verdict.Endpoint) []verdict.PortRange { return cuts }
	ask := func(c verdict.Connection) (verdict.Answer, error) { return walk.FromPolicies(x, c) }
	pods := podEnds(from.pods)
	if more, err := j.each(s, pods, to.others, ports, t, ask); err != nil || !more {
		return err
	}
	_, err := j.each(s, from.others, slices.Concat(podEnds(to.pods), to.others), ports, t, ask)
	return err
}

// byRows asks the rows, pair by pair.
func (j *judge) byRows(s *Statement, from, to *found, t *tally) error {
	x := j.rev.Verdicts()
	ask := func(c verdict.Connection) (verdict.Answer, error) {
		a, err := j.tracer.Ask(j.rev, c, trace.Rows, false, j.asked.Now)
		if err != nil {
			return verdict.Answer{}, err
		}
		return a.Answer, nil
	}
	ports := func(a, b verdict.Endpoint) []verdict.PortRange { return x.PortSlices(s.Ports, j.rowPorts(s, a, b)) }
	_, err := j.each(s, slices.Concat(podEnds(from.pods), from.others), slices.Concat(podEnds(to.pods), to.others), ports, t, ask)
	return err
}

func podEnds(pods []*model.Pod) (out []verdict.Endpoint) {
	for _, p := range pods {
		out = append(out, verdict.Endpoint{Key: p.Key})
	}
	return out
}

// on says whether to go on; it looks at the context now and then.
func (j *judge) on() bool {
	j.n++
	return j.n%1024 != 0 || j.ctx.Err() == nil
}

// asking answers a question, from policies or rows.
type asking func(verdict.Connection) (verdict.Answer, error)

// portsAsked are the ports asked about between two ends, in pieces.
type portsAsked func(a, b verdict.Endpoint) []verdict.PortRange

// each asks about ends one by one.
func (j *judge) each(s *Statement, from, to []verdict.Endpoint, ports portsAsked, t *tally, ask asking) (more bool, err error) {
	for i, a := range from {
		for k, b := range to {
			if j.asked.Progress != nil {
				j.asked.Progress(s, i*len(to)+k, len(from)*len(to))
			}
			if a == b && a.Key.Kind != "" {
				continue
			}
			if more, err := j.one(s, a, b, ports(a, b), t, ask); err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}

// one asks about two ends, in each family that both have.
func (j *judge) one(s *Statement, a, b verdict.Endpoint, ports []verdict.PortRange, t *tally, ask asking) (more bool, err error) {
	ports = j.portsOf(s, b, ports, t)
	if ports == nil {
		return false, nil
	}
	type inFamily struct {
		c        verdict.Connection
		segments []matrix.Segment
		none     bool // no policy is asked
	}
	var all []inFamily
	applies := false
	for _, family := range j.families(a, b) {
		in := inFamily{c: verdict.Connection{From: a, To: b, Family: family}, none: true}
		for _, p := range ports {
			c := in.c
			c.Protocol, c.Port = p.Protocol, p.Lo
			if !j.on() {
				return false, j.ctx.Err()
			}
			answer, err := ask(c)
			switch {
			case err != nil:
				j.problem(s.Place, "%s: %v", c, err)
				t.failed = true
				return false, nil
			case (b.Key.Kind == model.KindService || answer.Front != nil) && len(answer.Paths) == 0:
				j.problem(s.To[0].Place, "%s", answer.Reason)
				t.failed = true
				return false, nil
			}
			in.none = in.none && answer.Verdict == verdict.NotApplicable
			in.segments = append(in.segments, matrix.Segment{Protocol: p.Protocol, Lo: p.Lo, Hi: p.Hi, Verdict: answer.Verdict})
		}
		applies = applies || !in.none
		all = append(all, in)
	}
	for _, in := range all {
		// In a family in which one of them has no address for this, there is no connection.
		if in.none && (applies || len(all) > 1 && in.c.Family == verdict.IPv6) {
			continue
		}
		if !t.pair(in.c, in.segments) {
			return false, nil
		}
	}
	return true, nil
}
