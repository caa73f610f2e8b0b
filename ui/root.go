package ui

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/terminal"
	"rung/ui/view"
)

const (
	// frameTime is the least time between two revisions on the screen: nobody reads faster, and each drawing
	// delays keys. The first revision after a pause is shown at once.
	frameTime = 100 * time.Millisecond
	// yesDelay is how long a new question ignores a yes: a key typed before it appeared was not meant for it.
	yesDelay = 150 * time.Millisecond
)

// rootModel is the one Bubble Tea model.
type rootModel struct {
	commandQueue
	console  Console
	session  *consoleSession // of console
	opt      Options
	quit     func()
	terminal *terminal.Control

	keys *action.Keymap
	screenTheme
	mouse bool

	terminalSize
	pageTrail
	rev    *revision.Revision
	counts HeaderCounts
	load   BackgroundLoad
	now    time.Time

	// quitting is the question before leaving; leaving: it was confirmed and the running plan is stopping.
	quitting *openDialog
	leaving  bool

	overlays OverlayStack
	muted    inputMuting
	filter   filterLine
	recent   []string // palette history

	status statusLine
	jobs   jobList
	// switching: another context is being opened
	switching bool

	dirty bool
	frame string
	// cursor is the text cursor in the frame, nil if nothing is typed.
	cursor *tea.Cursor
	crash  string
	quits  bool
	// logSetup holds the settings of the last page of log lines.
	logSetup view.LogSetup

	// inline runs work at once instead of in a goroutine, so that tests see every effect of a key before the
	// next.
	inline bool
	// internal are the internal errors that did not end the console.
	internal *internalErrors
	// ticking: the clock of a live page runs; spinning: the spinner's clock runs
	ticking, spinning bool
}

// screenTheme holds the colours of the screen.
type screenTheme struct {
	theme string
	// themeChosen: the user chose the theme here, for every context
	themeChosen bool
	dark        bool
	styles      *themes.StyleSet
}

// takeTheme switches to a theme of a set.
func (s *screenTheme) takeTheme(set *themes.ThemeSet, name string) {
	s.theme, s.styles = name, set.FindStyles(name, s.dark)
}

// enterContext switches to the theme of the context, unless the user chose one.
func (s *screenTheme) enterContext(opt *Options, mode revision.Mode) {
	if s.themeChosen {
		return
	}
	context := ""
	if mode.Name == revision.ClusterMode {
		context = mode.Title
	}
	s.takeTheme(opt.Themes, cmp.Or(opt.ContextTheme(context), themes.Default))
}

// syncKey holds the inputs of a view's last Sync.
type syncKey struct {
	rev    *revision.Revision
	second int64
	styles *themes.StyleSet
	w, h   int
}

// Messages of our own.
type (
	revMsg struct {
		rev     *revision.Revision
		session *consoleSession
		arm     bool // wait for the next one
		job     int  // the job that made it
	}
	armMsg   struct{ session *consoleSession }
	clockMsg struct{}
	jobMsg   struct {
		entry, job int
		result     any
		rev        *revision.Revision // what the work may have led to
		session    *consoleSession
	}
	crashMsg struct{ what string }
	// pauseMsg leaves the screen, to stop the process or only to set up the screen again; resumedMsg follows
	// afterwards.
	pauseMsg   struct{ stop bool }
	resumedMsg struct{ err error }
)

func newRoot(ctx context.Context, console Console, opt Options) *rootModel {
	m := &rootModel{commandQueue: commandQueue{ctx: ctx}, opt: opt, internal: &internalErrors{}, screenTheme: screenTheme{dark: true},
		mouse: opt.Mouse == nil || *opt.Mouse, dirty: true, quit: func() {}}
	m.keys, _ = opt.Keymap()
	if opt.ASCII {
		m.keys.SetPlain()
		m.jobs.spinner.Plain = true
	}
	m.jobs.spinner.Still = opt.StillMotion
	m.beginConsole(console)
	if len(opt.configProblems) > 0 {
		m.askDialog(m.topEntry(), configDialog(opt.configProblems))
	}
	m.status.showNotices(opt.Notices, m.rev.Mode.Title, m.topEntry(), m.now)
	return m
}

// configDialog lists all errors of the configuration.
func configDialog(wrong []string) view.Dialog {
	body := []string{"Wrong settings are ignored; the rest of the configuration applies."}
	for _, w := range wrong {
		body = append(body, "", words.Failed+" "+w)
	}
	return &view.NoteDialog{Title: words.Count(len(wrong), "problem") + " in the configuration", Body: body}
}

// showToast shows a message about the top page.
func (m *rootModel) showToast(t view.ToastAsk) {
	m.status.showToast(t, m.rev.Mode.Title, m.topEntry(), m.now)
}
