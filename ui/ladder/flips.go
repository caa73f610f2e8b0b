package ladder

import (
	"context"
	"errors"
	"slices"
	"time"

	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/ui/view"
)

// flipCounts holds the effects on connections at the priorities a policy was carried to. They are counted in
// the background, one at a time, the newest first, so that no key waits.
type flipCounts struct {
	basis      revision.RevisionBasis
	moves      *diff.PriorityMoves                 // nil until the first count
	known      map[plan.TierPlace]*priorityOutcome // by place
	counting   bool
	judgingLog bool // log lines are being judged
}

// priorityOutcome is the effect at a priority: the connections whose verdict flips, and the log lines that
// would get another verdict, which take longer and are added later.
type priorityOutcome struct {
	text      string
	flips     bool
	log       string
	logJudged bool // log lines were judged
}

// countTime bounds the time of counting.
const countTime = 10 * time.Second

// outcomeCounted is the message with the outcome at a priority.
type outcomeCounted struct {
	carry   *carriedPolicy
	basis   revision.RevisionBasis
	at      plan.TierPlace
	moves   *diff.PriorityMoves
	outcome priorityOutcome
}

// outcomeText describes the effect at the current priority; log, the text about log lines, is dropped first if
// room is short.
func (f *flipCounts) outcomeText(c *carriedPolicy) (text, log string) {
	if !c.isMoved() {
		return "", ""
	}
	if s, known := f.known[c.at]; known {
		return s.text, s.log
	}
	return "counting …", ""
}

// countFlips counts the flips at the current place, unless known or another count runs; that count's end calls
// it again.
func (v *ladderPage) countFlips(env *view.Env) {
	c := v.carry
	if c == nil {
		return
	}
	f := &c.flips
	if basis := env.Rev.Basis(); basis != f.basis || f.known == nil {
		f.basis, f.moves, f.known = basis, nil, map[plan.TierPlace]*priorityOutcome{}
	}
	s, known := f.known[c.at]
	switch {
	case !c.isMoved():
		return
	case known && s.flips && !s.logJudged && !f.judgingLog:
		v.judgeLog(env, *s)
		return
	case known || f.counting:
		return
	}
	f.counting = true
	rev, key := env.Rev, c.key
	out := outcomeCounted{carry: c, basis: f.basis, at: c.at, moves: f.moves}
	var moved []model.Object
	if policy := rev.Cluster.Policy(key); c.places != nil && policy != nil {
		moved = append(moved, c.movedCopy(policy))
	}
	env.Run("counting verdict changes", func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		if moved != nil {
			d, err := revision.DiffConnections(rev, ctx, rev.WithPolicies(moved, nil), diff.DiffQuestions{})
			if err != nil {
				out.outcome = notCounted(err)
				return out
			}
			out.outcome = flipOutcome(d.Totals)
			return out
		}
		if out.moves == nil {
			var err error
			if out.moves, err = revision.CountMoves(rev, ctx, key); err != nil {
				out.outcome = notCounted(err)
				return out
			}
		}
		out.outcome = flipOutcome(out.moves.FlipsAt(out.at.Priority))
		return out
	})
}

func notCounted(err error) priorityOutcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return priorityOutcome{text: "verdict changes not counted in time"}
	}
	return priorityOutcome{text: "verdict changes unknown: " + err.Error()}
}

func flipOutcome(totals []diff.PairTotal) priorityOutcome {
	return priorityOutcome{text: revision.FlipsBrief(totals), flips: slices.ContainsFunc(totals, func(t diff.PairTotal) bool {
		return t.Before != t.After
	})}
}

// judgeLog judges the log lines with the policy at the current place.
func (v *ladderPage) judgeLog(env *view.Env, s priorityOutcome) {
	c := v.carry
	policy := env.Rev.Cluster.Policy(c.key)
	if policy == nil {
		return
	}
	c.flips.judgingLog = true
	moved := c.movedCopy(policy)
	rev, log := env.Rev, env.Console.Logs()
	s.logJudged = true
	out := outcomeCounted{carry: c, basis: c.flips.basis, at: c.at, moves: c.flips.moves, outcome: s}
	env.Run("judging log lines", func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		if recent := log.RecentConnections(); recent.Lines > 0 {
			if o, err := revision.DiffLog(rev, ctx, rev.WithPolicies([]model.Object{moved}, nil), recent); err == nil && o.Lines > 0 {
				out.outcome.log = ", " + words.Count(o.Lines, "log line")
			}
		}
		return out
	})
}

// ReceiveResult takes counted effects.
func (v *ladderPage) ReceiveResult(env *view.Env, msg any) {
	if v.network.TakeResult(msg) {
		v.Sync(env)
		return
	}
	m, ok := msg.(outcomeCounted)
	if !ok || m.carry != v.carry {
		return
	}
	f := &m.carry.flips
	if m.outcome.logJudged {
		f.judgingLog = false
	} else {
		f.counting = false
	}
	if m.basis == f.basis {
		f.moves, f.known[m.at] = m.moves, &m.outcome
	}
	v.Sync(env)
}
