package view

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"rung/engine/revision"
	"rung/model"
	"rung/pages/page/role"
	"rung/themes"
	"rung/ui/widget"
)

// Age is a duration as kubectl says it: "4s", "12m", "3h", "2d". A moment that lies
// ahead, by another machine's clock, is now.
func Age(d time.Duration) string { return duration.ShortHumanDuration(max(d, 0)) }

// Clock is a moment of today as people read it; of another day with its date.
func Clock(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// ZoneMark is a zone in one sign: ● read, ▲ read while something below its rows is wrong,
// ◐ not read yet, ○ not reached, ✗ no permission.
func ZoneMark(r *revision.Revision, z *model.ZoneState, now time.Time, st *themes.Styles) widget.Span {
	switch z.Conn {
	case model.ConnSynced, model.ConnReadOnly, model.ConnSwept:
		if r.Faulty(z, now) {
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
