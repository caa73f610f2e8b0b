package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/ui/view"
)

// runsPlan says whether this Rung has a plan under way: leaving would stop it.
func (m *root) runsPlan() bool { return m.rev.Plan.Active() && !m.rev.Plan.Elsewhere() }

// quitNow ends the program.
func (m *root) quitNow() {
	m.quits = true
	m.later(tea.Quit)
}

// askQuit ends the program, and asks before while a plan is under way; asked again
// before that is answered, or while the plan stops, it ends at once.
func (m *root) askQuit() {
	if m.onTrialHere() && (m.quitting == nil || !slices.Contains(m.over, overlay(m.quitting))) && !m.leaving {
		m.quitting = &dialog{entry: m.top(), since: time.Now(), d: &view.Confirm{
			Title: "Leave Rung",
			Body: []string{"Not confirmed: " + m.rev.Unconfirmed.Title + ".", "Leaving puts it back now.",
				"ctrl+c leaves at once, and puts it back too."},
			NoText: "stay", YesText: "put it back and leave",
			Yes: func(*view.Env) { m.quitNow() },
		}}
		m.over = append(m.over, m.quitting)
		return
	}
	asked := m.quitting != nil && slices.Contains(m.over, overlay(m.quitting))
	if asked || m.leaving || !m.runsPlan() {
		m.quitNow()
		return
	}
	console := m.console
	m.quitting = &dialog{entry: m.top(), since: time.Now(), d: &view.Confirm{
		Title: "Leave Rung",
		Body: []string{"A plan is running.", "Leaving stops it after this step; it can be continued later.",
			"ctrl+c leaves at once."},
		NoText: "stay", YesText: "stop after this step and leave",
		Yes: func(*view.Env) {
			m.leaving = true
			m.works("stopping the plan after this step, then leaving (ctrl+c: at once)")
			m.background("", func(context.Context) view.ToastAsk { console.PlanStop(); return view.ToastAsk{} })
			m.left()
		},
	}}
	m.over = append(m.over, m.quitting)
}

// left ends the program once the plan that was to be stopped before has stopped.
func (m *root) left() {
	if m.leaving && !m.runsPlan() {
		m.quitNow()
	}
}
