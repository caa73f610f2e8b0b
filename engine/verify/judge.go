package verify

import (
	"context"
	"fmt"
	"maps"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// Options configure how statements are judged.
type Options struct {
	By trace.AnsweredBy
	// Compiled asks the desired rows, not the zones' live rows.
	Compiled bool
	// AsIf treats pods as existing if an end's labels match none.
	AsIf bool
	Now  time.Time
	// Progress, unless nil, is called before ends are asked one by one. It receives the statement, the pairs
	// of ends asked so far, and the number of all pairs.
	Progress func(s *Statement, asked, of int)
}

// Result is the outcome of judging a statement.
type Result struct {
	*Statement
	Holds bool
	// None means that no such connection exists. OnlyOne means that the only matching pod is on both sides.
	None, OnlyOne bool
	// Pairs is the number of pairs of ends asked, Against the number that contradict the statement: some port
	// has another verdict. If a statement about some connection does not hold, all pairs contradict it.
	Pairs, Against int
	// ByRows means that the policies agree with the statement, but the zones' rows do not.
	ByRows bool
	// Trace is of a counterexample, or nil.
	Trace *trace.Trace
	// Imagined means that missing ends were treated as existing.
	Imagined bool
	// NotConsidered lists omissions that could have changed the result.
	NotConsidered []model.Omission
	// LeftOut counts, in words, the pods with matching labels that policies do not select.
	LeftOut string
}

// Message returns the result of the statement in one line.
func (r *Result) Message() string {
	who := ""
	if r.ByRows {
		who = "by the rows, "
	}
	out := ""
	switch {
	case r.None && r.Holds:
		out = r.matchText() + "; passes"
	case r.None:
		out = "nothing to ask: " + r.matchText() + "; if that is right, write allowNone: true"
	case r.Holds && r.Some:
		out = "some connection is " + r.Expect.DoneText()
	case r.Holds:
		out = words.Count(r.Pairs, "pair") + " " + r.Expect.DoneText()
	case r.Pairs == 1:
		out = who + "not " + r.Expect.DoneText()
	case r.Against == r.Pairs:
		out = fmt.Sprintf("%snone of %s %s", who, words.Count(r.Pairs, "pair"), r.Expect.DoneText())
	default:
		out = fmt.Sprintf("%s%s of %s not %s", who, words.Thousands(r.Against), words.Count(r.Pairs, "pair"), r.Expect.DoneText())
	}
	if r.Imagined {
		out += " (as if the pods existed)"
	}
	if r.LeftOut != "" {
		out += "; left out: " + r.LeftOut
	}
	return out
}

// matchText returns why there is nothing to ask.
func (r *Result) matchText() string {
	if r.OnlyOne {
		return "only one pod matches"
	}
	return "no pods match"
}

// statementJudge asks about statements.
type statementJudge struct {
	ctx     context.Context
	rev     *revision.Revision
	options Options
	tracer  *trace.Tracer
	classes *verdict.Classes
	edges   []uint16 // of the rows, on demand
	looked  bool
	n       int
	problem func(at FilePlace, format string, args ...any)
	omits   *revision.OmissionFilter
}

// JudgeStatements judges statements in order. A statement that cannot be asked has a Problem instead of a
// Result. The error is the context's.
func JudgeStatements(ctx context.Context, r *revision.Revision, statements []Statement, asked Options) ([]Result, []*Problem, error) {
	f := &endFinder{c: r.Cluster, rev: r, imagine: asked.AsIf}
	if asked.By == trace.Policies {
		f.c = r.JudgedCluster() // rows do not know pods on an assumed node
	}
	type sides struct{ from, to *foundEnds }
	var all []sides
	var ok []bool
	for i := range statements {
		before := len(f.problems)
		all = append(all, sides{f.findSide(statements[i].From, true), f.findSide(statements[i].To, false)})
		ok = append(ok, len(f.problems) == before)
	}
	tracer := &trace.Tracer{Compiled: asked.Compiled}
	rows := asked.By != trace.Policies && !asked.Compiled
	real := &statementJudge{ctx: ctx, rev: r, options: asked, tracer: tracer, problem: f.addProblem, omits: revision.NewFilter(r, rows)}
	imagined := real
	if len(f.imagined) > 0 {
		imagined = &statementJudge{ctx: ctx, rev: r.WithImagined(f.imagined), options: asked, tracer: &trace.Tracer{}, problem: f.addProblem}
		imagined.omits = revision.NewFilter(imagined.rev, rows)
	}
	var out []Result
	for i := range statements {
		if !ok[i] {
			continue
		}
		from, to, j := all[i].from, all[i].to, real
		if len(from.imagined)+len(to.imagined) > 0 {
			j = imagined
			from.withImagined(j.rev.JudgedCluster())
			to.withImagined(j.rev.JudgedCluster())
		}
		res, err := j.judgeStatement(&statements[i], from, to)
		if err != nil {
			return nil, nil, err
		}
		if res != nil {
			res.Imagined = j == imagined && j != real
			out = append(out, *res)
		}
	}
	return out, f.problems, nil
}

// withImagined adds the imagined pods and replaces the others by their copies in that cluster.
func (o *foundEnds) withImagined(c *model.Cluster) {
	for i, p := range o.pods {
		o.pods[i] = c.Pod(p.Namespace, p.Name)
	}
	for _, k := range o.imagined {
		if p := c.Pod(k.Namespace, k.Name); p != nil {
			o.addPod(p, true)
		}
	}
}

// judgeStatement judges one statement; nil if it cannot be asked.
func (j *statementJudge) judgeStatement(s *Statement, from, to *foundEnds) (*Result, error) {
	out := &Result{Statement: s, LeftOut: leftOut(from, to)}
	asks := []func(*statementTally) error{func(t *statementTally) error { return j.byPolicies(s, from, to, t) }}
	whom := j.options.By
	if none := trace.NoRows(j.rev); none != nil && whom != trace.Policies {
		if whom == trace.Rows {
			return nil, none
		}
		whom = trace.Policies
	}
	byRows := func(t *statementTally) error { return j.byRows(s, from, to, t) }
	switch whom {
	case trace.Rows:
		asks[0] = byRows
	case trace.Both:
		asks = append(asks, byRows)
	}
	fromPolicies := func(c verdict.Connection) (verdict.Answer, error) { return verdict.FromPolicies(j.rev.Verdicts(), c) }
	for i, ask := range asks {
		t := &statementTally{s: s, omissions: newOmissionFinder(j.omits, fromPolicies)}
		if err := ask(t); err != nil || t.failed {
			return nil, err
		}
		out.Pairs, out.Against, out.None = t.pairs, t.pairsAgainst, t.pairs == 0
		out.Holds = t.pairsAgainst == 0 || t.enough
		out.NotConsidered = revision.MergeOmissions(out.NotConsidered, t.omissions.omissions)
		if out.None {
			out.Holds, out.OnlyOne = s.AllowNone, from.isAny() && to.isAny()
			out.NotConsidered = j.omits.AllOmissions() // unread pods might have matched
			return out, nil
		}
		if out.Holds {
			continue
		}
		out.ByRows = i > 0 || whom == trace.Rows
		by := whom
		if whom == trace.Rows {
			by = trace.Both
		}
		var err error
		if out.Trace, err = j.tracer.Ask(j.rev, t.witness, by, true, j.options.Now); err != nil {
			return nil, fmt.Errorf("trace %s: %w", t.witness, err)
		}
		return out, nil
	}
	return out, nil
}

// isAny reports whether there is an end.
func (o *foundEnds) isAny() bool { return len(o.pods)+len(o.otherEnds) > 0 }

func leftOut(from, to *foundEnds) string {
	all := maps.Clone(from.unselected)
	for why, n := range to.unselected {
		all[why] = max(all[why], n)
	}
	return leftOutText(all)
}
