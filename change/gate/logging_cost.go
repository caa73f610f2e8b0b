package gate

import (
	"context"
	"errors"
	"fmt"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// logCost describes the cost of the logging that a change switches on: rows that will log, the most lines the
// meter lets through, and the present rate if known.
func (g *Gate) logCost(next *revision.Revision, p *Preview) string {
	m := p.Mutation
	if m.Op != change.OpLogLevel || !m.Levels.IsOn() || len(p.Objects) == 0 || !next.System.HasFeature(system.Rows) {
		return ""
	}
	targets := change.ObjectKeys(p.Objects)
	c := revision.CostOfLogging(next, targets)
	if c.ACLs == 0 {
		return "no row logs at these levels: no rule has these actions"
	}
	meter := fmt.Sprintf("the meter limits each to %s lines/s", words.Thousands(c.Rate))
	if !c.Known {
		meter = fmt.Sprintf("the meter was not read; by default it limits each to %s lines/s", words.Thousands(c.Rate))
	}
	text := fmt.Sprintf("%s in each zone; %s, so at most %s on each node and %s on %s; the rest is silently discarded",
		words.Count(c.ACLs, "row")+" with log=true", meter, linesASecond(c.LinesPerSecond()), words.Thousands(c.LinesPerSecond()*max(1, c.Nodes)),
		words.Count(max(1, c.Nodes), "node"))
	if lines, ok := g.loggedLineRate(next, targets); ok {
		text += fmt.Sprintf("; current rate: %s", linesASecond(lines))
	}
	return text
}

func linesASecond(n int) string { return words.Thousands(n) + " lines/s" }

// loggedLineRate returns how many lines a second the given objects log now; ok is false if unknown.
func (g *Gate) loggedLineRate(rev *revision.Revision, targets []model.Key) (lines int, ok bool) {
	for _, t := range targets {
		for _, k := range revision.LoggedUnits(rev, t) {
			if n, seen := g.Config.LogRate(k); seen {
				lines, ok = lines+n, true
			}
		}
	}
	return lines, ok
}

// byTime is the author of the end of an expired session, in history and audit.
const byTime = "time"

// EndExpired ends an expired logging session, as agreed when it began. It returns neither sessions nor an error
// if the session had ended already.
func (g *Gate) EndExpired(ctx context.Context, target model.Key) (ended []model.EndedLogSession, err error) {
	m := change.Mutation{Op: change.OpLogEnd, Policy: target, Timed: true}
	for n := 0; ; n++ {
		p, _ := g.resolveOnServer(ctx, g.Config.CurrentRevision(), m, nil)
		if p.IsNoChange() {
			return nil, nil
		}
		if p.Blocked != "" {
			return nil, change.Blocked("%s", p.Blocked)
		}
		res, err := g.Commit(ctx, p, Confirm{Yes: true, By: byTime, Finish: true, reverts: true, retried: n < staleTries})
		if res != nil {
			return endedSessions(p, byTime, g.Config.Now()), err
		}
		if n == staleTries || !errors.Is(err, change.ErrStale) {
			return nil, err
		}
	}
}

// EndedSessions returns the ended logging sessions in the history, newest first.
func (g *Gate) EndedSessions() (out []model.EndedLogSession) {
	for _, e := range g.Config.History.Entries() {
		out = append(out, e.Ended...)
	}
	return out
}

// staleTries is how often ending a session is retried after others changed its object meanwhile.
const staleTries = 3
