package trace

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// AnsweredBy selects who answers.
type AnsweredBy int

// Policies, Rows and Both select who answers.
const (
	Policies AnsweredBy = iota
	Rows
	Both
)

// Trace is the answer to a question about a connection, in one revision.
type Trace struct {
	Connection verdict.Connection
	Verdict    verdict.Verdict
	Reason     string // why Verdict is unknown or not applicable
	// Answer is the policies' answer, or the rows' if only they were asked. Rows is the rows' answer if both
	// were asked, else nil.
	Answer verdict.Answer
	Rows   *verdict.Answer
	// Paths has one path, or one for each endpoint of a Service; none if no policy is asked.
	Paths []Path
	// Disagree lists the stages at which policies and rows disagree.
	Disagree []Disagreement
	// Of2016 is set if only the rows were asked, and the policies differ because the isolation annotation of
	// 2016 counts.
	Of2016 *model.Finding

	// NotConsidered lists omissions that could have changed the answer.
	NotConsidered []model.Omission
	// Families holds the answers for IPv4 and IPv6 if both were asked and differ. The other fields are then of
	// the family whose verdict comes first of deny, unknown, undefined and allow; Verdict and Reason are of
	// both together.
	Families []*Trace
	// ViaService is the answer for the only Service with that port; nil if none.
	ViaService *ServiceAnswer

	today     *verdict.Answer // the policies' answer without that annotation, made on demand
	otherwise string
}

// Path is the path of a connection between two ends, with its verdict and stages.
type Path struct {
	From, To verdict.End
	Verdict  verdict.Verdict
	Reason   string
	Note     string // what is special about the path
	Stages   []Stage
}

// Stage is one walk through the tiers: one stage in one zone.
type Stage struct {
	*verdict.StageVerdict
	// Rows is the rows' answer; nil if they were not asked.
	Rows *verdict.StageVerdict
	// Idle means that nothing decides here, by policies or rows, and nothing needs mention.
	Idle bool
	// Unreached means that an earlier stage denied the connection.
	Unreached bool
	Of2016    bool // rows differ because the isolation annotation of 2016 has none
	Lines     []TriedLine
	// Would lists rules of ClusterNetworkPolicies without rows that would match.
	Would []WouldMatch
}

// LineKind is the kind of a TriedLine.
type LineKind int

// The lines of a stage.
const (
	Tried     LineKind = iota // it does not match; Why says which part
	Other                     // a policy with another subject
	Passed                    // it matches and passes to the next tier
	Decides                   // it matches and decides
	Candidate                 // it matches, and so does a rule that disagrees
	Maybe                     // unknown whether it matches
	NotAsked                  // it would match, but an earlier rule passed to the next tier
	Nothing                   // nothing matched: allowed by default
)

// NoRows returns why rows cannot be asked; nil if they can.
func NoRows(r *revision.Revision) error {
	if why := r.System.WhyLacking(system.Rows); why != "" {
		return fmt.Errorf("%w the rows: %s", verdict.ErrQuestion, why)
	}
	return nil
}

// Name returns the tier's name, or OVN's number; empty if none.
func (l *TriedLine) Name() string {
	return words.Choose(l.Band != "" || l.Tier < 0, l.Band, fmt.Sprintf("tier %d", l.Tier))
}

// TriedLine is a rule or policy tried in a stage. Lines are in order of decision.
type TriedLine struct {
	Kind LineKind
	Tier int
	Band string           // the tier's name, if tiers have names
	Rule *verdict.Decider // nil for Nothing
	// Why names the part of the rule that does not match: subject, peer, port, protocol.
	Why string
	// Note explains a surprising mismatch in a sentence; mostly empty.
	Note string
}

// Tracer answers questions, and caches the sorted rows of zones between them. It may be used from any
// goroutine. The zero value is ready.
type Tracer struct {
	// Compiled asks the desired rows, not the zones' live rows.
	Compiled bool

	matches     verdict.MatchCache
	mu          sync.Mutex
	zones       map[string]*orderedRows
	compiledFor *revision.Revision                // revision of the compiled zones
	filters     map[bool]*revision.OmissionFilter // without rows and with rows
	omits       *revision.Revision                // revision of filters
}

// Ask answers a question in one family: the one named, or the first that both ends have. With tried it lists
// everything tried. An error is a verdict.ErrQuestion.
func (t *Tracer) Ask(r *revision.Revision, c verdict.Connection, by AnsweredBy, tried bool, now time.Time) (*Trace, error) {
	r, apart, err := revision.ForConnection(r, c)
	if err != nil {
		return nil, err
	}
	if apart != nil {
		return separateNetworksTrace(c, apart), nil
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
		a, err = verdict.FromRows(x, tracerRows{t, r}, c)
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
		rows, err := verdict.FromRows(x, tracerRows{t, r}, c)
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
		out.noteRowsOnly(r)
	}
	return out, nil
}

// omissionFilter finds the omissions that could change answers; rows means answers by the zones' rows.
func (t *Tracer) omissionFilter(r *revision.Revision, rows bool) *revision.OmissionFilter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.omits != r {
		t.omits, t.filters = r, map[bool]*revision.OmissionFilter{false: revision.NewFilter(r, false), true: revision.NewFilter(r, true)}
	}
	return t.filters[rows]
}

// Databases returns the rows that are asked: the rows of the zones that were read. With Compiled it returns
// the rows that the policies compile to.
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

// RowPorts returns the ports at which rows may divide the connections between the ends of c.
func (t *Tracer) RowPorts(r *revision.Revision, c verdict.Connection) ([]uint16, error) {
	return verdict.RowPorts(r.Verdicts(), tracerRows{t, r}, c)
}

// Zones returns the names of the zones that the connection passes, each once.
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
			s.Lines = listTriedLines(s.StageVerdict)
			dropped = dropped || s.Verdict == verdict.Deny
			p.Stages = append(p.Stages, s)
		}
		t.Paths = append(t.Paths, p)
	}
}

// stageIsIdle reports whether a stage needs no line: nothing decided, and it is neither the stage of the
// source's egress rules nor the last before replies.
func stageIsIdle(p *verdict.Path, i int) bool {
	s := &p.Stages[i]
	if s.Reply {
		return s.Verdict == verdict.Allow && s.Decided == nil
	}
	return i < len(p.Stages)-1 && !p.Stages[i+1].Reply && s.Verdict == verdict.Allow && s.Decided == nil && len(s.Passed) == 0 &&
		(s.Stage != model.StageAfterLB && s.Stage != model.StageEgress || s.Zone != p.Stages[0].Zone)
}

// listTriedLines returns the lines of a stage.
func listTriedLines(s *verdict.StageVerdict) (out []TriedLine) {
	for i := range s.Tiers {
		for j := range s.Tiers[i].Attempts {
			a := &s.Tiers[i].Attempts[j]
			l := TriedLine{Tier: s.Tiers[i].Tier, Band: s.Tiers[i].Band, Rule: &a.Decider, Why: a.Why, Note: a.Note}
			isRule := func(d verdict.Decider) bool { return SameRule(&d, l.Rule) }
			switch {
			case !a.Matched && a.Rule < 0:
				l.Kind = Other
			case !a.Matched:
			case slices.ContainsFunc(s.Candidates, isRule):
				l.Kind = Candidate
			case slices.ContainsFunc(s.Passed, isRule):
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

// SameRule reports whether two deciders are the same rule. Deciders other than rules have a direction only as
// rows.
func SameRule(a, b *verdict.Decider) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Policy == b.Policy && a.Action == b.Action && a.Rule == b.Rule && (a.Rule < 0 || a.Direction == b.Direction)
}
