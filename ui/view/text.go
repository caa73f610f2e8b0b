package view

import (
	"time"

	"rung/model"
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
	switch s {
	case model.StateInSync:
		return st.OK
	case model.StateSettling:
		return st.Info
	case model.StateFrozen, model.StateBehind:
		return st.Error
	case model.StateNotEnforced, model.StateStale, model.StateNotComparable:
		return st.Warn
	}
	return st.Dim
}

// ActionStyle is the look of what a rule does.
func ActionStyle(a model.Action, st *themes.Styles) themes.Style {
	switch a {
	case model.Allow:
		return st.Allow
	case model.Deny:
		return st.Deny
	case model.Pass:
		return st.Pass
	}
	return st.Text
}
