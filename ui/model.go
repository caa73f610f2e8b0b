package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rung/model/clean"
	"rung/revision"
	"rung/themes"
	"rung/ui/global"
	"rung/ui/view"
	"rung/ui/widget"
)

// Init starts the clocks.
func (m *root) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.session.wait(m.opt.StateDir), m.clock())
}

// Update takes one message. An internal error ends the program, not the
// terminal.
func (m *root) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = m // also when it panics
	defer func() {
		if r := recover(); r != nil {
			m.fail(r, fmt.Sprintf("handling %T on %v", msg, m.top().page))
			cmd = tea.Quit
		}
	}()
	if m.crash != "" {
		return m, tea.Quit
	}
	m.now = m.console.Now()
	drawn := !m.dirty
	m.dirty = true
	typing := m.filter.typedOn(m.top()) || len(m.over) > 0
	m.handle(msg)
	if !m.filter.typedOn(m.top()) {
		m.filter.of = nil // its page was left
	}
	if typing && m.filter.of == nil && len(m.over) == 0 && !input(msg) {
		m.muted.begin()
	}
	m.dirty = m.dirty || !drawn
	if m.dirty && !m.quits {
		m.settle()
	}
	m.arm()
	cmd = tea.Batch(m.cmds...)
	m.cmds = nil
	return m, cmd
}

// input says whether a message is something the user did.
func input(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		return true
	}
	return false
}

func (m *root) fail(what any, doing string) {
	if m.inline {
		panic(what)
	}
	if m.crash == "" {
		m.crash = report(m.opt.StateDir, time.Now(), what, doing)
	}
	m.quits = true
}

func (m *root) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.later(m.resize(m, msg))
	case sizeMsg:
		m.dirty = false
		m.later(m.settled(msg))
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.styles = m.opt.Themes.StylesOf(m.theme, m.dark)
	case tea.ColorProfileMsg:
		was := m.jobs.spinner.Plain
		m.jobs.spinner.Plain = m.opt.ASCII || msg.Profile <= colorprofile.ASCII
		m.dirty = m.jobs.spinner.Plain != was
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case spinMsg:
		m.spinning, m.dirty = false, m.jobs.sign(m.now, m.load.IsLong(m.now), m.top().working()) != ""
		if m.dirty {
			m.jobs.spinner.Step()
		}
		if e := m.top(); !e.working().IsZero() {
			e.synced = syncKey{}
		}
	case revMsg:
		m.jobs.end(msg.job)
		if msg.of != m.session {
			m.dirty = false // of a cluster that was left
			break
		}
		m.take(msg.rev)
		if !msg.arm {
			break
		}
		m.later(m.after(frameTime, armMsg{m.session}))
	case armMsg:
		m.dirty = false
		if msg.of == m.session {
			m.later(m.session.wait(m.opt.StateDir))
		}
	case clockMsg:
		m.status.expire(m.now)
		m.lookForNews(true)
		m.later(m.clock())
	case jobMsg:
		m.jobDone(msg)
	case switchMsg:
		m.switched(msg)
	case crashMsg:
		m.crash, m.quits = msg.what, true
		m.later(tea.Quit)
	case liveMsg:
		m.ticking, m.dirty = false, false
		m.lookForNews(false)
	case pauseMsg:
		if m.job != nil { // there is a terminal that somebody else could have
			m.later(tea.Exec(m.job.NewPause(msg.stop), func(err error) tea.Msg { return resumedMsg{err} }))
		}
	case resumedMsg:
		if msg.err != nil {
			m.say(view.ToastAsk{Text: msg.err.Error(), Bad: true})
		}
	default:
		m.dirty = false
	}
}

// take makes a revision the one that is shown; an older one is left.
func (m *root) take(rev *revision.Revision) {
	if rev.Number < m.rev.Number {
		return
	}
	was := m.rev
	m.rev = rev
	m.counts.TakeRevision(rev, m.now)
	m.load.TakeRevision(rev, m.now)
	env := m.env(m.top())
	global.TellNews(env, was)
	m.asks(m.top(), env)
	if m.leaving && !runsPlan(m.rev) {
		m.quitNow()
	}
}

// View draws the frame.
func (m *root) View() tea.View {
	if m.dirty && !m.quits {
		m.dirty = false
		m.draw()
	}
	v := tea.NewView(m.frame)
	v.AltScreen = true
	v.Cursor = m.cursor
	v.WindowTitle = "rung · " + widget.Clean(m.rev.Mode.Title)
	if m.opt.ASCII {
		v.WindowTitle = themes.ReplaceNonASCII(themes.ASCII(v.WindowTitle))
	}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m *root) draw() {
	defer func() {
		if r := recover(); r != nil {
			m.fail(r, fmt.Sprintf("drawing %v at %d×%d", m.top().page, m.w, m.h))
			go m.quit()
		}
	}()
	m.frame, m.cursor = m.paint(m.w, m.h)
	m.frame = clean.Frame(m.frame)
	if m.opt.ASCII {
		m.frame = themes.ReplaceNonASCII(themes.ASCII(m.frame))
	}
}
