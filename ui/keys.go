package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/change"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// pressKey handles a key press: the overlay gets it first, then the filter line, then the action table.
func (m *rootModel) pressKey(msg tea.KeyPressMsg) {
	if msg.String() == "alt+esc" {
		// Terminals send the same for esc pressed twice quickly or held down, which is far likelier.
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		m.pressKey(esc)
		m.pressKey(esc)
		return
	}
	key, text := msg.String(), msg.Text
	if msg.Mod.Contains(tea.ModCtrl) || msg.Mod.Contains(tea.ModAlt) {
		text = ""
	}
	if key == "ctrl+c" {
		m.doRootAction(action.Quit)
		return
	}
	if len(m.overlays) > 0 {
		m.takeChosen(m.overlays.PressKey(key, text))
		return
	}
	if m.filter.typedOn(m.topEntry()) {
		m.filterKey(key, text)
		return
	}
	if m.muted.isMuted() {
		m.showToast(view.ToastAsk{Text: m.muted.why + ": keys are ignored until you pause", Bad: true})
		return
	}
	e := m.topEntry()
	if a := m.keys.LookupKey(e.keyScopes(), key); a != nil {
		m.carryOut(a)
	} else if t, ok := e.frontView().(view.Typer); ok && text != "" {
		m.withEnv(e, func(env *view.Env) { t.TakeText(env, text) })
	}
}

// takeChosen carries out the chosen item, if any.
func (m *rootModel) takeChosen(chosen *ChosenItem) {
	switch {
	case chosen == nil:
	case chosen.Action != nil:
		m.carryOut(chosen.Action)
	case chosen.Theme != "":
		m.themeChosen = true
		m.takeTheme(m.opt.Themes, chosen.Theme)
	case chosen.WhyNot != "":
		m.showToast(view.ToastAsk{Text: chosen.WhyNot, Bad: true})
	case chosen.Alias != "":
		m.takeChosen(FindItem(m.overlayOffers(), chosen.Alias))
	case chosen.Trace != nil:
		m.withEnv(m.topEntry(), func(env *view.Env) { view.AskTrace(env, *chosen.Trace) })
	default:
		m.openPage(chosen.Page, false)
	}
}

// overlayOffers returns everything to choose on the top page, without actions that need a feature the network
// plugin lacks.
func (m *rootModel) overlayOffers() OverlayOffers {
	e := m.topEntry()
	m.syncEntry(e)
	o := OverlayOffers{Rev: m.rev, Keys: m.keys, Themes: m.opt.Themes.ThemeNames(), Aliases: m.opt.Aliases, Views: map[string]nav.Page{}}
	for name := range m.opt.Views {
		if p, ok := m.opt.ViewPage(name); ok {
			o.Views[name] = p
		}
	}
	for _, a := range m.keys.ActionsIn(e.keyScopes()) {
		if a.IsOffered(m.actionContext(e)) {
			o.Actions = append(o.Actions, OfferedAction{Action: a, WhyNot: m.whyNot(e, &a)})
		}
	}
	if c, ok := e.frontView().(view.ColumnHelper); ok {
		o.Columns = c.ColumnHelps()
	}
	w, h := m.pageSize()
	shown := m.frameState().HeaderLine(w).Render(w) + "\n" + e.frontView().Render(m.viewEnv(e), w, h)
	o.Signs = words.SignsIn(ansi.Strip(shown))
	return o
}

// actionContext returns the facts that decide whether actions are possible.
func (m *rootModel) actionContext(e *trailEntry) action.Context {
	return action.Context{System: m.rev.System, Mode: m.rev.Mode, Page: e.page, Selected: e.frontView().SelectedPage(), Undo: m.rev.Undo,
		Redo: m.rev.Redo, Networks: len(m.rev.Desired.Networks().Names()) > 0, Plan: m.rev.Plan, Unconfirmed: m.rev.Unconfirmed,
		Access: m.rev.Access}
}

// whyNot returns why an action is not possible here, empty if it is.
func (m *rootModel) whyNot(e *trailEntry, a *action.Action) string {
	if why := a.WhyNot(m.actionContext(e)); why != "" {
		return why
	}
	if r, ok := e.frontView().(view.Refuser); ok {
		return r.WhyNot(m.viewEnv(e), a.ID)
	}
	return ""
}

// carryOut carries out an action, or shows why it is not possible.
func (m *rootModel) carryOut(a *action.Action) {
	e := m.topEntry()
	env := m.syncEntry(e)
	if why := m.whyNot(e, a); why != "" {
		m.showToast(view.ToastAsk{Text: a.Title + ": " + why, Bad: true})
		return
	}
	done := e.frontView().Do(env, a.ID)
	m.handleAsks(e, env)
	if !done {
		m.doRootAction(a.ID)
	}
}

