package logs

import (
	"fmt"

	"rung/model/words"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// nothing fills the place of the lines when there is none: with the reasons.
func (v *logPage) nothing(env *view.Env, w, h int) []string {
	st := env.Styles
	title := "  No lines yet. Why?"
	if !v.feed.query.Empty() || !v.cleared.IsZero() {
		title = "  No line to show. Why?"
	}
	lines := []string{widget.Styled(title, st.Title).Render(w)}
	if v.feed.pending() || v.hunt.under() {
		lines = []string{widget.Join(widget.Plain("  "), env.Busy(v.scanning, "looking")).Render(w)}
	}
	for _, p := range v.why(env) {
		lines = append(lines, reasonLines(p, w, st)...)
	}
	if links := v.above.links(); len(links) > 0 {
		key := env.Keys.Action(action.Open).Shown()
		lines = append(lines, "", widget.Line{{Text: "  " + key, Style: st.Key}, {Text: " opens "}, {Text: links[0].text, Style: st.Accent}}.Render(w))
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:max(0, h)]
}

// why are the reasons for seeing nothing, or less than one expects, the nearest
// first.
func (v *logPage) why(env *view.Env) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if v.feed.len() == 0 && !v.feed.query.Empty() {
		if _, all := v.Counts(); all > 0 {
			add("0 of %s match the filter; esc clears it.", words.Total(all, "line"))
		} else if held := len(v.feed.held); held > 0 {
			add("%s buffered, all about something else than this page.", words.Total(held, "line"))
		}
	}
	if !v.cleared.IsZero() {
		add("The list was cleared at %s; earlier lines are hidden.", words.Clock(v.cleared, env.Now))
	}
	out = append(out, checks(env, v.page)...)
	if k := v.page.Key; k.Kind.IsPolicy() {
		out = append(out, v.above.sentences(k)...)
	}
	if n := v.stats.Unattributed; n > 0 {
		add("The rule behind %s is unknown; only the log of all policies shows them.", words.Total(n, "line"))
	}
	return out
}

// Receive takes what decides first, and counted piles, and says how saving went.
func (v *logPage) Receive(env *view.Env, msg any) {
	switch m := msg.(type) {
	case *above:
		v.above = m
		if m.tell {
			tellWhy(env, v.why(env), v.above.links())
		}
	case proposed:
		m.tell(env)
	case saved:
		m.tell(env)
	default:
		v.piles.receive(msg)
	}
}
