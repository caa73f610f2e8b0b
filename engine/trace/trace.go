package trace

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"

	"rung/revision"

	"rung/system"
)

// AnsweredBy says who is asked.
type AnsweredBy int

// By names who can be asked.
const (
	Policies AnsweredBy = iota
	Rows
	Both
)

// Trace is the answer to a question about a connection, in one revision.
type Trace struct {
	Connection verdict.Connection
	Verdict    verdict.Verdict
	Reason     string // of unknown and not applicable
	// Answer is the policies' answer, or the rows' where only they were asked. Rows is the rows'
	// answer where both were asked, else nil.
	Answer verdict.Answer
	Rows   *verdict.Answer
	// Paths is one, or for a Service one for each of its endpoints; none where no policy is
	// asked.
	Paths []Path
	// Disagree are the stages at which policies and rows say different things.
	Disagree []Disagreement
	// Of2016 is set where the rows alone were asked, and the policies say otherwise since the
	// isolation annotation of 2016 counts.
	Of2016 *model.Finding

	// NotConsidered are circumstances left out of the answer that could have changed it.
	NotConsidered []model.Omission
	// Families are the answers for IPv4 and IPv6 where both were asked and they differ. The
	// other fields are then of the family whose verdict comes first of deny, unknown, undefined
	// and allow; Verdict and Reason are of both together.
	Families []*Trace
	// Through is the answer for the Service that alone has the port, nil for none.
	Through *ServiceAnswer

	today     *verdict.Answer // of the policies without that annotation, made when it is needed
	otherwise string
}

// Path is the way between two ends.
type Path struct {
	From, To verdict.End
	Verdict  verdict.Verdict
	Reason   string
	Note     string // what is special about the way
	Stages   []Stage
}

// Stage is one walk through the tiers, of one stage in one zone.
type Stage struct {
	*verdict.StageVerdict
	// Rows is the rows' answer, nil where they were not asked.
	Rows *verdict.StageVerdict
	// Idle: nothing decides here, by policies or rows, and nothing has to be told of it.
	Idle bool
	// Unreached: the connection was dropped in a stage before.
	Unreached bool
	Of2016    bool // the rows differ, since the isolation annotation of 2016 has none
	Lines     []TriedLine
	// Would are the rules of ClusterNetworkPolicies that would match, and have no rows.
	Would []WouldMatch
}

// trace.LineKind is the kind of a TriedLine.
type LineKind int

// The lines of a stage.
const (
	Tried     LineKind = iota // it does not match; Why says what keeps it
	Other                     // a policy that is not about this pod
	Passed                    // it matches and passes on to the next tier
	Decides                   // it matches and decides
	Candidate                 // it matches, and so does one that disagrees
	Maybe                     // it cannot be told whether it matches
	NotAsked                  // it would match, but a rule before it passed on to the next tier
	Nothing                   // nothing matched: allowed by default
)

// NoRows says why there are no rows to ask, nil where there are.
func NoRows(r *revision.Revision) error {
	if why := r.System.WhyLacking(system.Rows); why != "" {
		return fmt.Errorf("%w the rows: %s", verdict.ErrQuestion, why)
	}
	return nil
}

// Name is the tier of a line: its name, or OVN's number; empty for none.
func (l *TriedLine) Name() string {
	if l.Band != "" || l.Tier < 0 {
		return l.Band
	}
	return fmt.Sprintf("tier %d", l.Tier)
}

// TriedLine is one thing that was tried in a stage, in the order in which they decide.
type TriedLine struct {
	Kind LineKind
	Tier int
	Band string           // the tier by its name, where tiers have one
	Rule *verdict.Decider // nil for Nothing
	// Why names the part of the rule that does not match, in a word: subject, peer, port,
	// protocol.
	Why string
	// Note explains a mismatch that surprises, in a sentence; mostly empty.
	Note string
}

// Tracer answers questions, and keeps from one to the next what it made of the zones' rows.
// It may be used from any goroutine. The zero value is ready.
type Tracer struct {
	// Compiled asks the rows that the policies compile to, not those of the zones.
	Compiled bool

	matches     verdict.MatchCache
	mu          sync.Mutex
	zones       map[string]*orderedRows
	compiledFor *revision.Revision          // compiledFor compiled zones
	filters     [2]*revision.OmissionFilter // without rows and with them
	omits       *revision.Revision          // of filters
}

// Ask answers a question in one family, that of both ends which it names or the first; with
// tried it says all that was tried. An error is a verdict.ErrQuestion.
func (t *Tracer) Ask(r *revision.Revision, c verdict.Connection, by AnsweredBy, tried bool, now time.Time) (*Trace, error) {
	r, apart, err := revision.ForConnection(r, c)
	if err != nil {
		return nil, err
	}
	if apart != nil {
		return apartTrace(c, apart), nil
	}
	x := r.Verdicts()
	if none := NoRows(r); none != nil && by != Policies {
		if by == Rows {
			return nil, none
		}
		by = Policies
	}
	var a verdict.Answer
	switch {
	case by == Rows:
		a, err = verdict.FromRows(x, rowsOf{t, r}, c)
	case tried:
		a, err = verdict.TracePolicies(x, c)
	default:
		a, err = verdict.FromPolicies(x, c)
	}
	if err != nil {
		return nil, err
	}
	doubtAddresses(r, &a)
	out := &Trace{Connection: c, Verdict: a.Verdict, Reason: a.Reason, Answer: a}
	if by == Both {
		rows, err := verdict.FromRows(x, rowsOf{t, r}, c)
		if err != nil {
			return nil, err
		}
		doubtAddresses(r, &rows)
		out.Rows = &rows
	}
	out.joinPaths()
	if by != Rows {
		if err := out.addIdleRules(r, c); err != nil {
			return nil, err
		}
	}
	if out.Rows != nil {
		out.findDisagreements(r, t.Compiled, now)
	}
	out.NotConsidered = t.omissionFilter(r, by != Policies && !t.Compiled).OmissionsChanging(&out.Answer)
	if by == Rows && tried {
		out.noteRowsAlone(r)
	}
	return out, nil
}

