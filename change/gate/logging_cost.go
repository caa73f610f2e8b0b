package gate

import (
	"context"
	"errors"
	"fmt"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// logConsequences names the objects that cannot log a line after a change that switches logging on, and describes
// the cost: rows that will log, the most lines the meter lets through, and the present rate if known.
func (g *Gate) logConsequences(next *revision.Revision, p *Preview) (out []effect.Consequence) {
	if !next.System.HasFeature(system.Rows) {
		return nil
	}
	targets := change.ObjectKeys(p.Objects)
	for _, k := range targets {
		if why := whyNoLine(next, k); why != "" {
			out = append(out, effect.Consequence{Identity: fmt.Sprint("no line ", k), Text: "no line can come from " + k.Label() + ": " + why,
				Warns: true})
		}
	}
	c := revision.CostOfLogging(next, targets)
	if c.ACLs == 0 {
		return out
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
	return append(out, effect.Consequence{Identity: "log cost " + text, Text: text})
}

// whyNoLine returns why an object cannot log a line, empty if it can.
func whyNoLine(next *revision.Revision, k model.Key) string {
	none, subject := next.WhyNoRows(k), revision.CountSubjects(next, k)
	frozen, _ := effect.CountLiveZones(next, k)
	switch {
	case !k.Kind.IsPolicy():
	case none != nil && frozen == 0:
		return "it is not enforced: " + revision.NoRowsShort(next, none)
	case !subject.IsUnread && subject.SelectedPods() == 0:
		return "it applies to no pods"
	}
	if revision.CostOfLogging(next, []model.Key{k}).ACLs == 0 {
		return words.Choose(k.Kind == model.KindNamespace, "no policy in it has rows that log", "no rule has an action with a level")
	}
	return ""
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
