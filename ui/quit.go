package ui

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/engine/statedir"
	"rung/revision"
	"rung/ui/view"
)

// runsPlan reports whether this Rung runs a plan, which leaving would stop.
func runsPlan(r *revision.Revision) bool { return r.Plan.IsUnderWay() && !r.Plan.RunsElsewhere() }

// hasOwnTrial reports whether leaving this Rung would revert a change.
func hasOwnTrial(r *revision.Revision) bool {
	u := r.Unconfirmed
	return u.IsOpen() && u.IsOwn && r.Mode.IsPersistent()
}

// quitNow ends the program.
func (m *rootModel) quitNow() {
	m.quits = true
	m.addCommand(tea.Quit)
}

// askQuit ends the program, but asks first while a plan runs or a change is on trial. Asked again before the
// answer, or while the plan stops, it ends at once.
func (m *rootModel) askQuit() {
	asked := m.quitting != nil && slices.Contains(m.overlays, Overlay(m.quitting))
	c := &view.ConfirmDialog{Title: "Leave Rung", NoText: "stay"}
	switch {
	case asked || m.leaving:
		m.quitNow()
		return
	case hasOwnTrial(m.rev):
		c.Body = []string{"Not confirmed: " + m.rev.Unconfirmed.Title + ".", "Leaving reverts it now.",
			"ctrl+c leaves at once, and reverts it too."}
		c.YesText, c.Yes = "revert it and leave", func(*view.Env) { m.quitNow() }
	case runsPlan(m.rev):
		c.Body = []string{"A plan is running.", "Leaving stops it after this step; it can be continued later.", "ctrl+c leaves at once."}
		c.YesText, c.Yes = "stop after this step and leave", func(env *view.Env) {
			console := m.console
			m.leaving = true
			m.jobs.beginJob("stopping the plan after this step, then leaving (ctrl+c: at once)", m.now)
			env.Run("", func(context.Context) any { console.StopPlan(); return nil })
			if !runsPlan(m.rev) { // it stopped by itself meanwhile
				m.quitNow()
			}
		}
	default:
		m.quitNow()
		return
	}
	m.quitting = m.askDialog(m.topEntry(), c)
}

// writeReport writes the report of an internal error and returns the error with the report's path.
func writeReport(dir string, at time.Time, what any, doing string) string {
	text := fmt.Sprintf("rung: internal error at %s while %s\n\n%v\n\n%s", at.Format(time.RFC3339), doing, what, debug.Stack())
	path, err := statedir.KeepFile(dir, "error-"+at.UTC().Format("20060102-150405.000")+".txt", []byte(text))
	if err != nil {
		return fmt.Sprintf("%v (no report: %v)", what, err)
	}
	return fmt.Sprintf("%v; the report is %s", what, path)
}
