package view

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// FocusLine returns the line of the selected row.
func (l *loggingDialog) FocusLine() int { return l.focus }

// pickedLine returns all options in a line, with the picked one marked.
func pickedLine(options []string, at int, st *themes.StyleSet) (line widget.Line) {
	for i, o := range options {
		if i == at {
			line = line.Add("["+o+"]", st.Selection)
		} else {
			line = line.Add(" "+o+" ", st.Dim)
		}
	}
	return line
}

// Draw shows one row per action with its levels, and one with the times.
func (l *loggingDialog) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	say := func(text string, style themes.Style) {
		for _, s := range widget.FlowText(text, w-2) {
			lines = append(lines, widget.Line{{Text: " "}, {Text: s, Style: style}}.Render(w))
		}
	}
	if len(l.keys) == 1 && l.keys[0].Kind == model.KindNamespace {
		say("Logging of the NetworkPolicies and the EgressFirewall of "+l.keys[0].Name+".", st.Text)
	} else {
		say("Log level of each rule, by its action.", st.Text)
	}
	if len(l.keys) == 1 {
		say("Now: "+l.levelsNow.String(), st.Text)
	}
	if s := l.session; s != nil {
		switch {
		case len(l.keys) > 1:
			say(fmt.Sprintf("%s on; e ends them now.", words.Count(l.sessions, "logging session")), st.Accent)
		case s.Problem != "":
			say(words.Warned+" Logging session: "+s.Problem+". e removes the record.", st.Warn)
		case s.Changed:
			say("Session of "+s.BriefText(l.clock)+"; the level was changed meanwhile and is left alone. e removes the record.", st.Warn)
		default:
			say("Session of "+s.BriefText(l.clock)+", then: "+logline.FormerText(s.LogSession)+". e ends it now.", st.Accent)
		}
	}
	if l.broken != "" {
		say(words.Warned+" "+l.broken, st.Warn)
	}
	lines = append(lines, "")
	row := func(i int, name string, options []string, at int, note string) {
		mark, style := " ", st.Text
		if i == l.rowAt {
			mark, style, l.focus = words.Cursor, st.Title, len(lines)
		}
		head, line := widget.StyledLine(mark+fmt.Sprintf("%-6s", name), style), pickedLine(options, at, st)
		if head.LineWidth()+line.LineWidth()+widget.TextWidth(note) > w { // ← and → reach the others
			line = widget.StyledLine("["+options[at]+"]", st.Selection)
		}
		lines = append(lines, widget.JoinLines(head, line).Add(note, st.Dim).Render(w))
	}
	for i, r := range l.rows {
		row(i, string(r.action), l.options, r.optionAt, " "+r.note)
	}
	names := model.MapList(l.times, func(t sessionTime) string { return t.name })
	row(len(l.rows), "for", names, l.lasts, "")
	lines = append(lines, "")
	hints := []string{"up/down row", "left/right or 0–5 choose", "a all alert", "n all notice", "d only Deny", "o all off"}
	if l.byRule {
		hints = []string{"up/down row", "left/right or 0–2 choose", "a all on", "d only Deny", "o all off"}
	}
	if l.session != nil {
		hints = append(hints, "e end the session")
	}
	hints = append(hints, "enter preview", "esc cancel")
	line := ""
	for _, h := range hints {
		if line != "" && widget.TextWidth(line)+widget.TextWidth(h)+3 > w-2 {
			say(line, st.Dim)
			line = ""
		}
		line = strings.TrimPrefix(line+"   "+h, "   ")
	}
	say(line, st.Dim)
	return "log " + words.ListSome(model.MapList(l.keys, model.Key.Label), 2), lines
}
