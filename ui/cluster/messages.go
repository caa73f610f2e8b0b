package cluster

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/words"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// messagesPage is the view.
type messagesPage struct {
	detail.PanePage
	byLine map[string]view.Message
	newest view.Message
}

// NewMessages makes the view.
func NewMessages(nav.Page) view.View {
	v := &messagesPage{PanePage: detail.NewPage()}
	v.Pane.Text = func(l detail.Line) string { return v.byLine[l.ID].Text + " " + v.byLine[l.ID].PageName }
	return v
}

// Sync makes the lines.
func (v *messagesPage) Sync(env *view.Env) {
	v.byLine = map[string]view.Message{}
	s := &detail.Sheet{St: env.Styles, W: env.W}
	all := env.Messages.Messages()
	if len(all) == 0 {
		s.AddNote("none", 0, "", env.Styles.Dim, env.Styles.Dim, "no messages yet: messages of the bottom line are kept here")
	}
	onNewest := v.Pane.SelectedID() == lineID(v.newest)
	for _, m := range slices.Backward(all) {
		v.byLine[lineID(m)] = m
		addMessage(env, s, m)
	}
	v.Pane.SetItems(s.Lines)
	if len(all) > 0 {
		v.newest = all[len(all)-1]
		if onNewest {
			v.Pane.SelectID(lineID(v.newest))
		}
	}
}

func lineID(m view.Message) string { return fmt.Sprintf("message.%d", m.Number) }

// addMessage adds one message: its time, its text, and its page.
func addMessage(env *view.Env, s *detail.Sheet, m view.Message) {
	st := env.Styles
	sign, mark, look := " ", st.Dim, st.Text
	if m.IsError {
		sign, mark, look = words.Failed, st.Error, st.Error
	}
	head := widget.StyledLine(words.Clock(m.At, env.Now)+" ", st.Dim).Add(sign+" ", mark)
	lead := head.LineWidth()
	place := "on " + m.PageName
	if m.Context != env.Rev.Mode.Title {
		place += " of " + m.Context
	}
	if m.Times > 1 {
		place = fmt.Sprintf("%s times, %s", words.Thousands(m.Times), place)
	}
	parts := widget.FlowText(m.Text, max(12, s.TextWidth()-lead))
	for i, part := range parts {
		line := head.Add(part, look)
		if i > 0 {
			line = widget.StyledLine(strings.Repeat(" ", lead), st.Text).Add(part, look)
		}
		if last := i == len(parts)-1; last && line.LineWidth()+3+widget.TextWidth(place) <= s.TextWidth() {
			line, place = line.Add(" · "+place, st.Dim), ""
		}
		if i == 0 {
			s.Add(lineID(m), line, messagePage(m))
		} else {
			s.AddSkipped(line)
		}
	}
	if place != "" {
		for _, part := range widget.FlowText(place, max(12, s.TextWidth()-lead)) {
			s.AddUnder(lead, part, st.Dim)
		}
	}
}

// messagePage returns the page where a message arose, if it can be opened.
func messagePage(m view.Message) nav.Page {
	switch m.Page.Kind {
	case nav.Edit, nav.Preview, nav.Template, nav.Messages:
		return nav.Page{} // the page's work is over
	}
	return m.Page
}

// HasNewCounts reports whether there is a new message.
func (v *messagesPage) HasNewCounts(env *view.Env) bool {
	all := env.Messages.Messages()
	return len(all) > 0 && all[len(all)-1] != v.newest
}

// Do opens the page where a message arose.
func (v *messagesPage) Do(env *view.Env, id action.ID) bool {
	if id == action.Open && v.SelectedPage().IsNone() {
		env.ShowText("its page is closed")
		return true
	}
	return v.PanePage.Do(env, id)
}

// Copies offers the text of the message.
func (v *messagesPage) Copies(*view.Env) []view.CopyItem {
	l, _ := v.Pane.SelectedItem()
	if m, ok := v.byLine[l.ID]; ok {
		return []view.CopyItem{{What: "message", Text: m.Text}}
	}
	return nil
}
