package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rung/change/gate"
	"rung/engine/zones"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// LogSessions ends expired logging sessions and remembers ended ones.
type LogSessions struct {
	*zones.Loop
	gate *gate.Gate
	cfg  LogSessionsConfig

	// knownSessions are the sessions of the last look. retries hold when a session that could not be ended is
	// tried next, and its failures. Only the goroutine of followSessions uses them.
	knownSessions map[model.Key]revision.LogSession
	retries       map[model.Key]retryAt

	endedSessions []model.EndedLogSession // newest first; only for the loop
}

// LogSessionsConfig selects the sessions to end.
type LogSessionsConfig struct {
	// Follows ends sessions as soon as they expire: for a console or a reconciler whose changes reach a
	// writer.
	Follows bool
	// ReadOnly ends no session.
	ReadOnly bool
}

// NewLogSessions returns the sessions of a gate; Start follows them as long as the loop runs.
func NewLogSessions(l *zones.Loop, g *gate.Gate, cfg LogSessionsConfig) *LogSessions {
	return &LogSessions{Loop: l, gate: g, cfg: cfg, retries: map[model.Key]retryAt{}}
}

// Start follows the sessions.
func (l *LogSessions) Start() { l.Go(l.followSessions) }

// EndedSessions returns the recently ended sessions, for a revision; only the loop calls it.
func (l *LogSessions) EndedSessions() []model.EndedLogSession { return l.endedSessions }

type retryAt struct {
	dueAt time.Time
	fails int
}

// How long an expired session is left to the process that began it, and how long until a failed attempt to end
// it is repeated.
const (
	sessionGrace = 500 * time.Millisecond
	sessionRetry = time.Minute
	sessionIdle  = time.Hour // a new revision wakes it
)

func (l *LogSessions) followSessions() {
	ticks, stop := l.Subscribe()
	defer stop()
	l.PublishEnded(nil)
	for l.Context().Err() == nil {
		t := time.NewTimer(l.takeRevision(l.Revision()))
		select {
		case <-l.Context().Done():
		case <-ticks:
		case <-t.C:
		}
		t.Stop()
	}
}

// takeRevision takes one revision, ends expired sessions, and returns the time until the next look.
func (l *LogSessions) takeRevision(r *revision.Revision) time.Duration {
	if r == nil || !r.Loaded {
		return sessionIdle
	}
	all := revision.LogSessions(r)
	if len(all) == 0 && len(l.knownSessions) == 0 {
		return sessionIdle
	}
	l.noteEndedElsewhere(r, all)
	wait := sessionIdle
	if !l.cfg.Follows {
		return wait
	}
	now := l.Now()
	for _, s := range all {
		if s.IsOpen() {
			continue
		}
		due := s.Until.Add(sessionGrace)
		if a, failed := l.retries[s.Target]; failed && a.dueAt.After(due) {
			due = a.dueAt
		}
		if left := due.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		if !l.endSession(s.Target) {
			wait = min(wait, time.Second)
		}
	}
	return wait
}

// endSession ends one session. It returns false if it has to be tried again.
func (l *LogSessions) endSession(k model.Key) bool {
	if l.Revision().Plan.IsUnderWay() {
		return false // the plan's steps expect unchanged policies
	}
	ended, err := l.gate.EndExpired(l.Context(), k)
	if err != nil && len(ended) == 0 {
		a := l.retries[k]
		a.dueAt, a.fails = l.Now().Add(min(sessionRetry, time.Second<<min(a.fails, 10))), a.fails+1
		l.retries[k] = a
		if a.fails == 1 && l.Context().Err() == nil {
			l.RecordActivity(model.Activity{By: "user", Policy: policyKeyOrEmpty(k), Summary: "end the logging session of " + k.Label(),
				Error: words.CleanText(err.Error())})
		}
		return false
	}
	delete(l.retries, k)
	delete(l.knownSessions, k)
	for _, s := range ended {
		l.RecordActivity(model.Activity{At: s.At, By: "user", Policy: policyKeyOrEmpty(s.Target), Summary: s.String()})
	}
	return true
}

// policyKeyOrEmpty returns the policy of an activity; empty for a namespace, which has no page.
func policyKeyOrEmpty(k model.Key) model.PolicyKey {
	if k.Kind.IsPolicy() {
		return k
	}
	return model.PolicyKey{}
}

// noteEndedElsewhere adds the sessions that somebody else ended to the list of ended sessions.
func (l *LogSessions) noteEndedElsewhere(r *revision.Revision, all []revision.LogSession) {
	now := make(map[model.Key]revision.LogSession, len(all))
	for _, s := range all {
		now[s.Target] = s
	}
	var out []model.EndedLogSession
	for k, was := range l.knownSessions {
		if is, there := now[k]; there && is.ID == was.ID || was.Problem != "" {
			continue
		}
		e := model.EndedLogSession{Target: k, LogSession: was.LogSession, At: l.Now(), How: "ended by another Rung"}
		switch o := r.Cluster.Changeable(k); {
		case o == nil:
			e.How = k.Label() + " was deleted"
		case !now[k].Since.IsZero():
			e.How = "replaced by another session"
		case o.Tiered != nil && !logline.IsChanged(o, was.LogSession):
			e.How = "somebody else removed its record; its rules keep their logging: " + logline.LoggingByAction(o).String()
		case o.Tiered == nil && !logline.IsChanged(o, was.LogSession) && !(was.HadFormer && was.Former == was.Set):
			e.How = "somebody else removed its record; the level stays: " + words.CleanText(o.Logging)
		}
		out = append(out, e)
	}
	l.knownSessions = now
	if len(out) > 0 {
		l.PublishEnded(out)
	}
}

// keptEnded bounds the list of ended sessions.
const keptEnded = 50

// PublishEnded updates the list of ended sessions; seen are sessions that others ended. An entry of the
// history wins, since it says more.
func (l *LogSessions) PublishEnded(seen []model.EndedLogSession) {
	mine := l.gate.EndedSessions()
	l.Send(func() {
		all := slices.Clone(mine)
		for _, old := range append(seen, l.endedSessions...) {
			if !slices.ContainsFunc(all, func(x model.EndedLogSession) bool { return x.ID == old.ID && x.Target == old.Target }) {
				all = append(all, old)
			}
		}
		slices.SortStableFunc(all, func(a, b model.EndedLogSession) int { return b.At.Compare(a.At) })
		all = all[:min(len(all), keptEnded)]
		if !slices.Equal(all, l.endedSessions) {
			l.endedSessions = all
			l.MarkChanged()
		}
	})
}

// EndOverdue ends the expired logging sessions, whoever began them, and returns a line for each. The objects
// have to be known.
func (l *LogSessions) EndOverdue(ctx context.Context) (said []string) {
	if l.cfg.ReadOnly {
		return nil
	}
	for _, s := range revision.LogSessions(l.Revision()) {
		if s.Problem != "" || !s.IsOver(l.Now()) {
			continue
		}
		ended, err := l.gate.EndExpired(ctx, s.Target)
		for _, x := range ended {
			said = append(said, fmt.Sprintf("%s (%s)", x, s.Until.Local().Format(time.DateTime)))
		}
		if err != nil {
			said = append(said, fmt.Sprintf("logging session of %s expired at %s and could not be ended: %s",
				s.Target.Label(), s.Until.Local().Format(time.DateTime), words.CleanText(err.Error())))
		}
	}
	return said
}

// AllEnded returns the ended sessions that this state folder knows of.
func (l *LogSessions) AllEnded() []model.EndedLogSession { return l.gate.EndedSessions() }
