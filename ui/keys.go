package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/change"
	"rung/engine/trace"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/prepare"
	"rung/ui/view"
)

// overlay is something over the page that has the keyboard.
type overlay interface {
	key(m *root, key, text string) (done bool)
	paste(m *root, text string)
	// draw gives a title and the lines of a box w cells wide inside and at
	// most h high.
	draw(m *root, w, h int) (title string, lines []string)
	// width is how wide the box wants to be inside.
	width() int
	// cursor says where the terminal's cursor belongs in the lines that were drawn
	// last; ok is false where nothing is typed.
	cursor() (x, line int, ok bool)
}

// pop takes an overlay away.
func (m *root) pop(o overlay) {
	for i := range m.over {
		if m.over[i] == o {
			m.over = append(m.over[:i:i], m.over[i+1:]...)
			return
		}
	}
}

// key handles a key press: the overlay has it first, then the filter line,
// then the table of actions.
func (m *root) key(msg tea.KeyPressMsg) {
	if msg.String() == "alt+esc" {
		// A terminal cannot tell it from esc pressed twice in quick succession,
		// or held down, and that is what it usually is.
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		m.key(esc)
		m.key(esc)
		return
	}
	key, text := msg.String(), msg.Text
	if msg.Mod.Contains(tea.ModCtrl) || msg.Mod.Contains(tea.ModAlt) {
		text = ""
	}
	if key == "ctrl+c" {
		m.do(action.Quit)
		return
	}
	if n := len(m.over); n > 0 {
		o := m.over[n-1]
		if o.key(m, key, text) {
			m.pop(o)
		}
		return
	}
	if m.filtering {
		m.filterKey(key, text)
		return
	}
	if m.mutes() {
		return
	}
	a := m.keys.Lookup(m.top().scopes(), key)
	if a == nil {
		m.typed(text)
		return
	}
	m.act(a)
}

// mute passes over what is typed into a line or a question that is not there any more,
// until nothing is typed for a moment: it must not become keys of the page.
func (m *root) mute() { m.muted = time.Now() }

func (m *root) mutes() bool {
	switch {
	case m.muted.IsZero():
		return false
	case time.Since(m.muted) >= quiet:
		m.muted = time.Time{}
		return false
	}
	m.mute()
	m.say(view.ToastAsk{Text: "what you typed into has closed: keys are ignored until you pause", Bad: true})
	return true
}

// typed gives a page that is being typed into what no action has.
func (m *root) typed(text string) {
	e := m.top()
	t, ok := e.view.(view.Typer)
	if !ok || text == "" {
		return
	}
	env := m.sync(e)
	t.Typed(env, text)
	m.asks(e, env)
}

// context is what actions are judged by.
func (m *root) context(e *entry) action.Context {
	return action.Context{Mode: m.rev.Mode, Page: e.page, Selected: e.view.Selected(), Undo: m.rev.Undo, Redo: m.rev.Redo, Plan: m.rev.Plan, Unconfirmed: m.rev.Unconfirmed, Access: m.rev.Access}
}

// whyNot says why an action cannot be done here, empty when it can.
func (m *root) whyNot(e *entry, a *action.Action) string {
	if why := a.WhyNot(m.context(e)); why != "" {
		return why
	}
	if r, ok := e.view.(view.Refuser); ok {
		return r.WhyNot(m.env(e), a.ID)
	}
	return ""
}

// act carries out an action, or says why not.
func (m *root) act(a *action.Action) {
	e := m.top()
	env := m.sync(e)
	if why := m.whyNot(e, a); why != "" {
		m.say(view.ToastAsk{Text: a.Title + ": " + why, Bad: true})
		return
	}
	if m.toast.text != "" && !m.toast.bad {
		m.toast = toast{}
	}
	done := e.view.Do(env, a.ID)
	m.asks(e, env)
	if !done {
		m.do(a.ID)
	}
}

// do carries out the actions that are the root model's own.
func (m *root) do(id action.ID) {
	switch id {
	case action.Quit:
		m.askQuit()
	case action.Leave:
		m.leave()
	case action.Back:
		switch {
		case m.top().filter != "":
			m.setFilter(m.top(), "")
		case !m.back():
			m.say(view.ToastAsk{Text: "this is the first page; q quits"})
		}
	case action.Forward:
		if !m.ahead() {
			m.say(view.ToastAsk{Text: "no page to go forward to"})
		}
	case action.Palette:
		m.over = append(m.over, newPalette(m))
	case action.Help:
		m.over = append(m.over, newHelp(m))
	case action.Filter:
		if _, ok := m.top().view.(view.Filterer); !ok {
			m.say(view.ToastAsk{Text: "nothing to filter on this page"})
			return
		}
		m.filtering = true
		m.filter.Set(m.top().filter)
	case action.Writes:
		m.toggleWrites()
	case action.Copy:
		m.copyMenu()
	case action.Save:
		m.save()
	case action.Undo:
		m.previewHistory(change.OpUndo)
	case action.Redo:
		m.previewHistory(change.OpRedo)
	case action.Confirm:
		m.confirmTrial()
	case action.Refresh:
		m.top().synced = syncKey{}
		m.later(tea.ClearScreen)
		s := m.session
		if m.inline {
			m.take(prepare.Now(s.console))
			return
		}
		job := m.works("reading the newest state")
		m.later(guard(m.opt.StateDir, "preparing a revision", func() tea.Msg { return revMsg{rev: prepare.Now(s.console), of: s, job: job} }))
	case action.Mouse:
		m.mouse = !m.mouse
		text := "mouse off (select text freely)"
		if m.mouse {
			text = "mouse on: wheel and click (shift-drag still selects text)"
		}
		m.say(view.ToastAsk{Text: text})
	case action.GoTrace, action.LadderTrace, action.PolicyTrace, action.RuleTrace, action.PodTrace:
		m.askTrace(view.AskTrace)
	case action.PodOVN:
		m.askTrace(view.AskOVNTrace)
	case action.GoProbe:
		m.askProbe()
	case action.Suspend:
		m.pause(true)
	default:
		if kind, ok := places[id]; ok {
			m.open(nav.To(kind), false)
		}
	}
}

