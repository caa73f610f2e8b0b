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
	return tea.Batch(tea.RequestBackgroundColor, m.wait(), m.clock())
}

// clock ticks with every second, so that ages on the screen are true.
func (m *root) clock() tea.Cmd {
	return m.after(time.Until(time.Now().Truncate(time.Second).Add(time.Second)), clockMsg{})
}

// after brings a message later, unless the console is left before.
func (m *root) after(d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-m.ctx.Done():
			return nil
		case <-t.C:
			return msg
		}
	}
}

// wait waits for the next revision and makes its expensive parts, so that the
// screen's own goroutine finds them made.
func (m *root) wait() tea.Cmd {
	s := m.session
	return guard(m.opt.StateDir, "preparing a revision", func() tea.Msg {
		rev := s.lint.Wait(s.ctx, s.ticks, s.console)
		if rev == nil {
			return nil
		}
		return revMsg{rev: rev, of: s, arm: true}
	})
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
	typing := m.filtering() || len(m.over) > 0
	m.handle(msg)
	if !m.filtering() {
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

// later has a command run once the message was handled.
func (m *root) later(cmd tea.Cmd) {
	if cmd != nil {
		m.cmds = append(m.cmds, cmd)
	}
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
		m.restyle()
	case tea.ColorProfileMsg:
		was := m.spinner.Plain
		m.spinner.Plain = m.opt.ASCII || msg.Profile <= colorprofile.ASCII
		m.dirty = m.spinner.Plain != was
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case spinMsg:
		m.spinOn()
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
			m.later(m.wait())
		}
	case clockMsg:
		if m.toast.text != "" && m.now.After(m.toast.until) {
			m.toast = toast{}
			m.notice()
		}
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
		m.pause(msg.stop)
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
	m.counts.Take(rev, m.now)
	m.load.Take(rev, m.now)
	env := m.env(m.top())
	global.TellNews(env, was)
	m.asks(m.top(), env)
	m.quitIfStopped()
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
		v.WindowTitle = themes.Questioned(themes.ASCII(v.WindowTitle))
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
	m.frame = clean.Frame(m.render(m.w, m.h))
	if m.opt.ASCII {
		m.frame = themes.Questioned(themes.ASCII(m.frame))
	}
}

func (m *root) say(t view.ToastAsk) {
	m.toast = toast{text: widget.Clean(t.Text), bad: t.Bad, until: m.now.Add(toastTime)}
}

// notice says the next warning from the start when nothing else is said.
func (m *root) notice() {
	if m.toast.text == "" && len(m.notices) > 0 {
		m.say(view.ToastAsk{Text: m.notices[0], Bad: true})
		m.notices = m.notices[1:]
	}
}
