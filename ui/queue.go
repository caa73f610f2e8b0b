package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// queue is what the message under way wants done once it was handled.
type queue struct {
	ctx  context.Context // of the console
	cmds []tea.Cmd
}

func (q *queue) later(cmd tea.Cmd) {
	if cmd != nil {
		q.cmds = append(q.cmds, cmd)
	}
}

// after brings a message later, unless the console is left before.
func (q *queue) after(d time.Duration, msg tea.Msg) tea.Cmd {
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

// clock ticks with every second, so that ages on the screen are true.
func (q *queue) clock() tea.Cmd {
	return q.after(time.Until(time.Now().Truncate(time.Second).Add(time.Second)), clockMsg{})
}
