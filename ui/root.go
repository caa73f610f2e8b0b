package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/job"
	"rung/ui/nav"
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
	// quiet is how long nothing must be typed after a line closed by itself until keys
	// are those of the page again.
	quiet = 400 * time.Millisecond
	// toastTime is how long the status line keeps a message.
	toastTime = 5 * time.Second
	// maxStack bounds the way back.
	maxStack = 50
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
	rev    *revision.Revision
	counts Counts
	// lacking is what the page on top does not take into account.
	lacking lacking
	now     time.Time

	// planFrom and planTo are the cells of the header's first line in which the plan's
	// badge stands, planTo 0 without one.
	planFrom, planTo int
	// quitting is the question before leaving; leaving says that it was answered with
	// yes and the plan under way is about to stop.
	quitting *dialog
	leaving  bool

	stack   []*entry // never empty
	forward []*entry
	nextID  int

	over      []overlay
	filtering bool
	muted     time.Time // the last key that came for a line that has closed by itself
	filter    widget.Input
	recent    []string // palette history

	toast   toast
	notices []string
	working map[int]work
	nextJob int
	spinner widget.Spinner
	// load is what of load.of is still being read, since loadSince.
	load      load
	loadSince time.Time
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

// entry is a page on the way back, with its view and what belongs to it.
type entry struct {
	id     int
	page   nav.Page
	view   view.View
	filter string
	ctx    context.Context
	cancel context.CancelFunc
	synced syncKey
}

// scopes are where the keys of the page are looked up.
func (e *entry) scopes() []action.Scope {
	if s, ok := e.view.(view.Scoper); ok {
		return s.Scopes()
	}
	return []action.Scope{action.Of(e.page.Kind), action.List, action.Global}
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
	// doneMsg is how a job of the root model's own went.
	doneMsg struct {
		job   int
		toast view.ToastAsk
	}
)

func newRoot(ctx context.Context, console Console, opt Options) *root {
	m := &root{ctx: ctx, opt: opt, dark: true, theme: opt.Theme,
		mouse: opt.Mouse == nil || *opt.Mouse, working: map[int]work{}, notices: opt.Notices, dirty: true, quit: func() {}}
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
		m.ask(&view.Note{Title: words.Count(n, "problem") + " in the configuration", Body: body})
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
	for _, e := range m.stack {
		if k, ok := e.view.(view.Keeper); ok {
			out = append(out, k.Kept()...)
		}
	}
	return out
}

// close ends what the pages still have running.
func (m *root) close() {
	for _, e := range append(m.stack, m.forward...) {
		e.cancel()
	}
	m.session.end()
}

func (m *root) restyle() { m.styles = m.opt.Themes.Styles(m.theme, m.dark) }
