package ui

import (
	"time"

	"rung/ui/view"
)

// liveTime is how often a page that lives on more than revisions is asked
// whether there is something new.
const liveTime = 100 * time.Millisecond

type liveMsg struct{}

// arm starts the clock of a page that is live, while it is on top.
func (m *root) arm() {
	if _, ok := m.top().view.(view.Live); ok && !m.ticking {
		m.ticking = true
		m.later(m.after(liveTime, liveMsg{}))
	}
}

// live draws the page on top when it has something new.
func (m *root) live() {
	m.ticking, m.dirty = false, false
	e := m.top()
	if l, ok := e.view.(view.Live); ok && l.Fresh(m.env(e)) {
		e.synced, m.dirty = syncKey{}, true
	}
}

// counted draws the page on top where its counts are others.
func (m *root) counted() {
	e := m.top()
	if c, ok := e.view.(view.Counter); ok && c.Counted(m.env(e)) {
		e.synced, m.dirty = syncKey{}, true
	}
}

// settle brings the page on top up to date and does what it asks for then, so
// that work it starts begins now and not with the next message.
func (m *root) settle() {
	for range maxSettle {
		e := m.top()
		env := m.sync(e)
		was := e.synced
		m.asks(e, env)
		if m.top() == e && e.synced == was {
			return
		}
	}
}

// maxSettle bounds how often one message may lead from page to page.
const maxSettle = 8
