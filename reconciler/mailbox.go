package reconciler

import (
	"slices"
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/reconciler/tracker"
)

// tooManyChanges is where a list of changed rows is worth less than a resync.
const tooManyChanges = 1 << 18

// mail is what came in since the loop looked last, taken together.
type mail struct {
	desired *compiler.Desired // nil: no news
	delta   *compiler.Delta
	steps   uint64 // how many desired and delta are
	loaded  bool
	live    *model.ZoneUpdate
	grows   bool // the changes in live are the mailbox's own, to be added to
	mode    *Mode
	stopped bool // mode was Observe in between, whatever it is now
	guard   *Guard
	stops   uint64 // how often writing was stopped since the start, by mode or guard
}

// mailbox gathers what others send while the loop is busy, without loss and
// without making them wait.
type mailbox struct {
	mu     sync.Mutex
	mail   mail
	signal chan struct{} // one element: there is mail
}

func (b *mailbox) edit(f func(*mail)) {
	b.mu.Lock()
	f(&b.mail)
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

func (b *mailbox) take() mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.mail
	b.mail = mail{loaded: m.loaded, stops: m.stops}
	return m
}

// stopsSaid counts the stops up to now, also those the worker has not taken out yet.
func (b *mailbox) stopsSaid() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mail.stops
}

func (m *mail) addMode(mode Mode) {
	m.mode = &mode
	if mode == Observe {
		m.stopped = true
		m.stops++
	}
}

func (m *mail) addGuard(g Guard) {
	m.guard = &g
	if g.Hold != "" {
		m.stops++
	}
}

func (m *mail) addDesired(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	if m.desired == nil {
		m.delta = delta
	} else {
		m.delta = tracker.MergeDeltas(m.delta, delta)
	}
	m.desired = d
	m.steps++
	m.loaded = m.loaded || loaded
}

// addLive takes two updates together: the last says how the connection and the
// rows are, the changes add up, and a resync among them stays one.
func (m *mail) addLive(u model.ZoneUpdate) {
	if m.live == nil {
		m.live = &u
		return
	}
	old := m.live
	u.Resync = u.Resync || old.Resync
	switch {
	case u.DB == nil:
		u.DB, u.Changes = old.DB, old.Changes
	case old.DB != nil:
		if !m.grows {
			m.grows, old.Changes = true, slices.Clone(old.Changes)
		}
		u.Changes = append(old.Changes, u.Changes...)
	}
	if len(u.Changes) > tooManyChanges {
		u.Resync = true
	}
	if u.Resync {
		u.Changes = nil
	}
	if u.Server == "" {
		u.Server = old.Server
	}
	m.live = &u
}
