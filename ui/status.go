package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/ui/view"
	"rung/ui/widget"
)

// toastTime is how long the status line keeps a message.
const toastTime = 5 * time.Second

// statusLine is the message in the status line, empty for none.
type statusLine struct {
	text      string
	bad       bool
	untilTime time.Time
	notices   []string // warnings from the start, still to be said
}

func (s *statusLine) sayToast(t view.ToastAsk, now time.Time) {
	s.text, s.bad, s.untilTime = widget.CleanText(t.Text), t.Bad, now.Add(toastTime)
}

// sayNotice says the next warning from the start when nothing else is said.
func (s *statusLine) sayNotice(now time.Time) {
	if s.text == "" && len(s.notices) > 0 {
		s.sayToast(view.ToastAsk{Text: s.notices[0], Bad: true}, now)
		s.notices = s.notices[1:]
	}
}

// expireText takes away what has been said for long enough.
func (s *statusLine) expireText(now time.Time) {
	if s.text != "" && now.After(s.untilTime) {
		s.text = ""
		s.sayNotice(now)
	}
}

// commandQueue holds the commands to run once the message under way was handled.
type commandQueue struct {
	ctx  context.Context // of the console
	cmds []tea.Cmd
}

func (q *commandQueue) addCommand(cmd tea.Cmd) {
	if cmd != nil {
		q.cmds = append(q.cmds, cmd)
	}
}

// addAfter brings a message later, unless the console is left before.
func (q *commandQueue) addAfter(d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-q.ctx.Done():
			return nil
		case <-t.C:
			return msg
		}
	}
}

// clockTick ticks with every second, so that ages on the screen are true.
func (q *commandQueue) clockTick() tea.Cmd {
	return q.addAfter(time.Until(time.Now().Truncate(time.Second).Add(time.Second)), clockMsg{})
}

// sizeAgain is how long after a change of size, or after another program had the
// terminal, the size is asked for once more.
const sizeAgain = 250 * time.Millisecond

// wholeScreen takes back margins, and leaves the cursor where it is. A frame that was on
// its way when the window grew ends by setting those of the smaller window, at which a
// line feed scrolls: the header was gone from then on.
const wholeScreen = ansi.SaveCursor + "\x1b[r" + ansi.RestoreCursor

// terminalSize is the size of the terminal, and whether it can be relied on.
//
// Bubble Tea asks for the size in two goroutines: at a signal, and when an editor has
// given the terminal back. The older answer can arrive last, and would then hold until
// the next change. So the size is asked for once more when it has settled. With the
// answer the whole screen is drawn again, which also mends what an editor, or keys
// echoed while it had the terminal, left behind.
type terminalSize struct {
	w, h     int
	n        int  // answers so far
	isRepeat bool // the next answer of this size is the one asked for once more
}

// sizeMsg asks for the size again, unless there was an answer since.
type sizeMsg struct{ n int }

// takeSize takes an answer; the size is asked for again later unless that was just done.
func (s *terminalSize) takeSize(m *rootModel, msg tea.WindowSizeMsg) tea.Cmd {
	w, h := max(0, msg.Width), max(0, msg.Height)
	known := s.isRepeat && w == s.w && h == s.h
	s.w, s.h, s.isRepeat = w, h, false
	s.n++
	if known {
		return nil
	}
	// The frame that follows the repeated answer is drawn after the margins are reset.
	return tea.Batch(tea.Raw(wholeScreen), m.addAfter(sizeAgain, sizeMsg{s.n}))
}

// askAgain asks for the size once more when the last answer is old enough.
func (s *terminalSize) askAgain(msg sizeMsg) tea.Cmd {
	if msg.n != s.n {
		return nil
	}
	s.isRepeat = true
	return tea.RequestWindowSize
}
