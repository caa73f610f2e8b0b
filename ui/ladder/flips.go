package ladder

import (
	"context"
	"errors"
	"slices"
	"time"

	"rung/model"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/revision/connections"
	"rung/ui/view"
)

// flipCounts holds the effects on connections at the priorities a policy was carried to: counted
// in the background, one after the other, the newest first. No key waits for it.
type flipCounts struct {
	basis    revision.RevisionBasis
	moves    *diff.PriorityMoves        // nil until the first was counted
	known    map[int32]*priorityOutcome // by priority
	counting bool
	holding  bool // the log's lines against one of them
}

// priorityOutcome is the effect at a priority: the connections that flip, and the lines of the log
// that would have got another verdict; these take longer and are added later.
type priorityOutcome struct {
	text  string
	flips bool
	log   string
	held  bool // against the log
}

// countTime is how long counting may take.
const countTime = 10 * time.Second

// outcomeCounted is the message with the outcome at a priority.
type outcomeCounted struct {
	carry      *carriedPolicy
	basis      revision.RevisionBasis
	atPriority int32
	moves      *diff.PriorityMoves
	outcome    priorityOutcome
}

// outcomeText returns the text about the priority that a policy is carried to; log, the text about the
// log's lines, gives way first where there is little room.
func (f *flipCounts) outcomeText(c *carriedPolicy) (text, log string) {
	if c.atPriority == c.fromPriority {
		return "", ""
	}
	if s, known := f.known[c.atPriority]; known {
		return s.text, s.log
	}
	return "counting …", ""
}

// countFlips has what flips counted where the policy is now, unless it is known or another is
// being counted: then it is looked at again once that is.
func (v *ladderPage) countFlips(env *view.Env) {
	c := v.carry
	if c == nil {
		return
	}
	f := &c.flips
	if basis := env.Rev.Basis(); basis != f.basis || f.known == nil {
		f.basis, f.moves, f.known = basis, nil, map[int32]*priorityOutcome{}
	}
	s, known := f.known[c.atPriority]
	switch {
	case c.atPriority == c.fromPriority:
		return
	case known && s.flips && !s.held && !f.holding:
		v.holdAgainst(env, *s)
		return
	case known || f.counting:
		return
	}
	f.counting = true
	rev, key, at, moves, basis := env.Rev, c.key, c.atPriority, f.moves, f.basis
	env.Run("counting what flips", func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		out := outcomeCounted{carry: c, basis: basis, atPriority: at, moves: moves}
		if moves == nil {
			var err error
			if out.moves, err = connections.CountMoves(rev, ctx, key); err != nil {
				out.outcome.text = "what flips is unknown: " + err.Error()
				if errors.Is(err, context.DeadlineExceeded) {
					out.outcome.text = "what flips was not counted in time"
				}
				return out
			}
		}
		totals := out.moves.FlipsAt(float64(at))
		out.outcome.text = connections.FlipsBrief(totals)
		out.outcome.flips = slices.ContainsFunc(totals, func(t diff.PairTotal) bool { return t.Before != t.After })
		return out
	})
}

// holdAgainst has the lines of the log judged where the policy is now.
func (v *ladderPage) holdAgainst(env *view.Env, s priorityOutcome) {
	c := v.carry
	policy := env.Rev.Cluster.Policy(c.key)
	if policy == nil {
		return
	}
	c.flips.holding = true
	moved := *policy
	moved.Priority = c.atPriority
	rev, log := env.Rev, env.Console.Logs()
	s.held = true
	out := outcomeCounted{carry: c, basis: c.flips.basis, atPriority: c.atPriority, moves: c.flips.moves, outcome: s}
	env.Run("judging log lines", func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		if recent := log.RecentConnections(); recent.Lines > 0 {
			if o, err := connections.LogOtherwise(rev, ctx, rev.WithPolicies([]model.Object{&moved}, nil), recent); err == nil && o.Lines > 0 {
				out.outcome.log = ", " + words.Count(o.Lines, "log line")
			}
		}
		return out
	})
}

// ReceiveResult takes what was counted.
func (v *ladderPage) ReceiveResult(env *view.Env, msg any) {
	m, ok := msg.(outcomeCounted)
	if !ok || m.carry != v.carry {
		return
	}
	f := &m.carry.flips
	if m.outcome.held {
		f.holding = false
	} else {
		f.counting = false
	}
	if m.basis == f.basis {
		f.moves, f.known[m.atPriority] = m.moves, &m.outcome
	}
	v.Sync(env)
}
