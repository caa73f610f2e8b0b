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
	// toastTime is how long a message that is not an error stays in the status line.
	toastTime = 5 * time.Second
	// seenTime is how long an error must be visible before a key dismisses it: an earlier key was not a
	// reaction to it.
	seenTime = time.Second
	// unseenErrors bounds the errors waiting in the status line; the page of messages has all.
	unseenErrors = 3
)

// statusLine holds the unread messages: the newest last, preceded by errors nobody can have seen yet.
type statusLine struct {
	log    view.MessageLog
	toRead []*statusText
}

// statusText is a message in the status line.
type statusText struct {
	text      string
	bad       bool
	untilTime time.Time
	drawnAt   time.Time   // when first drawn, or zero for never
	shownOn   *trailEntry // page on top at the first settleOn; nil until then
}

// showToast shows a message of a page, and logs it. An unseen error waits behind it.
func (s *statusLine) showToast(t view.ToastAsk, context string, e *trailEntry, now time.Time) {
	text := widget.CleanText(t.Text)
	if text == "" {
		return
	}
	s.log.AddMessage(view.Message{At: now, Text: text, IsError: t.Bad, Page: e.page, PageName: e.crumbText(false), Context: context})
	s.toRead = slices.DeleteFunc(s.toRead, func(x *statusText) bool { return !x.bad || x.text == text })
	s.toRead = append(s.toRead, &statusText{text: text, bad: t.Bad, untilTime: now.Add(toastTime)})
	s.toRead = s.toRead[max(0, len(s.toRead)-unseenErrors):]
}

// showNotices shows the warnings of the start, first one first, then the messages of the first page.
func (s *statusLine) showNotices(notices []string, context string, e *trailEntry, now time.Time) {
	first, begun := []*statusText(nil), slices.Clone(s.toRead)
	for _, text := range notices {
		s.showToast(view.ToastAsk{Text: text, Bad: true}, context, e, now)
		if len(first) < unseenErrors {
			first = append(first, s.shownText())
		}
	}
	slices.Reverse(first)
	s.toRead = append(begun, first...)
	s.toRead = s.toRead[max(0, len(s.toRead)-unseenErrors):]
}

// shownText returns the message now in the line, nil if none.
func (s *statusLine) shownText() *statusText {
	if len(s.toRead) == 0 {
		return nil
	}
	return s.toRead[len(s.toRead)-1]
}

// dropShown removes the message now in the line.
func (s *statusLine) dropShown() { s.toRead = s.toRead[:len(s.toRead)-1] }

// takeInput removes the message that the user has read when pressing a key.
func (s *statusLine) takeInput(now time.Time) {
	if t := s.shownText(); t != nil && (!t.bad || !t.drawnAt.IsZero() && now.Sub(t.drawnAt) >= seenTime) {
		s.dropShown()
	}
}

// settleOn removes a message of another page if it is not an error; the page of messages removes all, since it
// shows them.
func (s *statusLine) settleOn(e *trailEntry) {
	switch t := s.shownText(); {
	case t == nil:
	case t.shownOn == nil:
		t.shownOn = e
	case t.shownOn == e:
	case e.page.Kind == nav.Messages:
		s.toRead = nil
	case !t.bad:
		s.dropShown()
	}
}

// expireText removes a message that is not an error and has been shown long enough.
func (s *statusLine) expireText(now time.Time) {
	if t := s.shownText(); t != nil && !t.bad && now.After(t.untilTime) {
		s.dropShown()
	}
}

// drawText draws the message in the line: with the command that shows all messages if it is cut or others
// wait.
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

// leastMessage is the least width left for a message beside the command that shows all.
const leastMessage = 20

// commandQueue holds the commands to run once the current message is handled.
type commandQueue struct {
	ctx  context.Context // of the console
	cmds []tea.Cmd
}

func (q *commandQueue) addCommand(cmd tea.Cmd) {
	if cmd != nil {
		q.cmds = append(q.cmds, cmd)
	}
}

// addAfter returns a command that delivers a message later, unless the console ends first.
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

// clockTick ticks every second, so that ages on the screen are true.
func (q *commandQueue) clockTick() tea.Cmd {
	return q.addAfter(time.Until(time.Now().Truncate(time.Second).Add(time.Second)), clockMsg{})
}

// sizeAgain is how long after a change of size, or after another program used the terminal, the size is asked
// for again.
const sizeAgain = 250 * time.Millisecond

// wholeScreen resets scroll margins and keeps the cursor. A frame drawn while the window grew ends with the
// margins of the smaller window; a line feed then scrolled the header away.
const wholeScreen = ansi.SaveCursor + "\x1b[r" + ansi.RestoreCursor

// terminalSize is the size of the terminal, and whether it is reliable.
//
// Bubble Tea asks for the size in two goroutines: at a signal, and when an editor returns the terminal. The
// older answer can arrive last and would hold until the next change, so the size is asked for once more when
// it has settled. The screen is then drawn again, which also repairs leftovers of the editor or of echoed
// keys.
type terminalSize struct {
	w, h     int
	n        int  // answers so far
	isRepeat bool // the next equal answer is the repeated one
}

// sizeMsg asks for the size again, unless an answer arrived since.
type sizeMsg struct{ n int }

// takeSize handles an answer; the size is asked for again later unless this was the repeated answer.
func (s *terminalSize) takeSize(m *rootModel, msg tea.WindowSizeMsg) tea.Cmd {
	w, h := max(0, msg.Width), max(0, msg.Height)
	known := s.isRepeat && w == s.w && h == s.h
	s.w, s.h, s.isRepeat = w, h, false
	s.n++
	if known {
		return nil
	}
	// The frame after the repeated answer is drawn with the margins reset.
	return tea.Batch(tea.Raw(wholeScreen), m.addAfter(sizeAgain, sizeMsg{s.n}))
}

// askAgain asks for the size once more if no answer arrived since.
func (s *terminalSize) askAgain(msg sizeMsg) tea.Cmd {
	if msg.n != s.n {
		return nil
	}
	s.isRepeat = true
	return tea.RequestWindowSize
}
