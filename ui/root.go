package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/frame"
	"rung/ui/job"
	"rung/ui/overlay"
	"rung/ui/view"
	"rung/ui/widget"
)

const (
	// frameTime is the least time between two revisions on the screen: nobody
	// reads faster, and every one drawn keeps keys waiting. The first after a
	// pause is shown at once.
	frameTime = 100 * time.Millisecond
	// grace is how long a question takes no yes: what was typed before it appeared was
	// not meant for it.
	grace = 150 * time.Millisecond
	// toastTime is how long the status line keeps a message.
	toastTime = 5 * time.Second
)

// root is the one Bubble Tea model.
type root struct {
	ctx     context.Context
	console Console
	session *session // of console
	opt     Options
	quit    func()
	job     *job.Control

	keys   *action.Keymap
	theme  string
	dark   bool
	styles *themes.Styles
	mouse  bool

	sized
	trail
	rev    *revision.Revision
	counts frame.Counts
	load   frame.Load
	// omissions is what the page on top does not take into account.
	omissions frame.Omissions
	now       time.Time

	// quitting is the question before leaving; leaving says that it was answered with
	// yes and the plan under way is about to stop.
	quitting *dialog
	leaving  bool

	over   []overlay.Overlay
	muted  muting
	filter filterLine
	recent []string // palette history

	toast   toast
	notices []string
	jobs    jobs
	spinner widget.Spinner
	// switching says that another context is being opened.
	switching bool

	cmds  []tea.Cmd // what the message under way wants done
	dirty bool
	frame string
	// cursor is where a line is being typed in the frame, nil where none is.
	cursor *tea.Cursor
	crash  string
	quits  bool
	setups view.Setups

	// inline does work at once instead of in a goroutine: tests see every
	// effect of a key before the next.
	inline bool
	// ticking says that the clock of a live page runs, spinning that of what spins.
	ticking, spinning bool
}

type toast struct {
	text  string
	bad   bool
	until time.Time
}

// syncKey is what a view was last brought up to date with.
type syncKey struct {
	rev    *revision.Revision
	second int64
	styles *themes.Styles
	w, h   int
}

// Messages of our own.
type (
	revMsg struct {
		rev *revision.Revision
		of  *session
		arm bool // wait for the next one
		job int  // that is done with it
	}
	armMsg   struct{ of *session }
	clockMsg struct{}
	jobMsg   struct {
		entry, job int
		result     any
		rev        *revision.Revision // what the work may have led to
		of         *session
	}
	crashMsg struct{ what string }
	// pauseMsg leaves the screen, for a stop of the process or only to set it up
	// anew; resumedMsg is when it is back.
	pauseMsg   struct{ stop bool }
	resumedMsg struct{ err error }
)

func newRoot(ctx context.Context, console Console, opt Options) *root {
	m := &root{ctx: ctx, opt: opt, dark: true, theme: opt.Theme,
		mouse: opt.Mouse == nil || *opt.Mouse, notices: opt.Notices, dirty: true, quit: func() {}}
	m.keys, _ = action.NewKeymap(opt.Keys)
	if opt.ASCII {
		m.keys.SetPlain()
		m.spinner.Plain = true
	}
	if m.theme == "" {
		m.theme = themes.Default
	}
	m.restyle()
	m.begin(console)
	m.misconfigured()
	m.notice()
	return m
}

// misconfigured shows all that is wrong with the configuration.
func (m *root) misconfigured() {
	if n := len(m.opt.wrong); n > 0 {
		body := []string{"What is wrong is left out; the rest of the configuration holds."}
		for _, w := range m.opt.wrong {
			body = append(body, "", "● "+w)
		}
		m.ask(m.top(), &view.Note{Title: words.Count(n, "problem") + " in the configuration", Body: body})
	}
}

// pause leaves the screen and comes back to it.
func (m *root) pause(stop bool) {
	if m.job == nil {
		return // no terminal that anybody else could have
	}
	m.later(tea.Exec(m.job.Pause(stop), func(err error) tea.Msg { return resumedMsg{err} }))
}

// kept are the files with texts that are being edited.
func (m *root) kept() []string {
	var out []string
	for _, e := range m.pages {
		if k, ok := e.view.(view.Keeper); ok {
			out = append(out, k.Kept()...)
		}
	}
	return out
}

// close ends what the pages still have running.
func (m *root) close() {
	for _, e := range slices.Concat(m.pages, m.forward) {
		e.cancel()
	}
	m.session.end()
}

func (m *root) restyle() { m.styles = m.opt.Themes.Styles(m.theme, m.dark) }
