package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// sizeAgain is how long after a change of size, or after another program had the
// terminal, the size is asked for once more.
const sizeAgain = 250 * time.Millisecond

// sized is the size of the terminal, and whether it can be relied on.
//
// Bubble Tea asks for the size in two goroutines: at a signal, and when an editor has
// given the terminal back. The older answer can arrive last, and would then hold until
// the next change. So the size is asked for once more when it has settled. With the
// answer the whole screen is drawn again, which also mends what an editor, or keys
// echoed while it had the terminal, left behind.
type sized struct {
	w, h  int
	n     int  // answers so far
	again bool // the next answer of this size is the one asked for once more
}

// sizeMsg asks for the size again, unless there was an answer since.
type sizeMsg struct{ n int }

// resize takes an answer; the size is asked for again later unless that was just done.
func (s *sized) resize(m *root, msg tea.WindowSizeMsg) tea.Cmd {
	w, h := max(0, msg.Width), max(0, msg.Height)
	known := s.again && w == s.w && h == s.h
	s.w, s.h, s.again = w, h, false
	s.n++
	if known {
		return nil
	}
	return m.after(sizeAgain, sizeMsg{s.n})
}

// settled asks for the size once more when the last answer is old enough.
func (s *sized) settled(msg sizeMsg) tea.Cmd {
	if msg.n != s.n {
		return nil
	}
	s.again = true
	return tea.RequestWindowSize
}
