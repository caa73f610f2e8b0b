package ui

import (
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/widget"
)

// trouble is what keeps a source from being read, empty when all are. It has a
// line of its own below the page, until it is over: what stands above is then not
// what is, or not all of it.
func (m *root) trouble() widget.Line {
	st := m.styles
	for _, s := range m.rev.Sources {
		if s.Conn != model.ConnLost && s.Conn != model.ConnDenied {
			continue
		}
		l := widget.Line{{Text: " ● " + s.Name + ": ", Style: st.Error}}
		switch {
		case s.Conn == model.ConnDenied:
			l = l.Add("no permission", st.Error)
		case s.ReadAt.IsZero():
			l = l.Add("never read", st.Error)
		default:
			l = l.Add(fmt.Sprintf("lost %s ago, last state shown", words.Age(m.now.Sub(s.At))), st.Error)
		}
		if s.Error != "" {
			l = l.Add(" · "+s.Error, st.Text)
		}
		if key := m.keys.Action(action.GoContexts).Shown(); key != "" && m.opt.Switch != nil {
			l = l.Add(" · "+key+" other contexts", st.Dim)
		}
		return l
	}
	return nil
}

// troubled says whether the line of trouble is shown.
func (m *root) troubled() bool { return m.h >= 12 && !m.small() && m.trouble() != nil }
