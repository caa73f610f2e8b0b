package logs

import (
	"rung/pages/activity"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View lists the sessions, and below them the whole of the one under the cursor.
type SessionsView struct {
	view.List
	table *widget.Table[*activity.LogSession]
	st    *themes.StyleSet
}

// New makes the view.
func NewSessions(nav.Page) view.View {
	v := &SessionsView{}
	v.table = widget.TableOf(activity.SessionTable, &v.st)
	v.Of = v.table
	return v
}

// Sync lists what is on and what ended.
func (v *SessionsView) Sync(env *view.Env) {
	v.st = env.Styles
	all := activity.SessionFactsOf(env.Rev, env.Rev.EndedLogs, env.Now)
	v.table.Empty = env.Rev.EmptyText(activity.SessionTable.Empty + ": L on a policy, on the ladder or on its page, begins one")
	v.table.SetItems(all.AllSessions())
}

// Render draws the list, and below it the session under the cursor.
func (v *SessionsView) Render(env *view.Env, w, h int) string {
	s, ok := v.table.SelectedItem()
	if !ok || h < 12 {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	for _, said := range s.DetailLines() {
		for _, l := range widget.FlowText(widget.CleanText(said.Text), max(8, w-2)) {
			lines = append(lines, widget.Line{{Text: " "}, {Text: l, Style: v.st.StyleOf(said.Role)}}.Render(w))
		}
	}
	lines = lines[:min(len(lines), h/3)]
	head := widget.HeadingLine(s.Target.Label(), w, v.st).Render(w)
	return v.table.Render(v.st, w, h-len(lines)-1) + "\n" + head + "\n" + widget.PadBlock(lines, len(lines))
}

// Do leads on from the session under the cursor.
func (v *SessionsView) Do(env *view.Env, id action.ID) bool {
	s, ok := v.table.SelectedItem()
	switch id {
	case action.Open:
		if p := v.SelectedPage(); p.IsNone() {
			env.SayFailure("a namespace has no page")
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

// WhyNot says why an action makes no sense here.
func (v *SessionsView) WhyNot(_ *view.Env, id action.ID) string {
	if _, ok := v.table.SelectedItem(); !ok && (id == action.SessionsLogging || id == action.Open) { // nothing to lead on from
		return "no session here"
	}
	return ""
}

// SelectedPage is the policy of the session under the cursor.
func (v *SessionsView) SelectedPage() nav.Page {
	if s, ok := v.table.SelectedItem(); ok && s.Target.Kind.IsPolicy() {
		return nav.ToPolicy(s.Target)
	}
	return nav.Page{}
}
