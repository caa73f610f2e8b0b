package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/ui/action"
	"rung/ui/frame"
	"rung/ui/overlay"
	"rung/ui/view"
	"rung/ui/widget"
)

// Below this size only the page itself is drawn.
const smallWidth, smallHeight = 24, 8

func (m *root) small() bool { return m.w < smallWidth || m.h < smallHeight }

// above is how many lines are over the page.
func (m *root) above() int {
	if m.small() {
		return 0
	}
	return 2
}

// body is the size of the page's area.
func (m *root) body() (w, h int) {
	if m.small() {
		if m.lastLine() {
			return m.w, m.h - 1
		}
		return m.w, m.h
	}
	h = m.h - 3
	if m.troubled() {
		h--
	}
	if m.omits() {
		h--
	}
	return m.w, h
}

// around is what the lines around the page tell in this frame.
func (m *root) around() *frame.State {
	return &frame.State{Styles: m.styles, Keys: m.keys, Rev: m.rev, Now: m.now, Counts: &m.counts, Load: &m.load, Spin: &m.spinner,
		Switches: m.opt.Switch != nil}
}

// troubled says whether a line below the page says what keeps a source from being read.
func (m *root) troubled() bool { return m.h >= 12 && !m.small() && m.around().Trouble() != nil }

// omits says whether a line below the page says what it does not take into account.
func (m *root) omits() bool {
	e, zone := m.top(), ""
	if z, ok := e.view.(view.Zoner); ok {
		zone = z.Zone()
	}
	return !m.small() && m.omissions.Take(m.rev, e.page, zone)
}

// lastLine says whether a small screen gives its last line to what is being
// typed or said.
func (m *root) lastLine() bool { return m.h > 1 && (m.filtering() || m.toast.text != "") }

// render draws the whole screen.
func (m *root) render(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	m.cursor = nil
	e := m.top()
	env := m.sync(e)
	bw, bh := m.body()
	body := exactly(e.view.Render(env, bw, bh), bh)
	m.asks(e, env)
	screen := body
	if !m.small() {
		around := m.around()
		screen = around.Header(w).Render(w) + "\n" + m.crumbs(e, env, around, w) + "\n" + body + "\n"
		if m.omits() {
			screen += m.omissions.Line(m.styles, m.keys, w).Render(w) + "\n"
		}
		if m.troubled() {
			screen += around.Trouble().Render(w) + "\n"
		}
		screen += m.footer(e, w)
	} else if m.lastLine() {
		screen = body + "\n" + m.footer(e, w)
	}
	for _, o := range m.over {
		m.cursor = nil // only the last has the keyboard
		screen = m.drawOver(o, screen, w, h)
	}
	return screen
}

// exactly makes a block h lines high.
func exactly(s string, h int) string {
	n := strings.Count(s, "\n") + 1
	if n < h {
		return s + strings.Repeat("\n", h-n)
	}
	for n > h {
		s = s[:strings.LastIndexByte(s, '\n')]
		n--
	}
	return s
}

func (m *root) drawOver(o overlay.Overlay, screen string, w, h int) string {
	in := min(o.Width(), w-4)
	if in < 8 || h < 4 { // no room for a frame around it
		_, lines := o.Draw(m.styles, w, h)
		for i, l := range lines {
			lines[i] = ansi.Truncate(l, w, widget.Ellipsis)
		}
		m.cursorIn(o, 0, 0, w, h)
		return widget.Pad(lines, h)
	}
	room := h - 4
	if h < lowScreen { // every line counts
		room = h - 2
	}
	title, lines := o.Draw(m.styles, in, room)
	box := widget.Box(m.styles, title, lines, in+2)
	x, y := (w-in-2)/2, max(0, (h-len(lines)-2)/3)
	m.cursorIn(o, x+1, y+1, in, len(lines))
	return widget.Overlay(screen, box, x, y, w)
}

// lowScreen is a screen on which a box takes all lines if it needs them.
const lowScreen = 16

