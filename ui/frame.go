package ui

import (
	"rung/ui/frame"
	"rung/ui/view"
)

// Below this size only the page itself is drawn.
const smallWidth, smallHeight = 24, 8

func (s *sized) small() bool { return s.w < smallWidth || s.h < smallHeight }

// above is how many lines are over the page.
func (s *sized) above() int {
	if s.small() {
		return 0
	}
	return 2
}

// body is the size of the page's area.
func (m *root) body() (w, h int) {
	if m.small() { // it gives its last line to what is being typed or said
		if m.h > 1 && (m.filter.typedOn(m.top()) || m.status.text != "") {
			return m.w, m.h - 1
		}
		return m.w, m.h
	}
	h = m.h - 3
	omits, troubled := m.below()
	if omits {
		h--
	}
	if troubled {
		h--
	}
	return m.w, h
}

// below says which lines stand between the page and the footer: what the page does not take
// into account, and what keeps a source from being read.
func (m *root) below() (omits, troubled bool) {
	if m.small() {
		return false, false
	}
	e, zone := m.top(), ""
	if z, ok := e.view.(view.Zoner); ok {
		zone = z.Zone()
	}
	return m.omissions.Take(m.rev, e.page, zone), m.h >= 12 && m.around().Trouble() != nil
}

// around is what the lines around the page tell in this frame.
func (m *root) around() *frame.State {
	return &frame.State{Styles: m.styles, Keys: m.keys, Rev: m.rev, Now: m.now, Counts: &m.counts, Load: &m.load, Spin: &m.jobs.spinner,
		Switches: m.opt.Switch != nil}
}
