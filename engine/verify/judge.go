package verify

import (
	"context"
	"fmt"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"

	"rung/model/words"
	"rung/revision"
)

// Options says how statements are judged.
type Options struct {
	By trace.AnsweredBy
	// Compiled asks the rows that the policies compile to, not those of the zones.
	Compiled bool
	// AsIf takes pods that an end's labels match none of as if they existed.
	AsIf bool
	Now  time.Time
	// Progress is told before ends are asked about one by one: of which statement, and how
	// many pairs of its ends were. nil: nobody wants to know.
	Progress func(s *Statement, asked, of int)
}

// Result is the outcome of judging a statement.
type Result struct {
	*Statement
	Holds bool
	// None: there is no such connection. OnlyOne: one end alone matches both sides.
	None, OnlyOne bool
	// Pairs is the number of pairs of ends that were asked, Against the number of pairs
	// that speak against the statement: some port of theirs has another verdict. Where a
	// statement about some connection does not hold, all pairs speak against it.
	Pairs, Against int
	// ByRows: the policies agree with the statement, but the rows of the zones do not.
	ByRows bool
	// Trace is of one connection that speaks against it, nil where there is none.
	Trace *trace.Trace
	// Imagined: ends were asked as if they existed.
	Imagined bool
	// NotConsidered are circumstances left out of the result that could have changed it.
	NotConsidered []model.Omission
	// LeftOut are pods that the labels of an end match and policies do not select, in words.
	LeftOut string
}

// Message says in one line what became of the statement.
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

// matchText says why there is nothing to ask.
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
	edges   []uint16 // of the rows, once they were needed
	looked  bool
	n       int
	problem func(at FilePlace, format string, args ...any)
	omits   *revision.OmissionFilter
}

// JudgeStatements judges statements, in their order. A statement that cannot be asked has a
// Problem instead of a Result. The error is that of the context.
func JudgeStatements(ctx context.Context, r *revision.Revision, statements []Statement, asked Options) ([]Result, []*Problem, error) {
	f := &endFinder{c: r.Cluster, rev: r, imagine: asked.AsIf}
	if asked.By == trace.Policies {
		f.c = r.JudgedCluster() // no row knows of a place that is assumed
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
	if len(f.things) > 0 {
		imagined = &statementJudge{ctx: ctx, rev: r.WithImagined(f.things), options: asked, tracer: &trace.Tracer{}, problem: f.addProblem}
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

// withImagined makes pods of those that are imagined, and takes the others as they are beside them.
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

// judgeStatement judges one; nil where it cannot be asked.
func (j *statementJudge) judgeStatement(s *Statement, from, to *foundEnds) (*Result, error) {
	out := &Result{Statement: s}
	if left := leftOut(from, to); left != "" {
		out.LeftOut = left
	}
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
		t := &statementTally{s: s, hangs: newHanging(j.omits, fromPolicies)}
		if err := ask(t); err != nil || t.failed {
			return nil, err
		}
		out.Pairs, out.Against, out.None = t.pairs, t.pairsAgainst, t.pairs == 0
		out.Holds = t.pairsAgainst == 0 || t.enough
		out.NotConsidered = revision.MergeOmissions(out.NotConsidered, t.hangs.omissions)
		if out.None {
			out.Holds, out.OnlyOne = s.AllowNone, from.isAny() && to.isAny()
			out.NotConsidered = j.omits.AllOmissions() // who they would be is not known either
			return out, nil
		}
		if out.Holds {
			continue
		}
		out.ByRows = i > 0 || whom == trace.Rows
		by := trace.Policies
		if whom != trace.Policies {
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

// isAny says whether there is an end.
func (o *foundEnds) isAny() bool { return len(o.pods)+len(o.otherEnds) > 0 }

func leftOut(from, to *foundEnds) string {
	all := &foundEnds{unselected: map[string]int{}}
	for _, f := range []*foundEnds{from, to} {
		for why, n := range f.unselected {
			all.unselected[why] = max(all.unselected[why], n)
		}
	}
	return all.leftOut()
}
