package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestLateSize: an answer about the size from before the last change, which arrives
// after it, does not hold. The size is asked for once more when it has settled, and
// once only.
func TestLateSize(t *testing.T) {
	t.Parallel()
	m := freshRoot(t, newStill(t), Options{})
	size := tea.WindowSizeMsg{Width: 120, Height: 34}
	m.Update(size)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 35}) // late
	if asked := asksForSize(m, sizeMsg{m.n - 1}); asked {
		t.Error("asked for the size although an answer came since")
	}
	if asked := asksForSize(m, sizeMsg{m.n}); !asked {
		t.Fatal("the size is not asked for again")
	}
	m.Update(size)
	if m.w != size.Width || m.h != size.Height {
		t.Fatalf("the console draws %d×%d cells in a terminal of %d×%d", m.w, m.h, size.Width, size.Height)
	}
	if asked := asksForSize(m, sizeMsg{m.n}); !asked {
		t.Error("an answer that is news is taken for the last word")
	}
	n := m.n
	cmd := m.handled(size)
	if m.n != n+1 || cmd != 0 {
		t.Errorf("the same answer again: %d things to do, want none: it would never end", cmd)
	}
}

// handled counts what the model wants done after a message, besides its clocks.
func (m *rootModel) handled(msg tea.Msg) int {
	m.cmds = nil
	m.handleMessage(msg)
	defer func() { m.cmds = nil }()
	return len(m.cmds)
}

// asksForSize says whether the message makes the model ask the terminal for its size.
func asksForSize(m *rootModel, msg tea.Msg) bool {
	m.cmds = nil
	m.handleMessage(msg)
	defer func() { m.cmds = nil }()
	for _, cmd := range m.cmds {
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		select {
		case got := <-done:
			if got == tea.RequestWindowSize() {
				return true
			}
		case <-time.After(time.Second):
		}
	}
	return false
}
