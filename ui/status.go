package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

const (
	// toastTime is how long the status line keeps a message that is no error.
	toastTime = 5 * time.Second
	// seenTime is how long an error has to be on the screen until a key takes it away: one that is
	// pressed before was not pressed by somebody who had read it.
	seenTime = time.Second
	// unseenErrors is how many errors wait in the status line; the page of messages has all.
	unseenErrors = 3
)

// statusLine holds the messages that are still to be read: the newest last, and before it errors
// that nobody can have seen yet.
type statusLine struct {
	log    view.MessageLog
	toRead []*statusText
}

// statusText is a message in the status line.
type statusText struct {
	text      string
	bad       bool
	untilTime time.Time
	drawnAt   time.Time   // when it was first on the screen, zero for never
	saidOn    *trailEntry // the page that was on top then; nil while what it came with is under way
}

// sayToast says something that arose on a page, and keeps it. An error that nobody has seen stays
// behind it.
func (s *statusLine) sayToast(t view.ToastAsk, context string, e *trailEntry, now time.Time) {
	text := widget.CleanText(t.Text)
	if text == "" {
		return
	}
	s.log.AddMessage(view.Message{At: now, Text: text, IsError: t.Bad, Page: e.page, PageName: e.crumbText(false), Context: context})
	s.toRead = slices.DeleteFunc(s.toRead, func(x *statusText) bool { return !x.bad || x.text == text })
	s.toRead = append(s.toRead, &statusText{text: text, bad: t.Bad, untilTime: now.Add(toastTime)})
	s.toRead = s.toRead[max(0, len(s.toRead)-unseenErrors):]
}

// sayNotices says the warnings from the start, the first one first, then what the first page said.
func (s *statusLine) sayNotices(notices []string, context string, e *trailEntry, now time.Time) {
	first, begun := []*statusText(nil), slices.Clone(s.toRead)
	for _, text := range notices {
		s.sayToast(view.ToastAsk{Text: text, Bad: true}, context, e, now)
		if len(first) < unseenErrors {
			first = append(first, s.shownText())
		}
	}
	slices.Reverse(first)
	s.toRead = append(begun, first...)
	s.toRead = s.toRead[max(0, len(s.toRead)-unseenErrors):]
}

// shownText is the message in the line now, nil for none.
func (s *statusLine) shownText() *statusText {
	if len(s.toRead) == 0 {
		return nil
	}
	return s.toRead[len(s.toRead)-1]
}

// dropShown takes the message away that is in the line now.
func (s *statusLine) dropShown() { s.toRead = s.toRead[:len(s.toRead)-1] }

// takeInput takes away what somebody who now presses a key has read.
func (s *statusLine) takeInput(now time.Time) {
	if t := s.shownText(); t != nil && (!t.bad || !t.drawnAt.IsZero() && now.Sub(t.drawnAt) >= seenTime) {
		s.dropShown()
	}
}

// settleOn takes away what is no error and was said on another page; on the page of messages all
// of it stands.
func (s *statusLine) settleOn(e *trailEntry) {
	switch t := s.shownText(); {
	case t == nil:
	case t.saidOn == nil:
		t.saidOn = e
	case t.saidOn == e:
	case e.page.Kind == nav.Messages:
		s.toRead = nil
	case !t.bad:
		s.dropShown()
	}
}

// expireText takes away what is no error and has been said for long enough.
func (s *statusLine) expireText(now time.Time) {
	if t := s.shownText(); t != nil && !t.bad && now.After(t.untilTime) {
		s.dropShown()
	}
}

// drawText draws the message in the line: with the command that shows it whole where it is cut, or
// where others wait behind it.
func (s *statusLine) drawText(st *themes.StyleSet, keys *action.Keymap, now time.Time, w int) string {
	t := s.shownText()
	if t.drawnAt.IsZero() {
		t.drawnAt = now
	}
	l := widget.StyledLine(" "+t.text, st.Info)
	if t.bad {
		l = widget.StyledLine(" "+words.Failed+" "+t.text, st.Error)
	}
	var more widget.Line
	if n := len(s.toRead) - 1; n > 0 {
		more = widget.StyledLine("  +"+words.Thousands(n), st.Dim)
	}
	if len(more) == 0 && l.LineWidth() <= w {
		return l.Render(w)
	}
	if key := keys.ActionByID(action.Palette).HintKey(); key != "" {
		more = more.Add("  ", st.Text).Add(key+string(nav.Messages), st.Key)
	}
	room := w - more.LineWidth()
	if room < leastMessage {
		return l.Render(w)
	}
	return l.Render(room) + more.Render(w-room)
}

// leastMessage is from how many cells on a message makes room for the way to all of them.
const leastMessage = 20

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