// omissionFilter finds what could change answers; rows says that those of the zones are asked.
func (t *Tracer) omissionFilter(r *revision.Revision, rows bool) *revision.OmissionFilter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.omits != r {
		t.omits, t.filters = r, [2]*revision.OmissionFilter{revision.NewFilter(r, false), revision.NewFilter(r, true)}
	}
	if rows {
		return t.filters[1]
	}
	return t.filters[0]
}

// Databases are the rows that are asked: those of the zones that were read, or those that
// the policies compile to.
func (t *Tracer) Databases(r *revision.Revision) (out []*nb.DB) {
	if t.Compiled {
		for n := range r.Cluster.Nodes() {
			out = append(out, revision.CompiledDatabase(r, n.Name))
		}
		return out
	}
	for _, z := range r.Zones {
		if z.DB != nil {
			out = append(out, z.DB)
		}
	}
	return out
}

// RowPorts are the ports at which rows may cut the connections between the ends of one.
func (t *Tracer) RowPorts(r *revision.Revision, c verdict.Connection) ([]uint16, error) {
	return verdict.RowPorts(r.Verdicts(), rowsOf{t, r}, c)
}

// Zones are the names of the zones the connection comes through, each once.
func (t *Trace) Zones() (out []string) {
	for _, f := range t.Families {
		for _, z := range f.Zones() {
			if !slices.Contains(out, z) {
				out = append(out, z)
			}
		}
	}
	for i := range t.Paths {
		for j := range t.Paths[i].Stages {
			if z := t.Paths[i].Stages[j].Zone; !slices.Contains(out, z) {
				out = append(out, z)
			}
		}
	}
	return out
}

// joinPaths joins the two answers stage by stage.
func (t *Trace) joinPaths() {
	for i := range t.Answer.Paths {
		from := &t.Answer.Paths[i]
		p := Path{From: from.From, To: from.To, Verdict: from.Verdict, Reason: from.Reason, Note: from.Note}
		dropped := false
		for j := range from.Stages {
			s := Stage{StageVerdict: &from.Stages[j], Idle: stageIsIdle(from, j), Unreached: dropped}
			if t.Rows != nil && i < len(t.Rows.Paths) && j < len(t.Rows.Paths[i].Stages) {
				s.Rows = &t.Rows.Paths[i].Stages[j]
				s.Idle = s.Idle && stageIsIdle(&t.Rows.Paths[i], j)
			}
			s.Lines = linesOf(s.StageVerdict)
			dropped = dropped || s.Verdict == verdict.Deny
			p.Stages = append(p.Stages, s)
		}
		t.Paths = append(t.Paths, p)
	}
}

// stageIsIdle says whether a stage needs no line: nothing decided there, and it is neither the
// one of the source's egress rules nor the last before replies.
func stageIsIdle(p *verdict.Path, i int) bool {
	s := &p.Stages[i]
	if s.Reply {
		return s.Verdict == verdict.Allow && s.Decided == nil
	}
	return i < len(p.Stages)-1 && !p.Stages[i+1].Reply && s.Verdict == verdict.Allow && s.Decided == nil && len(s.Passed) == 0 &&
		(s.Stage != model.StageAfterLB && s.Stage != model.StageEgress || s.Zone != p.Stages[0].Zone)
}

// linesOf are the lines of a stage.
func linesOf(s *verdict.StageVerdict) (out []TriedLine) {
	for i := range s.Tiers {
		for j := range s.Tiers[i].Attempts {
			a := &s.Tiers[i].Attempts[j]
			l := TriedLine{Tier: s.Tiers[i].Tier, Band: s.Tiers[i].Band, Rule: &a.Decider, Why: a.Why, Note: a.Note}
			switch {
			case !a.Matched && a.Rule < 0:
				l.Kind = Other
			case !a.Matched:
			case slices.ContainsFunc(s.Candidates, func(d verdict.Decider) bool { return SameRule(&d, l.Rule) }):
				l.Kind = Candidate
			case slices.ContainsFunc(s.Passed, func(d verdict.Decider) bool { return SameRule(&d, l.Rule) }):
				l.Kind = Passed
			case s.Verdict == verdict.Unknown:
				l.Kind = Maybe
			case s.Decided != nil && SameRule(s.Decided, l.Rule):
				l.Kind = Decides
			default:
				l.Kind = NotAsked
			}
			out = append(out, l)
		}
	}
	if s.Decided == nil && s.Verdict == verdict.Allow {
		out = append(out, TriedLine{Kind: Nothing, Tier: -1})
	}
	return out
}

// SameRule says whether two deciders are one rule. Other deciders have a direction only as rows.
func SameRule(a, b *verdict.Decider) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Policy == b.Policy && a.Action == b.Action && a.Rule == b.Rule && (a.Rule < 0 || a.Direction == b.Direction)
}
