package activity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// SessionFacts is the JSON of all logging sessions (command-line.md#output).
type SessionFacts struct {
	Sessions []*LogSession `json:"sessions"` // soonest end first
	Ended    []*LogSession `json:"ended"`    // newest first
}

// LogSession is a logging session, running or ended.
type LogSession struct {
	Kind     model.Kind  `json:"kind"`
	Name     string      `json:"name"`
	By       string      `json:"by"`
	Since    model.Stamp `json:"since,omitzero"`
	Until    model.Stamp `json:"until,omitzero"`  // absent: runs until somebody ends it
	Set      string      `json:"set,omitempty"`   // the annotation that the session set
	Previous *string     `json:"former"`          // the annotation before; null if there was none
	Level    string      `json:"level,omitempty"` // the present annotation
	Changed  bool        `json:"changed"`         // someone else changed it meanwhile, so it stays
	Over     bool        `json:"over"`            // expired but not ended yet
	Ended    model.Stamp `json:"ended,omitzero"`
	How      string      `json:"how,omitempty"`
	Problem  string      `json:"problem,omitempty"`

	Target model.Key            `json:"-"`
	Zones  []revision.LoggingIn `json:"-"` // of a running session
	Behind []revision.LoggingIn `json:"-"` // zones in which not all rows log
	levels string
	former string // what the end restores
	now    time.Time
}

// NewSessionFacts returns the running sessions of a revision, and the ended ones.
func NewSessionFacts(r *revision.Revision, ended []model.EndedLogSession, now time.Time) SessionFacts {
	out := SessionFacts{Sessions: []*LogSession{}, Ended: []*LogSession{}}
	for _, s := range revision.LogSessions(r) {
		f := newLogSession(s.Target, s.LogSession, s.Level, now)
		f.Level, f.Changed, f.Problem, f.Over = words.CleanText(s.Level), s.Changed, s.Problem, s.LogSession.IsOver(now)
		if s.Target.Kind.IsTiered() {
			f.levels = f.Level
		}
		f.Zones = revision.LoggingByZone(r, s.Target)
		f.Behind = slices.DeleteFunc(slices.Clone(f.Zones), func(z revision.LoggingIn) bool { return z.Why == "" })
		out.Sessions = append(out.Sessions, f)
	}
	for _, s := range ended {
		f := newLogSession(s.Target, s.LogSession, s.Set, now)
		f.Ended, f.How = model.Stamp{Time: s.At}, words.CleanText(s.How)
		out.Ended = append(out.Ended, f)
	}
	return out
}

func newLogSession(k model.Key, s model.LogSession, annotation string, now time.Time) *LogSession {
	f := &LogSession{Kind: k.Kind, Name: k.Name, By: s.By, Since: model.Stamp{Time: s.Since}, Until: model.Stamp{Time: s.Until},
		Set: words.CleanText(s.Set), Target: k, levels: levelsText(k, annotation), former: logline.FormerText(s), now: now}
	if s.HadFormer {
		f.Previous = new(words.CleanText(s.Former))
	}
	return f
}

// levelsText returns the levels of an annotation for people, or its text if it is invalid.
func levelsText(k model.Key, annotation string) string {
	if k.Kind == model.KindNamespace {
		l, _ := model.NamespaceLogLevels(annotation)
		return l.String()
	}
	if k.Kind.IsTiered() {
		return logline.SetText(annotation)
	}
	l, err := model.ParseLogging(annotation, annotation != "")
	if err != nil {
		return words.CleanText(annotation)
	}
	return l.String()
}

// AllSessions returns the sessions in listing order.
func (f *SessionFacts) AllSessions() []*LogSession { return slices.Concat(f.Sessions, f.Ended) }

// IsOn reports whether the session has not ended.
func (s *LogSession) IsOn() bool { return s.Ended.IsZero() }

