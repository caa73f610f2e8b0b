package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// consoleSession is the time the screen shows one console. Late messages of another session are ignored.
type consoleSession struct {
	console Console
	ctx     context.Context
	cancel  context.CancelFunc
	ticks   <-chan struct{}
	stop    func()        // ends ticks
	lint    FindingsPacer // of the goroutine that waits for revisions
}

func (s *consoleSession) endSession() {
	s.cancel()
	s.stop()
}

// waitForRevision waits for the next revision and computes its expensive parts outside the screen's goroutine.
func (s *consoleSession) waitForRevision(stateDir string) tea.Cmd {
	return guardCommand(stateDir, "preparing a revision", func() tea.Msg {
		if rev := s.lint.WaitForRevision(s.ctx, s.ticks, s.console); rev != nil {
			return revMsg{rev: rev, session: s, arm: true}
		}
		return nil
	})
}

// beginConsole shows a console from its first page on.
func (m *rootModel) beginConsole(console Console) {
	s := &consoleSession{console: console}
	s.lint.Report = m.reportPrepared()
	s.ctx, s.cancel = context.WithCancel(m.ctx)
	s.ticks, s.stop = console.Subscribe()
	m.console, m.session = console, s
	m.now = console.Now()
	m.rev = console.Revision()
	m.enterContext(&m.opt, m.rev.Mode)
	m.counts = HeaderCounts{}
	m.counts.TakeRevision(m.rev, m.now)
	m.load.TakeRevision(m.rev, m.now)
	m.openPage(m.opt.Page, false)
	if len(m.pages) == 0 {
		m.openPage(nav.NewPage(nav.Ladder), false)
	}
}

// switchMsg is the console of another context, or the error.
type switchMsg struct {
	context string
	console Console
	err     error
	job     int
}

// switchTo opens another context of the kubeconfig. It asks no server, so leaving an unreachable cluster is as
// easy as any.
func (m *rootModel) switchTo(name string) {
	if m.opt.Switch == nil {
		m.showToast(view.ToastAsk{Text: "no other context", Bad: true})
		return
	}
	if runsPlan(m.rev) {
		m.showToast(view.ToastAsk{Text: "a plan is running: stop it first (" + m.keys.ActionByID(action.GoPlan).HintKey() + "), or wait for it",
			Bad: true})
		return
	}
	if hasOwnTrial(m.rev) {
		m.showToast(view.ToastAsk{Text: "a change is not confirmed: confirm it (" + m.keys.ActionByID(action.Confirm).HintKey() +
			") or undo it first", Bad: true})
		return
	}
	if m.switching {
		// Two contexts that open at once may arrive in the wrong order, and the caller could end the console
		// that is shown.
		m.showToast(view.ToastAsk{Text: "still switching to another context", Bad: true})
		return
	}
	ctx, open, job := m.ctx, m.opt.Switch, m.jobs.beginJob("switching to context "+name, m.now)
	work := func() tea.Msg {
		console, err := open(ctx, name)
		return switchMsg{context: name, console: console, err: err, job: job}
	}
	if m.inline {
		m.switchConsole(work().(switchMsg))
		return
	}
	m.switching = true
	m.addCommand(guardCommand(m.opt.StateDir, "switching to context "+name, work))
}

// switchConsole leaves the old console, its pages and questions.
func (m *rootModel) switchConsole(msg switchMsg) {
	m.switching = false
	m.jobs.endJob(msg.job)
	if msg.err != nil {
		m.showToast(view.ToastAsk{Text: "still on " + m.rev.Mode.Title + ": " + msg.err.Error(), Bad: true})
		return
	}
	m.pageTrail.endAll()
	m.session.endSession()
	open := m.overlays
	m.overlays = nil
	m.jobs = jobList{last: m.jobs.last}
	m.beginConsole(msg.console)
	for _, o := range open {
		// Keys meant for a question must not act on the page shown now.
		if d, ok := o.(*openDialog); ok {
			title, _ := d.d.Draw(m.styles, d.BoxWidth())
			gone := "the question was about another cluster; this is now " + m.rev.Mode.Title
			m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: title, WhyNot: gone}).isLost = true
			break
		}
	}
	m.showToast(view.ToastAsk{Text: "on context " + msg.context})
	if !m.inline {
		m.addCommand(m.session.waitForRevision(m.opt.StateDir))
	}
}