// cursorIn puts the terminal's cursor where an overlay has it, whose lines are shown in
// w × h cells at x, y.
func (m *root) cursorIn(o overlay.Overlay, x, y, w, h int) {
	if cx, line, ok := o.Cursor(); ok && cx < w && line < h {
		m.cursor = tea.NewCursor(x+cx, y+line)
	}
}

// crumbs is the line that says where one is, with what the page tells and its
// filter at the right.
func (m *root) crumbs(e *entry, env *view.Env, around *frame.State, w int) string {
	st := m.styles
	const gap = "   "
	var right widget.Line
	if t, ok := e.view.(view.Teller); ok {
		right = append(right, t.Tell(env)...)
	}
	if f, ok := e.view.(view.Filterer); ok {
		if len(right) > 0 {
			right = right.Add(gap, st.Text)
		}
		own := min(widget.Width(e.crumb(true))+1, w/2) // of the page's name
		shown, all := f.Counts()
		right = append(right, around.Filtered(e.filter, shown, all, min(w-own-3, w*2/3)-right.Width())...)
	}
	if load := around.LoadLine(w*2/3 - right.Width() - len(gap)); len(load) > 0 {
		if len(right) > 0 {
			load = load.Add(gap, st.Text)
		}
		right = append(load, right...)
	}
	rw := right.Width()
	if rw > w*2/3 {
		rw = w * 2 / 3
	}
	lw := max(0, w-rw-3)
	names := make([]string, len(m.pages))
	for i, x := range m.pages {
		names[i] = x.crumb(i < len(m.pages)-1)
	}
	return around.Way(names, e.crumb(true), lw).Render(lw) + "  " + right.RenderRight(min(rw, w)) + " "
}

// crumb names the page of an entry, brief where that is asked for and there is a
// shorter name.
func (e *entry) crumb(brief bool) string {
	if b, ok := e.view.(view.Briefer); ok && brief {
		return b.BriefCrumb()
	}
	if t, ok := e.view.(view.Titler); ok {
		return t.Crumb()
	}
	return e.page.Title()
}

// footer is the line at the bottom: what is being typed, what was said, what is
// being done, or else the keys that matter here.
func (m *root) footer(e *entry, w int) string {
	st := m.styles
	switch {
	case m.filtering():
		line := m.filter.render(st, m.keys, w)
		if x := 2 + m.filter.Cursor(); x < w {
			m.cursor = tea.NewCursor(x, m.h-1)
		}
		return line
	case m.toast.text != "":
		style, sign := st.Info, ""
		if m.toast.bad {
			style, sign = st.Error, "● "
		}
		return widget.Styled(" "+sign+m.toast.text, style).Render(w)
	}
	if what := m.jobs.long(m.now); len(what) > 0 {
		return widget.Styled(" "+m.spinner.Sign()+" "+strings.Join(what, ", "), st.Info).Render(w)
	}
	return m.hints(e, w)
}

// hints are the keys that matter here, the most important first; help, command
// and filter always find room.
func (m *root) hints(e *entry, w int) string {
	st := m.styles
	actions := m.keys.In(e.scopes())
	offerer, _ := e.view.(view.Offerer)
	actions = slices.DeleteFunc(actions, func(a action.Action) bool {
		return a.Footer == 0 || len(a.Keys) == 0 || a.Hint != nil && !a.Hint(m.context(e)) || offerer != nil && !offerer.Offers(m.env(e), a.ID)
	})
	slices.SortStableFunc(actions, func(a, b action.Action) int { return cmp.Compare(a.Footer, b.Footer) })
	ps := make([]widget.Piece, len(actions))
	for i := range actions {
		a := &actions[i]
		hint := widget.Line{{Text: a.Shown(), Style: st.Key}, {Text: " " + a.Title, Style: st.Text}}
		if m.whyNot(e, a) != "" { // in parentheses, since a colour alone says nothing without
			hint = widget.Styled("("+a.Shown()+" "+a.Title+")", st.Dim)
		}
		ps[i] = widget.Piece{Line: hint, Drop: i}
		if a.Footer >= 90 {
			ps[i].Drop = -a.Footer
		}
	}
	return widget.Join(widget.Plain(" "), widget.Fit(ps, w-1, 2)).Render(w)
}
