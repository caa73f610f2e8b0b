package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// sizeAgain is how long after a change of size, or after another program had the
// terminal, the size is asked for once more.
const sizeAgain = 250 * time.Millisecond

// wholeScreen takes back margins, and leaves the cursor where it is. A frame that was on
// its way when the window grew ends by setting those of the smaller window, at which a
// line feed scrolls: the header was gone from then on.
const wholeScreen = ansi.SaveCursor + "\x1b[r" + ansi.RestoreCursor

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

// resize takes an answer.
func (m *root) resize(msg tea.WindowSizeMsg) {
	w, h := max(0, msg.Width), max(0, msg.Height)
	known := m.again && w == m.w && h == m.h
	m.w, m.h, m.again = w, h, false
	m.n++
	if !known {
		m.later(tea.Raw(wholeScreen)) // what follows on the answer asked for once more is drawn after it
		m.later(m.after(sizeAgain, sizeMsg{m.n}))
	}
}

// resized asks for the size once more when the last answer is old enough.
func (m *root) resized(msg sizeMsg) {
	m.dirty = false
	if msg.n == m.n {
		m.again = true
		m.later(tea.RequestWindowSize)
	}
}