// askTrace asks which connection is to be traced, beginning with what the cursor is on.
func (m *root) askTrace(ask func(*view.Env, trace.Question)) {
	e := m.top()
	env := m.sync(e)
	ask(env, view.TraceOf(env.Rev, e.page, e.view.Selected()))
	m.asks(e, env)
}

// places are the pages that have an action of their own.
var places = map[action.ID]nav.Kind{
	action.GoLadder:   nav.Ladder,
	action.GoRows:     nav.Rows,
	action.GoZones:    nav.Zones,
	action.GoLogs:     nav.Logs,
	action.GoActivity: nav.Activity,
	action.GoPlan:     nav.Plan,
	action.GoContexts: nav.Contexts,
	action.GoReady:    nav.Ready,
	action.GoCluster:  nav.Cluster,
	action.GoFindings: nav.Findings,
	action.GoMatrix:   nav.Matrix,
	action.GoSessions: nav.Sessions,
	action.GoConvert:  nav.Convert,
	action.GoOmitted:  nav.Omitted,
}

// leave goes back and quits from the first page.
func (m *root) leave() {
	if !m.back() {
		m.askQuit()
	}
}

// ask puts a question of the root model's own.
func (m *root) ask(d view.Dialog) {
	m.over = append(m.over, &dialog{entry: m.top(), d: d, since: time.Now()})
}

func (m *root) toggleWrites() {
	console := m.console
	set := func(on bool, text string) {
		m.background("changing the mode", func(context.Context) view.ToastAsk {
			if err := console.SetWrites(on); err != nil {
				return view.ToastAsk{Text: err.Error(), Bad: true}
			}
			return view.ToastAsk{Text: text}
		})
	}
	if m.rev.Mode.Writes {
		set(false, "read-only: no changes can be made from here")
		return
	}
	if why := m.rev.Mode.WhyNot; why != "" {
		m.say(view.ToastAsk{Text: "changes stay off: " + why, Bad: true})
		return
	}
	body := "Changes made here are real: policies of " + m.rev.Mode.Title + " can then be changed and deleted. Every change still shows a preview and asks."
	if m.rev.Mode.Name == "files" && !m.rev.Mode.WriteBack {
		body = "Policies can then be changed and deleted in the sandbox; the files stay unchanged (--write-back changes them too). Every change still shows a preview and asks."
	}
	was := m.rev.Mode
	m.ask(&view.Confirm{Title: "Allow changes", Body: []string{body}, YesText: "allow changes", NoText: "stay read-only",
		Changed: func() string {
			switch now := m.rev.Mode; {
			case now.Writes:
				return "changes are already allowed"
			case now != was && now.WhyNot != "":
				return "changes stay off: " + now.WhyNot
			case now != was:
				return "what changes would apply to is no longer the same"
			}
			return ""
		},
		Yes: func(*view.Env) { set(true, "changes are allowed; W returns to read-only") }})
}

// paste takes bracketed paste: into what is being typed, nowhere else.
func (m *root) paste(text string) {
	switch {
	case text == "": // the end of one that was over
	case len(m.over) > 0:
		m.over[len(m.over)-1].paste(m, text)
	case m.filtering:
		m.filter.Insert(text)
		m.setFilter(m.top(), m.filter.Value())
		m.offer()
	default:
		m.say(view.ToastAsk{Text: "nothing to paste into: / or : opens a line to type in"})
	}
}

func (m *root) click(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft || len(m.over) > 0 {
		return
	}
	if msg.Y == 0 && m.above() > 0 && msg.X >= m.planFrom && msg.X < m.planTo {
		m.do(action.GoPlan)
		return
	}
	if msg.Y == 0 && !m.small() && m.onFindings(msg.X) {
		m.open(nav.To(nav.Findings), false)
		return
	}
	if _, h := m.body(); m.omits() && msg.Y == m.above()+h {
		m.do(action.GoOmitted)
		return
	}
	e := m.top()
	c, ok := e.view.(view.Clicker)
	if !ok {
		return
	}
	env := m.sync(e)
	was := e.view.Selected()
	hit := c.Click(env, msg.X, msg.Y-m.above())
	m.asks(e, env)
	if now := e.view.Selected(); hit && now == was && !now.None() {
		if a := m.keys.Action(action.Open); a != nil {
			m.act(a)
		}
	}
}

func (m *root) wheel(msg tea.MouseWheelMsg) {
	d := 3
	switch msg.Button {
	case tea.MouseWheelUp:
		d = -3
	case tea.MouseWheelDown:
	default:
		return
	}
	if n := len(m.over); n > 0 {
		key := "down"
		if d < 0 {
			key = "up"
		}
		if o := m.over[n-1]; o.key(m, key, "") {
			m.pop(o)
		}
		return
	}
	e := m.top()
	if c, ok := e.view.(view.Clicker); ok {
		env := m.sync(e)
		c.Wheel(env, d)
		m.asks(e, env)
	}
}
