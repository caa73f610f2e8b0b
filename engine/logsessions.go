package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/revision"
	"rung/revision/policies"
)

// logSessions ends the logging sessions whose time is over, and remembers those that ended.
type logSessions struct {
	e *Engine
	// known are the sessions of the last look; again is when one that could not be ended is
	// tried next, and how often that was.
	known map[model.Key]policies.LogSession
	again map[model.Key]retryAt
}

type retryAt struct {
	at    time.Time
	fails int
}

// How long a session is left to whoever may be nearer to it, and how long is waited before
// it is tried again.
const (
	sessionGrace = 500 * time.Millisecond
	sessionRetry = time.Minute
	sessionIdle  = time.Hour // a new revision is told
)

// keepsSessions says whether this engine ends sessions by their time: a console, or a
// reconciler, whose changes go anywhere.
func (e *Engine) keepsSessions() bool {
	return (e.cfg.Screen || e.cfg.Reconcile) && !e.cfg.ReadOnly && (e.cfg.Writer != nil || e.cfg.Sandbox != nil || e.cfg.Reconcile)
}

// runLogSessions follows the sessions, as long as the engine runs.
func (e *Engine) runLogSessions() {
	l := &logSessions{e: e, again: map[model.Key]retryAt{}}
	ticks, stop := e.Subscribe()
	defer stop()
	e.publishEnded(nil)
	for e.loop.Context().Err() == nil {
		t := time.NewTimer(l.look(e.Revision()))
		select {
		case <-e.loop.Context().Done():
		case <-ticks:
		case <-t.C:
		}
		t.Stop()
	}
}

// look takes in one revision, ends what is over, and says when to come again.
func (l *logSessions) look(r *revision.Revision) time.Duration {
	if r == nil || !r.Loaded {
		return sessionIdle
	}
	all := policies.LogSessions(r)
	if len(all) == 0 && len(l.known) == 0 {
		return sessionIdle
	}
	l.gone(r, all)
	wait := sessionIdle
	if !l.e.keepsSessions() {
		return wait
	}
	now := l.e.Now()
	for _, s := range all {
		if s.Open() {
			continue
		}
		due := s.Until.Add(sessionGrace)
		if a, failed := l.again[s.Target]; failed && a.at.After(due) {
			due = a.at
		}
		if left := due.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		if !l.end(s.Target) {
			wait = min(wait, time.Second)
		}
	}
	return wait
}

// end ends one session. It is false where that is tried again.
func (l *logSessions) end(k model.Key) bool {
	e := l.e
	if e.Revision().Plan.Active() {
		return false // its steps are about the policies as they are
	}
	ended, nothing, err := e.gate.EndOverdue(e.loop.Context(), k)
	if err != nil && len(ended) == 0 {
		a := l.again[k]
		a.at, a.fails = e.Now().Add(min(sessionRetry, time.Second<<min(a.fails, 10))), a.fails+1
		l.again[k] = a
		if a.fails == 1 && e.loop.Context().Err() == nil {
			e.loop.Record(model.Activity{By: "user", Policy: policyOf(k), Summary: "end the logging session of " + k.Label(),
				Error: clean.Text(err.Error())})
		}
		return false
	}
	delete(l.again, k)
	delete(l.known, k)
	if !nothing {
		e.tellEnded(ended)
	}
	return true
}

// tellEnded notes sessions that ended by their time.
func (e *Engine) tellEnded(ended []model.EndedLogSession) {
	for _, s := range ended {
		e.loop.Record(model.Activity{At: s.At, By: "user", Policy: policyOf(s.Target), Summary: s.String()})
	}
}

// policyOf is the policy an activity is about; none for a namespace, which has no page.
func policyOf(k model.Key) model.PolicyKey {
	if k.Kind.IsPolicy() {
		return k
	}
	return model.PolicyKey{}
}

// gone notes the sessions that somebody else ended.
func (l *logSessions) gone(r *revision.Revision, all []policies.LogSession) {
	now := make(map[model.Key]policies.LogSession, len(all))
	for _, s := range all {
		now[s.Target] = s
	}
	var out []model.EndedLogSession
	for k, was := range l.known {
		if is, there := now[k]; there && is.ID == was.ID || was.Problem != "" {
			continue
		}
		e := model.EndedLogSession{Target: k, LogSession: was.LogSession, At: l.e.Now(), How: "ended by another Rung"}
		switch o := r.Cluster.Logged(k); {
		case o == nil:
			e.How = k.Label() + " was deleted"
		case !now[k].Since.IsZero():
			e.How = "another session took its place"
		case !o.LoggingChanged(was.LogSession) && !(was.HadFormer && was.Former == was.Set):
			e.How = "its record was removed by somebody else; the level stays: " + clean.Text(o.Logging)
		}
		out = append(out, e)
	}
	l.known = now
	if len(out) > 0 {
		l.e.publishEnded(out)
	}
}

// keptEnded bounds the sessions that ended and are listed.
const keptEnded = 50

// publishEnded brings the list of ended sessions up to date; seen are some that others
// ended. What the history has counts, since it says more.
func (e *Engine) publishEnded(seen []model.EndedLogSession) {
	mine := e.gate.EndedSessions()
	e.send(func(s *state) {
		same := func(a, b model.EndedLogSession) bool { return a.ID == b.ID && a.Target == b.Target }
		all := slices.Clone(mine)
		for _, old := range append(seen, s.endedLogs...) {
			if !slices.ContainsFunc(all, func(x model.EndedLogSession) bool { return same(x, old) }) {
				all = append(all, old)
			}
		}
		slices.SortStableFunc(all, func(a, b model.EndedLogSession) int { return b.At.Compare(a.At) })
		all = all[:min(len(all), keptEnded)]
		if !slices.Equal(all, s.endedLogs) {
			s.endedLogs = all
			s.Changed()
		}
	})
}

// EndOverdue ends the logging sessions whose time is over, whoever began them, and says
// for each what became of it. The objects have to be known.
func (e *Engine) EndOverdue(ctx context.Context) (said []string) {
	if e.cfg.ReadOnly {
		return nil
	}
	for _, s := range policies.LogSessions(e.Revision()) {
		if s.Problem != "" || !s.Over(e.Now()) {
			continue
		}
		ended, _, err := e.gate.EndOverdue(ctx, s.Target)
		for _, x := range ended {
			said = append(said, fmt.Sprintf("%s (%s)", x, s.Until.Local().Format(time.DateTime)))
		}
		if err != nil {
			said = append(said, fmt.Sprintf("logging session of %s: its time is over since %s, and it could not be ended: %s",
				s.Target.Label(), s.Until.Local().Format(time.DateTime), clean.Text(err.Error())))
		}
	}
	return said
}

// EndedLogs are the logging sessions that ended, as far as this state folder knows of them.
func (e *Engine) EndedLogs() []model.EndedLogSession { return e.gate.EndedSessions() }

// logRate is how many lines a second the rules of a policy or unit log now.
func (e *Engine) logRate(k model.PolicyKey) (lines int, ok bool) {
	for ref, stat := range e.logs.Stats().PerRule {
		if ref.Policy == k && stat.Count > 0 {
			lines, ok = lines+stat.Rate(), true
		}
	}
	return lines, ok
}
