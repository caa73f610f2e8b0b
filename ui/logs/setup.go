package logs

import (
	"rung/ui/logs/line"
	"slices"

	"rung/ui/nav"
	"rung/ui/view"
)

// look is how a page of log lines is set up: the next one begins like it.
type look struct {
	clock   line.Clock
	columns []line.Column
}

// begin sets the page up as the one before it, once.
func (v *logPage) begin(env *view.Env) {
	if v.begun {
		return
	}
	v.begun = true
	if set, ok := env.Setups.Of(nav.Logs).(look); ok {
		v.writer.Clock, v.writer.Columns = set.clock, slices.Clone(set.columns)
	}
}

// keep keeps how the page is set up.
func (v *logPage) keep(env *view.Env) {
	env.Setups.Keep(nav.Logs, look{v.writer.Clock, slices.Clone(v.writer.Columns)})
}
