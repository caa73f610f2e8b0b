package ui

import (
	"cmp"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// maxCopy bounds the bytes sent through the terminal to the clipboard: terminals silently drop more than about
// this.
const maxCopy = 74_000

// handleAsks carries out the requests a view made during a call.
func (m *rootModel) handleAsks(e *trailEntry, env *view.Env) {
	for _, a := range env.TakeAsks() {
		switch a := a.(type) {
		case view.OpenAsk:
			if a.Replace && e != m.topEntry() {
				m.removeEntry(e)
				break
			}
			m.openPage(a.Page, a.Replace)
		case view.BackAsk:
			if e != m.topEntry() {
				m.removeEntry(e)
				break
			}
			m.backTo(a)
		case view.PreviewAsk:
			m.previewChange(a.Mutation)
		case view.ToastAsk:
			m.status.showToast(a, m.rev.Mode.Title, e, m.now)
		case view.CopyAsk:
			cmd, said := copyText(view.CopyItem(a))
			m.addCommand(cmd)
			m.status.showToast(said, m.rev.Mode.Title, e, m.now)
		case view.DialogAsk:
			m.askDialog(e, a.Dialog)
		case view.FilterAsk:
			m.setFilter(e, a.Text)
		case view.SwitchAsk:
			m.switchTo(a.Context)
		case view.RunAsk:
			m.runAsk(e, a)
		case view.ExecAsk:
			done := func(err error) tea.Msg { return jobMsg{entry: e.id, result: a.Done(err)} }
			if m.inline {
				m.jobDone(done(a.Cmd.Run()).(jobMsg))
				continue
			}
			m.addCommand(tea.Exec(m.terminal.Program(a.Cmd), done))
		}
	}
}

// copyText puts text into the clipboard and returns a message about it. Invisible characters are escaped: they
// would reach whatever the text is pasted into.
func copyText(c view.CopyItem) (tea.Cmd, view.ToastAsk) {
	how := ""
	if text := words.Escape(c.Text); text != c.Text {
		c.Text, how = text, "; "+widget.Escaped
	}
	if len(c.Text) > maxCopy {
		return nil, view.ToastAsk{Text: fmt.Sprintf("%s is too long for the clipboard (%s bytes); ctrl+s saves the page", c.What,
			words.Thousands(len(c.Text))), Bad: true}
	}
	return tea.SetClipboard(c.Text), view.ToastAsk{Text: "copied " + c.What + " through the terminal (OSC 52)" + how}
}

// runAsk does work in a goroutine; leaving the page ends its context.
func (m *rootModel) runAsk(e *trailEntry, a view.RunAsk) {
	job, id, ctx, dir, s := m.jobs.beginJob(a.What, m.now), e.id, e.ctx, m.opt.StateDir, m.session
	if ctx == nil {
		ctx = m.ctx
	}
	work := func() tea.Msg {
		result := a.Do(ctx)
		return jobMsg{entry: id, job: job, result: result, rev: PreparedRevision(s.console, m.reportPrepared()), session: s}
	}
	if m.inline {
		m.jobDone(work().(jobMsg))
		return
	}
	m.addCommand(guardCommand(dir, a.What, work))
}

// guardCommand turns an internal error in a goroutine into a report.
func guardCommand(dir, what string, do tea.Cmd) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg{writeReport(dir, time.Now(), r, what)}
			}
		}()
		return do()
	}
}

// withEnv calls do with the page's current environment and carries out its requests.
func (m *rootModel) withEnv(e *trailEntry, do func(*view.Env)) {
	env := m.syncEntry(e)
	do(env)
	m.handleAsks(e, env)
}

// jobDone hands a result to the page that asked, if it is still open. The newest revision is taken first, so
// that the page sees the changes of the work. A result that is only a message is shown on any page.
func (m *rootModel) jobDone(msg jobMsg) {
	m.jobs.endJob(msg.job)
	if msg.rev != nil && msg.session == m.session {
		m.takeRevision(msg.rev)
	}
	switch result := msg.result.(type) {
	case view.ToastAsk:
		m.status.showToast(result, m.rev.Mode.Title, cmp.Or(m.byID(msg.entry), m.topEntry()), m.now)
		return
	case view.PreparedDialog:
		if e := m.topEntry(); e.id == msg.entry && len(m.overlays) == 0 {
			m.withEnv(e, result)
		}
		return
	}
	e := m.byID(msg.entry)
	if e == nil {
		return
	}
	if r, ok := e.view.(view.Receiver); ok && msg.result != nil {
		m.withEnv(e, func(env *view.Env) { r.ReceiveResult(env, msg.result) })
		e.synced = syncKey{}
	}
}
