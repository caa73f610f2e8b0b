package cli

import (
	"context"
	"time"

	"rung/engine"
	"rung/model"
	"rung/model/clean"
	"rung/revision"
	"rung/revision/omitted"
)

// logSessionOut is a logging session as JSON.
type logSessionOut struct {
	Kind      string  `json:"kind"`
	Name      string  `json:"name"`
	By        string  `json:"by"`
	Since     string  `json:"since,omitempty"`
	Until     string  `json:"until,omitempty"` // absent: until somebody ends it
	Set       string  `json:"set,omitempty"`   // the annotation as the session set it
	Former    *string `json:"former"`          // as it was before; null: there was none
	Level     string  `json:"level,omitempty"` // as it is now
	Changed   bool    `json:"changed"`         // somebody else changed it meanwhile: it stays
	Over      bool    `json:"over"`            // its time is over, and nobody ended it yet
	Ended     string  `json:"ended,omitempty"`
	How       string  `json:"how,omitempty"`
	Problem   string  `json:"problem,omitempty"`
	untilText string
}

type logSessionsOut struct {
	Sessions []logSessionOut `json:"sessions"`
	Ended    []logSessionOut `json:"ended"`
}

func sessionOut(k model.Key, s model.LogSession, now time.Time) logSessionOut {
	out := logSessionOut{Kind: string(k.Kind), Name: k.Name, By: s.By, Since: stamp(s.Since), Set: clean.Text(s.Set), Over: s.Over(now),
		untilText: "until switched off"}
	if s.HadFormer {
		text := clean.Text(s.Former)
		out.Former = &text
	}
	if !s.Open() {
		out.Until, out.untilText = stamp(s.Until), s.Until.Local().Format(time.DateTime)
	}
	return out
}

// logSessions lists who logs what until when, and what ended.
func (a *app) logSessions(ctx context.Context) error {
	return a.objects(ctx, func(e *engine.Engine, r *revision.Revision) error {
		out := logSessionsOut{Sessions: []logSessionOut{}, Ended: []logSessionOut{}}
		t := &tableOut{head: []string{"WHAT", "LEVEL", "WHO", "UNTIL", "STATE"}}
		for _, s := range r.LogSessions() {
			o := sessionOut(s.Target, s.LogSession, e.Now())
			o.Level, o.Changed, o.Problem = clean.Text(s.Level), s.Changed, s.Problem
			out.Sessions = append(out.Sessions, o)
			t.add(s.Target.Label(), levelWords(s.Level), o.By, o.untilText, o.state())
		}
		for _, s := range e.EndedLogs() {
			o := sessionOut(s.Target, s.LogSession, e.Now())
			o.Over, o.Ended, o.How = false, stamp(s.At), clean.Text(s.How)
			out.Ended = append(out.Ended, o)
			t.add(s.Target.Label(), levelWords(s.Set), o.By, o.untilText, "ended "+s.At.Local().Format(time.DateTime)+": "+o.How)
		}
		return a.say(&answer{value: out, notConsidered: omitted.Objects(r), text: func(bool) string {
			if len(t.rows) == 0 {
				return "no logging session\n"
			}
			return t.String()
		}})
	})
}

// state says how a session stands.
func (o *logSessionOut) state() string {
	switch {
	case o.Problem != "":
		return "▲ " + o.Problem
	case o.Changed && o.Over:
		return "over; the level was changed meanwhile and stays"
	case o.Changed:
		return "the level was changed meanwhile and stays"
	case o.Over:
		return "over, not ended yet"
	}
	return "on"
}

// levelWords are the levels of an annotation for people, or its text where it has none.
func levelWords(raw string) string {
	l, err := model.ParseLogging(raw, raw != "")
	if err != nil {
		return clean.Text(raw)
	}
	return l.String()
}
