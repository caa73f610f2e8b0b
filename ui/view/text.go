package view

import (
	"time"

	"rung/model"
	"rung/pages/page/role"
	"rung/revision"
	"rung/revision/flows"
	"rung/themes"
	"rung/ui/widget"
)

// ZoneMark is a zone in one sign: ● read, ▲ read while something below its rows is wrong,
// ◐ not read yet, ○ not reached, ✗ no permission.
func ZoneMark(r *revision.Revision, z *model.ZoneState, now time.Time, st *themes.Styles) widget.Span {
	switch z.Conn {
	case model.ConnSynced, model.ConnReadOnly, model.ConnSwept:
		if flows.Faulty(r, z, now) {
			return widget.Span{Text: "▲", Style: st.Warn}
		}
		return widget.Span{Text: "●", Style: st.OK}
	case model.ConnDenied:
		return widget.Span{Text: "✗", Style: st.Error}
	case model.ConnLost:
		return widget.Span{Text: "○", Style: st.Error}
	}
	return widget.Span{Text: "◐", Style: st.Info}
}

// StateStyle is the look of a policy's state.
func StateStyle(s model.PolicyState, st *themes.Styles) themes.Style {
	return st.Of(role.State(s))
}

// ActionStyle is the look of what a rule does.
func ActionStyle(a model.Action, st *themes.Styles) themes.Style {
	return st.Of(role.Action(a))
}
