package ui

import (
	"context"
	"rung/ui/prepare"

	tea "charm.land/bubbletea/v2"
)

// NewInline makes the console's model for a driver of its own, mostly a test:
// work that would go to a goroutine is done at once, and a question takes keys
// from the start, so that every effect of a key is there before the next. The
// model is fed with Update and looked at with View; the commands it returns
// (clocks, the clipboard) may be dropped.
func NewInline(ctx context.Context, console Console, opt Options) tea.Model {
	opt.fill()
	m := newRoot(ctx, console, opt)
	m.inline = true
	context.AfterFunc(ctx, func() { m.session.stop() })
	return m
}

// Refreshed is the message that makes an inline model take its console's newest
// revision.
func Refreshed(model tea.Model) tea.Msg {
	s := model.(*root).session
	return revMsg{rev: prepare.Now(s.console), of: s}
}

// Quits says whether a model has ended the program.
func Quits(model tea.Model) bool { return model.(*root).quits }
