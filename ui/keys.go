package ui

import (
	tea "charm.land/bubbletea/v2"

	"rung/change"
	"rung/ui/action"
	"rung/ui/global"
	"rung/ui/nav"
	"rung/ui/overlay"
	"rung/ui/prepare"
	"rung/ui/view"
)

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
		m.overKey(m.over[n-1], key, text)
		return
	}
	if m.filter.typedOn(m.top()) {
		m.filterKey(key, text)
		return
	}
	if m.muted.takes() {
		m.say(view.ToastAsk{Text: "what you typed into has closed: keys are ignored until you pause", Bad: true})
		return
	}
	e := m.top()
	if a := m.keys.LookupKey(e.scopes(), key); a != nil {
		m.act(a)
	} else if t, ok := e.front().(view.Typer); ok && text != "" {
		m.with(e, func(env *view.Env) { t.TakeText(env, text) })
	}
}

// overKey gives an overlay a key, and carries out what was chosen in it.
func (m *root) overKey(o overlay.Overlay, key, text string) {
	done, chosen := o.Key(key, text)
	if done {
		m.over.Remove(o)
	}
	switch {
	case chosen == nil:
	case chosen.Action != nil:
		m.act(chosen.Action)
	case chosen.Theme != "":
		m.theme = chosen.Theme
		m.styles = m.opt.Themes.StylesOf(m.theme, m.dark)
	case chosen.Trace != nil:
		m.with(m.top(), func(env *view.Env) { view.AskTrace(env, *chosen.Trace) })
	default:
		m.open(chosen.Page, false)
	}
}

// offers returns everything that can be chosen on the page on top, without actions that the
// cluster's network plugin has no feature for.
func (m *root) offers() overlay.Offers {
	e := m.top()
	m.sync(e)
	o := overlay.Offers{Rev: m.rev, Keys: m.keys, Themes: m.opt.Themes.ThemeNames()}
	for _, a := range m.keys.ActionsIn(e.scopes()) {
		if m.rev.System.HasFeature(a.Needs) {
			o.Actions = append(o.Actions, overlay.Offered{Action: a, WhyNot: m.whyNot(e, &a)})
		}
	}
	return o
}

// context returns the facts that actions are judged by.
func (m *root) context(e *entry) action.Context {
	return action.Context{System: m.rev.System, Mode: m.rev.Mode, Page: e.page, Selected: e.front().SelectedPage(), Undo: m.rev.Undo, Redo: m.rev.Redo, Plan: m.rev.Plan, Unconfirmed: m.rev.Unconfirmed, Access: m.rev.Access}
}

// whyNot says why an action cannot be done here, empty when it can.
func (m *root) whyNot(e *entry, a *action.Action) string {
	if why := a.WhyNot(m.context(e)); why != "" {
		return why
	}
	if r, ok := e.front().(view.Refuser); ok {
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
	if !m.status.bad {
		m.status.text = ""
	}
	done := e.front().Do(env, a.ID)
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
		if !m.back() {
			m.askQuit()
		}
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
		m.over = append(m.over, overlay.NewPalette(m.offers(), &m.recent))
	case action.Help:
		m.over = append(m.over, overlay.NewHelp(m.offers()))
	case action.Filter:
		if _, ok := m.top().view.(view.Filterer); !ok {
			m.say(view.ToastAsk{Text: "nothing to filter on this page"})
			return
		}
		m.filter.of = m.top()
		m.filter.Set(m.top().filter)
	case action.Undo:
		m.previewHistory(change.OpUndo)
	case action.Redo:
		m.previewHistory(change.OpRedo)
	case action.Refresh:
		m.top().synced = syncKey{}
		m.later(tea.ClearScreen)
		s := m.session
		if m.inline {
			m.take(prepare.Now(s.console))
			return
		}
		job := m.jobs.begin("reading the newest state", m.now)
		m.later(guard(m.opt.StateDir, "preparing a revision", func() tea.Msg { return revMsg{rev: prepare.Now(s.console), of: s, job: job} }))
	case action.Mouse:
		m.mouse = !m.mouse
		text := "mouse off (select text freely)"
		if m.mouse {
			text = "mouse on: wheel and click (shift-drag still selects text)"
		}
		m.say(view.ToastAsk{Text: text})
	case action.Suspend:
		m.handle(pauseMsg{stop: true})
	default:
		e := m.top()
		m.with(e, func(env *view.Env) { global.Do(env, e.front(), id) })
	}
}

// paste takes bracketed paste: into what is being typed, nowhere else.
func (m *root) paste(text string) {
	switch {
	case text == "": // the end of one that was over
	case len(m.over) > 0:
		m.over[len(m.over)-1].Paste(text)
	case m.filter.typedOn(m.top()):
		m.filter.Insert(text)
		m.setFilter(m.top(), m.filter.Value())
		m.filter.offer()
	default:
		m.say(view.ToastAsk{Text: "nothing to paste into: / or : opens a line to type in"})
	}
}

func (m *root) click(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft || len(m.over) > 0 {
		return
	}
	if msg.Y == 0 && !m.small() {
		if kind := m.around().HeaderLink(m.w, msg.X); kind != "" {
			m.open(nav.To(kind), false)
			return
		}
	}
	_, h := m.body()
	if omits, _ := m.below(); omits && msg.Y == m.above()+h {
		m.open(nav.To(nav.Omitted), false)
		return
	}
	e := m.top()
	c, ok := e.front().(view.Clicker)
	if !ok {
		return
	}
	env := m.sync(e)
	was := e.front().SelectedPage()
	hit := c.Click(env, msg.X, msg.Y-m.above())
	m.asks(e, env)
	if now := e.front().SelectedPage(); hit && now == was && !now.None() {
		if a := m.keys.ActionByID(action.Open); a != nil {
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
		m.overKey(m.over[n-1], key, "")
		return
	}
	e := m.top()
	if c, ok := e.front().(view.Clicker); ok {
		m.with(e, func(env *view.Env) { c.Wheel(env, d) })
	}
}
