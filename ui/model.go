package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// Init starts the clocks.
func (m *rootModel) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.session.waitForRevision(m.opt.StateDir), m.clockTick())
}

// Update handles one message. An internal error ends the program and restores the terminal.
func (m *rootModel) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = m // also set after a panic
	defer func() {
		if r := recover(); r != nil {
			m.reportFailure(r, fmt.Sprintf("handling %T on %v", msg, m.topEntry().page))
			cmd = tea.Quit
		}
	}()
	if m.crash != "" {
		return m, tea.Quit
	}
	m.now = m.console.Now()
	drawn := !m.dirty
	m.dirty = true
	typing := m.filter.typedOn(m.topEntry()) || len(m.overlays) > 0
	m.handleMessage(msg)
	if !m.filter.typedOn(m.topEntry()) {
		m.filter.typedFor = nil // its page is closed
	}
	if typing && m.filter.typedFor == nil && len(m.overlays) == 0 && !isInput(msg) {
		m.muted.beginMuting(dialogClosed)
	}
	m.dirty = m.dirty || !drawn
	if m.dirty && !m.quits {
		m.settlePage()
	}
	m.status.settleOn(m.topEntry())
	m.armClocks()
	cmd = tea.Batch(m.cmds...)
	m.cmds = nil
	return m, cmd
}

// isInput reports whether a message is user input.
func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		return true
	}
	return false
}

func (m *rootModel) reportFailure(what any, doing string) {
	if m.inline {
		panic(what)
	}
	if m.crash == "" {
		m.crash = writeReport(m.opt.StateDir, time.Now(), what, doing)
	}
	m.quits = true
}

func (m *rootModel) handleMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.addCommand(m.takeSize(m, msg))
	case sizeMsg:
		m.dirty = false
		m.addCommand(m.askAgain(msg))
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.styles = m.opt.Themes.FindStyles(m.theme, m.dark)
	case tea.ColorProfileMsg:
		was := m.jobs.spinner.Plain
		m.jobs.spinner.Plain = m.opt.ASCII || msg.Profile <= colorprofile.ASCII
		m.dirty = m.jobs.spinner.Plain != was
	case tea.KeyPressMsg:
		m.status.takeInput(m.now)
		m.pressKey(msg)
	case tea.PasteMsg:
		m.pasteText(msg.Content)
	case tea.MouseClickMsg:
		m.status.takeInput(m.now)
		m.handleClick(msg)
	case tea.MouseWheelMsg:
		m.handleWheel(msg)
	case spinMsg:
		m.spinning, m.dirty = false, m.jobs.spinnerSign(m.now, m.load.IsLong(m.now), m.topEntry().workingSince()) != ""
		if m.dirty {
			m.jobs.spinner.StepFrame()
		}
		if e := m.topEntry(); !e.workingSince().IsZero() {
			e.synced = syncKey{}
		}
	case revMsg:
		m.jobs.endJob(msg.job)
		if msg.session != m.session {
			m.dirty = false // of a cluster left meanwhile
			break
		}
		m.takeRevision(msg.rev)
		if msg.arm {
			m.addCommand(m.addAfter(frameTime, armMsg{m.session}))
		}
	case armMsg:
		m.dirty = false
		if msg.session == m.session {
			m.addCommand(m.session.waitForRevision(m.opt.StateDir))
		}
	case clockMsg:
		m.status.expireText(m.now)
		m.lookForNews(true)
		m.addCommand(m.clockTick())
	case jobMsg:
		m.jobDone(msg)
	case switchMsg:
		m.switchConsole(msg)
	case crashMsg:
		m.crash, m.quits = msg.what, true
		m.addCommand(tea.Quit)
	case liveMsg:
		m.ticking, m.dirty = false, false
		m.lookForNews(false)
	case pauseMsg:
		if m.terminal != nil { // nil in tests
			m.addCommand(tea.Exec(m.terminal.Pause(msg.stop), func(err error) tea.Msg { return resumedMsg{err} }))
		}
	case resumedMsg:
		if msg.err != nil {
			m.showToast(view.ToastAsk{Text: msg.err.Error(), Bad: true})
		}
	default:
		m.dirty = false
	}
}

// takeRevision shows a revision; an older one is ignored.
func (m *rootModel) takeRevision(rev *revision.Revision) {
	if rev.Number < m.rev.Number {
		return
	}
	was := m.rev
	m.rev = rev
	env := m.viewEnv(m.topEntry())
	m.guardPage("counting what the header shows", func() { m.counts.TakeRevision(rev, m.now) })
	m.load.TakeRevision(rev, m.now)
	m.guardPage("telling what is new", func() { AnnounceNews(env, was) })
	m.handleAsks(m.topEntry(), env)
	if failure := m.internal.takeUnshown(); failure != "" {
		m.showToast(view.ToastAsk{Text: failure, Bad: true})
	}
	if m.leaving && !runsPlan(m.rev) {
		m.quitNow()
	}
}

// View draws the frame.
func (m *rootModel) View() tea.View {
	if m.dirty && !m.quits {
		m.dirty = false
		m.drawFrame()
	}
	v := tea.NewView(m.frame)
	v.AltScreen = true
	v.Cursor = m.cursor
	v.WindowTitle = "rung · " + widget.CleanText(m.rev.Mode.Title)
	if m.opt.ASCII {
		v.WindowTitle = themes.ReplaceNonASCII(themes.ASCII(v.WindowTitle))
	}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m *rootModel) drawFrame() {
	defer func() {
		if r := recover(); r != nil {
			m.reportFailure(r, fmt.Sprintf("drawing %v at %d×%d", m.topEntry().page, m.w, m.h))
			go m.quit()
		}
	}()
	m.frame, m.cursor = m.paintScreen(m.w, m.h)
	m.frame = words.CleanFrame(m.frame)
	if m.opt.ASCII {
		m.frame = themes.ReplaceNonASCII(themes.ASCII(m.frame))
	}
}
