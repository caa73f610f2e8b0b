package sessions

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View lists the sessions that are on, those that end first first, then those that ended,
// newest first.
type View struct {
	view.List
	table *widget.Table[*item]
	all   []*item
	now   time.Time
	st    *themes.Styles
}

// item is one session.
type item struct {
	id     string
	target model.Key
	model.LogSession
	level         string
	on            bool
	rows          string // in which zones the rows log
	state         string
	bad, wrong    bool
	endedAt       time.Time
	zones, behind []revision.LoggingIn
}

// New makes the view.
func New(nav.Page) view.View {
	v := &View{}
	plain := func(f func(*item) string) func(*item) widget.Line {
		return func(it *item) widget.Line {
			if !it.on {
				return widget.Styled(f(it), v.st.Dim)
			}
			return widget.Plain(f(it))
		}
	}
	v.table = &widget.Table[*item]{
		ID:    func(it *item) string { return it.id },
		Empty: "no logging session: L on a policy, on the ladder or on its page, begins one",
		Columns: []widget.Column[*item]{
			{Title: "WHAT", Name: true, Min: 16, Cell: func(it *item) widget.Line {
				if !it.on {
					return widget.Styled(it.target.Brief(), v.st.Dim)
				}
				return widget.Styled(it.target.Brief(), v.st.Accent)
			}},
			{Title: "LEVEL", Min: 8, Drop: 4, Cell: plain(func(it *item) string { return it.level })},
			{Title: "WHO", Min: 6, Max: 24, Drop: 3, Cell: plain(func(it *item) string { return it.By })},
			{Title: "UNTIL", Min: 8, Cell: plain(func(it *item) string { return until(it, v.now) })},
			{Title: "ROWS", Drop: 2, Cell: func(it *item) widget.Line {
				st := v.st.Dim
				if it.on && len(it.behind) > 0 {
					st = v.st.Warn
				} else if it.on {
					st = v.st.OK
				}
				return widget.Styled(it.rows, st)
			}},
			{Title: "STATE", Min: 12, Flex: true, Cell: func(it *item) widget.Line {
				switch {
				case it.bad:
					return widget.Styled("▲ "+it.state, v.st.Warn)
				case it.on:
					return widget.Styled(it.state, v.st.OK)
				}
				return widget.Styled(it.state, v.st.Dim)
			}},
		},
	}
	v.Of = v.table
	return v
}

// until is when a session ends, and how long that is.
func until(it *item, now time.Time) string {
	switch {
	case it.wrong:
		return "?"
	case !it.on:
		return "–"
	case it.Open():
		return "switched off"
	case it.Over(now):
		return view.Clock(it.Until.Local(), now)
	}
	return view.Clock(it.Until.Local(), now) + " (" + left(it.Until.Sub(now)) + ")"
}

// left is a time to go, in the unit that matters.
func left(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// Sync lists what is on and what ended.
func (v *View) Sync(env *view.Env) {
	v.now, v.st = env.Now, env.Styles
	v.all = nil
	for _, s := range env.Rev.LogSessions() {
		v.all = append(v.all, running(env.Rev, s, env.Now))
	}
	for i, s := range env.Rev.EndedLogs {
		levels, _ := model.ParseLogging(s.Set, true)
		v.all = append(v.all, &item{id: fmt.Sprintf("ended %d %s %s", i, s.ID, s.Target), target: s.Target, LogSession: s.LogSession,
			level: levels.String(), rows: "–", endedAt: s.At, state: view.Clock(s.At.Local(), env.Now) + " " + s.How})
	}
	v.table.SetItems(v.all)
}

func running(r *revision.Revision, s revision.LogSession, now time.Time) *item {
	levels, _ := model.NamespaceLogLevels(s.Level)
	if l, err := model.ParseLogging(s.Level, s.Level != ""); err == nil {
		levels = l
	}
	it := &item{id: "on " + s.Target.String(), target: s.Target, LogSession: s.LogSession, level: levels.String(), on: true,
		zones: r.LoggingIn(s.Target), state: "on", wrong: s.Problem != ""}
	for _, z := range it.zones {
		if z.Why != "" {
			it.behind = append(it.behind, z)
		}
	}
	it.rows = fmt.Sprintf("%d of %s", len(it.zones)-len(it.behind), words.Total(len(it.zones), "zone"))
	switch {
	case s.Problem != "":
		it.state, it.bad = s.Problem, true
	case s.Changed:
		it.state, it.bad = "the level was changed meanwhile and stays", true
	case s.Over(now):
		it.state, it.bad = "over, not ended yet", true
	}
	return it
}

// Render draws the list, and below it the zones whose rows do not log and what comes back.
func (v *View) Render(env *view.Env, w, h int) string {
	it, ok := v.table.Selected()
	if !ok || h < 12 {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	say := func(text string, st themes.Style) {
		for _, l := range widget.Flow(widget.Clean(text), max(8, w-2)) {
			lines = append(lines, widget.Line{{Text: " "}, {Text: l, Style: st}}.Render(w))
		}
	}
	switch {
	case !it.on:
		say("Ended "+it.state+".", v.st.Text)
	case it.bad:
		say("▲ "+it.state, v.st.Warn)
	}
	if it.on && !it.wrong {
		say("At the end: "+it.FormerText()+". It began "+view.Clock(it.Since.Local(), v.now)+".", v.st.Text)
	}
	for i, z := range it.behind {
		if i == zonesNamed {
			say(fmt.Sprintf("and %s more", words.Total(len(it.behind)-i, "zone")), v.st.Dim)
			break
		}
		say("▲ zone "+z.Zone+": "+z.Why, v.st.Warn)
	}
	lines = lines[:min(len(lines), h/3)]
	head := widget.Heading(it.target.Label(), w, v.st).Render(w)
	return v.table.Render(v.st, w, h-len(lines)-1) + "\n" + head + "\n" + widget.Pad(lines, len(lines))
}

// zonesNamed is how many zones are named whose rows do not log.
const zonesNamed = 5

// Do leads on from the session under the cursor.
func (v *View) Do(env *view.Env, id action.ID) bool {
	it, ok := v.table.Selected()
	switch id {
	case action.Open:
		if p := v.Selected(); p.None() {
			env.Fail("a namespace has no page")
		} else {
			env.Open(p)
		}
	case action.SessionsLogging:
		if ok {
			view.AskLogging(env, it.target)
		}
	default:
		return v.List.Do(env, id)
	}
	return true
}

// WhyNot says why an action makes no sense here.
func (v *View) WhyNot(_ *view.Env, id action.ID) string {
	if _, ok := v.table.Selected(); !ok && (id == action.SessionsLogging || id == action.Open) { // nothing to lead on from
		return "no session here"
	}
	return ""
}

// Selected is the policy of the session under the cursor.
func (v *View) Selected() nav.Page {
	if it, ok := v.table.Selected(); ok && it.target.Kind.IsPolicy() {
		return nav.ToPolicy(it.target)
	}
	return nav.Page{}
}
