package logs

import (
	"rung/pages/activity"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// SessionsView lists the logging sessions, with details of the selected one below.
type SessionsView struct {
	view.List
	table *widget.Table[*activity.LogSession]
	st    *themes.StyleSet
}

// NewSessions makes the view.
func NewSessions(nav.Page) view.View {
	v := &SessionsView{}
	v.table = widget.PageTable(activity.SessionTable, &v.st)
	v.Widget = v.table
	return v
}

// Sync lists running and ended sessions.
func (v *SessionsView) Sync(env *view.Env) {
	v.st = env.Styles
	all := activity.NewSessionFacts(env.Rev, env.Rev.EndedLogs, env.Now)
	v.table.Empty = env.Rev.EmptyText(activity.SessionTable.Empty + ": L on a policy starts one")
	v.table.SetItems(all.AllSessions())
}

// Render draws the list, with the selected session below.
func (v *SessionsView) Render(env *view.Env, w, h int) string {
	s, ok := v.table.SelectedItem()
	if !ok || h < 12 {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	for _, said := range s.DetailLines() {
		for _, l := range widget.FlowText(widget.CleanText(said.Text), max(8, w-2)) {
			lines = append(lines, widget.Line{{Text: " "}, {Text: l, Style: v.st.TokenStyle(said.Role)}}.Render(w))
		}
	}
	lines = lines[:min(len(lines), h/3)]
	head := widget.HeadingLine(s.Target.Label(), w, v.st).Render(w)
	return v.table.Render(v.st, w, h-len(lines)-1) + "\n" + head + "\n" + widget.PadBlock(lines, len(lines))
}

// Do opens the policy of the selected session, or asks to change its logging.
func (v *SessionsView) Do(env *view.Env, id action.ID) bool {
	s, ok := v.table.SelectedItem()
	switch id {
	case action.Open:
		if p := v.SelectedPage(); p.IsNone() {
			env.ShowFailure("a namespace has no page")
		} else {
			env.OpenPage(p)
		}
	case action.SessionsLogging:
		if ok {
			view.AskLogging(env, s.Target)
		}
	default:
		return v.List.Do(env, id)
	}
	return true
}

// WhyNot says why an action is not possible here.
func (v *SessionsView) WhyNot(_ *view.Env, id action.ID) string {
	if _, ok := v.table.SelectedItem(); !ok && (id == action.SessionsLogging || id == action.Open) {
		return "no session here"
	}
	return ""
}

// SelectedPage returns the policy of the selected session.
func (v *SessionsView) SelectedPage() nav.Page {
	if s, ok := v.table.SelectedItem(); ok && s.Target.Kind.IsPolicy() {
		return nav.ToPolicy(s.Target)
	}
	return nav.Page{}
}