// doRootAction carries out the root model's own actions.
func (m *rootModel) doRootAction(id action.ID) {
	switch id {
	case action.Quit:
		m.askQuit()
	case action.Leave:
		if !m.goBack() {
			m.askQuit()
		}
	case action.Back:
		switch {
		case m.topEntry().filter != "":
			m.setFilter(m.topEntry(), "")
		case !m.goBack():
			m.showToast(view.ToastAsk{Text: "nothing to go back to; q quits"})
		}
	case action.Forward:
		if !m.goForward() {
			m.showToast(view.ToastAsk{Text: "no page to go forward to"})
		}
	case action.Palette:
		m.overlays = append(m.overlays, NewPalette(m.overlayOffers(), &m.recent))
	case action.Help:
		m.overlays = append(m.overlays, NewHelp(m.overlayOffers()))
	case action.Filter:
		if _, ok := m.topEntry().frontView().(view.Filterer); !ok {
			m.muted.beginMuting("this page has no filter") // what follows was meant for it
			m.showToast(view.ToastAsk{Text: m.muted.why})
			return
		}
		m.filter.typedFor = m.topEntry()
		m.filter.Set(m.topEntry().filter)
	case action.Undo:
		m.previewHistory(change.OpUndo)
	case action.Redo:
		m.previewHistory(change.OpRedo)
	case action.Refresh:
		m.topEntry().synced = syncKey{}
		m.addCommand(tea.ClearScreen)
		s := m.session
		if m.inline {
			m.takeRevision(PreparedRevision(s.console, m.reportPrepared()))
			return
		}
		job := m.jobs.beginJob("reading the newest state", m.now)
		m.addCommand(guardCommand(m.opt.StateDir, "preparing a revision", func() tea.Msg {
			return revMsg{rev: PreparedRevision(s.console, m.reportPrepared()), session: s, job: job}
		}))
	case action.Mouse:
		m.mouse = !m.mouse
		text := "mouse off (select text freely)"
		if m.mouse {
			text = "mouse on: wheel and click (shift-drag still selects text)"
		}
		m.showToast(view.ToastAsk{Text: text})
	case action.Suspend:
		m.handleMessage(pauseMsg{stop: true})
	default:
		if text, ok := m.keys.ActionByID(id).HotkeyText(); ok {
			m.takeChosen(FindItem(m.overlayOffers(), text))
			return
		}
		e := m.topEntry()
		m.withEnv(e, func(env *view.Env) { Do(env, e.frontView(), id) })
	}
}

// pasteText handles bracketed paste: text goes only into an input line.
func (m *rootModel) pasteText(text string) {
	switch {
	case text == "": // the end of an oversized paste
	case len(m.overlays) > 0:
		m.overlays[len(m.overlays)-1].Paste(text)
	case m.filter.typedOn(m.topEntry()):
		m.filter.InsertText(text)
		m.setFilter(m.topEntry(), m.filter.InputText())
		m.filter.offerWord()
	default:
		m.showToast(view.ToastAsk{Text: "no input line to paste into: / or : opens one"})
	}
}

func (m *rootModel) handleClick(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft || len(m.overlays) > 0 {
		return
	}
	if msg.Y == 0 && !m.isSmall() {
		m.openPage(nav.NewPage(m.frameState().HeaderLink(m.w, msg.X)), false)
		return
	}
	e := m.topEntry()
	c, ok := e.frontView().(view.Clicker)
	if !ok {
		return
	}
	env := m.syncEntry(e)
	was := e.frontView().SelectedPage()
	hit := c.Click(env, msg.X, msg.Y-m.linesAbove())
	m.handleAsks(e, env)
	if now := e.frontView().SelectedPage(); hit && now == was && !now.IsNone() {
		if a := m.keys.ActionByID(action.Open); a != nil {
			m.carryOut(a)
		}
	}
}

func (m *rootModel) handleWheel(msg tea.MouseWheelMsg) {
	d := 3
	switch msg.Button {
	case tea.MouseWheelUp:
		d = -3
	case tea.MouseWheelDown:
	default:
		return
	}
	if len(m.overlays) > 0 {
		key := words.Choose(d < 0, "up", "down")
		m.takeChosen(m.overlays.PressKey(key, ""))
		return
	}
	e := m.topEntry()
	if c, ok := e.frontView().(view.Clicker); ok {
		m.withEnv(e, func(env *view.Env) { c.Wheel(env, d) })
	}
}
