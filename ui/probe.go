package ui

import (
	"context"

	"rung/engine/probe"
	"rung/engine/trace"
	"rung/ui/nav"
	"rung/ui/view"

	tea "charm.land/bubbletea/v2"
)

// askProbe asks which connection is to be put in as packets, beginning with what the
// cursor is on. One that fits a rule is looked for elsewhere: that takes a moment.
func (m *root) askProbe() {
	e := m.top()
	env := m.sync(e)
	pages := []nav.Page{e.view.Selected(), e.page}
	switch e.page.Kind {
	case nav.Pod, nav.Trace, nav.Probe:
		pages = pages[1:] // its lines are rules, and the page is about the pod or the connection
	}
	for _, p := range pages {
		if p.Kind != nav.Rule {
			continue
		}
		rev := env.Rev
		m.prepare(e, "looking for a connection of the rule", func(context.Context) func(*view.Env) {
			q := trace.OfRule(rev, p.Key, p.Dir, p.Rule)
			if c, ok := probe.Suggest(rev, p.Key, p.Dir, p.Rule); ok {
				q = trace.QuestionOf(c)
			}
			return func(env *view.Env) { view.AskProbe(env, q) }
		})
		return
	}
	view.AskProbe(env, view.TraceOf(env.Rev, pages...))
	m.asks(e, env)
}

// askMsg is a question of a page whose answer was prepared.
type askMsg struct {
	job, entry int
	ask        func(*view.Env)
}

// prepare works out elsewhere what a page then asks.
func (m *root) prepare(e *entry, what string, do func(context.Context) func(*view.Env)) {
	if m.inline {
		m.asked(askMsg{entry: e.id, ask: do(m.ctx)})
		return
	}
	job, id := m.works(what), e.id
	m.later(guard(m.opt.StateDir, what, func() tea.Msg { return askMsg{job, id, do(m.ctx)} }))
}

// asked puts the question, if its page is still on top and nothing else is asked.
func (m *root) asked(msg askMsg) {
	delete(m.working, msg.job)
	e := m.top()
	if e.id != msg.entry || len(m.over) > 0 {
		return
	}
	env := m.sync(e)
	msg.ask(env)
	m.asks(e, env)
}