// SessionTable lists the sessions.
var SessionTable = &page.Table[*LogSession]{
	Help: map[string]string{
		"what":  "the policy or namespace that logs",
		"level": "the log levels while the session lasts",
		"who":   "who began it",
		"until": "when it ends by itself",
		"rows":  "zones whose rows have its levels",
		"state": "whether it runs, or what is wrong",
	},
	ID:    func(s *LogSession) string { return fmt.Sprint(s.Target, s.Ended, s.Since) },
	Empty: "no logging session",
	Columns: []page.Column[*LogSession]{
		{Key: "what", Title: "WHAT", Name: true, Min: 16, Importance: page.Always,
			Cell: func(s *LogSession) page.Cell { return s.textCell(s.Target.ShortLabel(), themes.Accent) }},
		{Key: "level", Title: "LEVEL", Min: 8, Importance: 96, Cell: func(s *LogSession) page.Cell { return s.textCell(s.levels, "") }},
		{Key: "who", Title: "WHO", Min: 6, Max: 24, Importance: 97, Cell: func(s *LogSession) page.Cell { return s.textCell(s.By, "") }},
		{Key: "until", Title: "UNTIL", Min: 8, Importance: page.Always,
			Cell: func(s *LogSession) page.Cell { return s.textCell(s.untilText(), "") }},
		{Key: "rows", Title: "ROWS", Importance: 98, Sparse: true, Cell: (*LogSession).rowsCell},
		{Key: "state", Title: "STATE", Min: 12, Flex: true, Importance: page.Always, Cell: func(s *LogSession) page.Cell {
			if text := s.whyWrong(); text != "" {
				return page.Cell{Text: words.Warned + " " + text, Role: themes.Warn}
			}
			return s.textCell(s.stateText(), themes.OK)
		}},
	},
}

// textCell returns a text about a session, dim if it ended.
func (s *LogSession) textCell(text string, role page.Role) page.Cell {
	return page.Cell{Text: text, Role: words.Choose(s.IsOn(), role, themes.Dim)}
}

// untilText returns when a session ends, and the time left.
func (s *LogSession) untilText() string {
	switch {
	case s.Problem != "":
		return "?"
	case !s.IsOn():
		return "–"
	case s.Until.IsZero():
		return "switched off"
	case s.Over:
		return words.Clock(s.Until.Local(), s.now)
	}
	return words.Clock(s.Until.Local(), s.now) + " (" + words.TimeLeft(s.Until.Sub(s.now)) + ")"
}

// rowsCell returns the number of zones whose rows log, if zones are read.
func (s *LogSession) rowsCell() page.Cell {
	if !s.IsOn() || len(s.Zones) == 0 {
		return page.None
	}
	text := fmt.Sprintf("%s of %s", words.Thousands(len(s.Zones)-len(s.Behind)), words.Count(len(s.Zones), "zone"))
	return page.Cell{Text: text, Role: words.Choose(len(s.Behind) > 0, themes.Warn, themes.OK)}
}

// whyWrong describes the problem of a running session; empty if it has none.
func (s *LogSession) whyWrong() string {
	switch {
	case s.Problem != "":
		return s.Problem
	case s.Changed && s.Over:
		return "expired; the level was changed meanwhile and stays"
	case s.Changed:
		return "the level was changed meanwhile and stays"
	case s.Over:
		return "expired, still logging"
	}
	return ""
}

func (s *LogSession) stateText() string {
	if s.IsOn() {
		return "on"
	}
	ended := "ended " + words.Clock(s.Ended.Local(), s.now)
	if by, ok := strings.CutPrefix(s.How, "ended by "); ok {
		return ended + " by " + by
	}
	return ended + ": " + s.How
}

// zonesNamed limits the zones named whose rows do not log.
const zonesNamed = 5

// DetailLines describes a session in full: its problem, the annotation its end restores, and zones without
// logging rows.
func (s *LogSession) DetailLines() (out []page.Span) {
	if !s.IsOn() {
		return []page.Span{{Text: "E" + s.stateText()[1:] + "."}}
	}
	if text := s.whyWrong(); text != "" {
		out = append(out, page.Span{Text: words.Warned + " " + text, Role: themes.Warn})
	}
	if s.Problem == "" {
		out = append(out, page.Span{Text: "At the end: " + s.former + ". It began " + words.Clock(s.Since.Local(), s.now) + "."})
	}
	for i, z := range s.Behind {
		if i == zonesNamed {
			return append(out, page.Span{Text: fmt.Sprintf("and %s more", words.Count(len(s.Behind)-i, "zone")), Role: themes.Dim})
		}
		out = append(out, page.Span{Text: words.Warned + " zone " + z.Zone + ": " + z.Why, Role: themes.Warn})
	}
	return out
}
