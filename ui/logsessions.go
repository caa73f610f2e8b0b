package ui

import (
	"slices"
	"time"

	"rung/model"
	"rung/ui/view"
)

// justEnded is how old the end of a logging session may be to be told: what the history has
// from before is on the page of the sessions.
const justEnded = 10 * time.Second

// onEndedLogs tells which logging sessions ended that had not in was.
func (m *root) onEndedLogs(was []model.EndedLogSession) {
	for _, e := range m.rev.EndedLogs {
		known := slices.ContainsFunc(was, func(o model.EndedLogSession) bool { return o.ID == e.ID && o.Target == e.Target })
		if !known && m.now.Sub(e.At) < justEnded {
			m.say(view.ToastAsk{Text: e.String()})
		}
	}
}
