package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// framePainter draws one frame of the console.
type framePainter struct {
	*rootModel
	e      *trailEntry // on top
	around *State
}

// paintScreen draws the whole screen and returns the text cursor, nil if nothing is typed.
func (m *rootModel) paintScreen(w, h int) (screen string, cursor *tea.Cursor) {
	if w <= 0 || h <= 0 {
		return "", nil
	}
	p := framePainter{m, m.topEntry(), m.frameState()}
	env := m.syncEntry(p.e)
	bw, bh := m.pageSize()
	if p.e.failure == "" {
		p.e.failure = m.guardPage(fmt.Sprintf("drawing the page %s at %d×%d", p.e.page.Title(), w, h),
			func() { screen = p.e.frontView().Render(env, bw, bh) })
	}
	if p.e.failure != "" {
		screen = failureBody(p.e.failure, bw, bh)
	}
	screen = widget.PadBlock(strings.Split(screen, "\n"), bh)
	m.handleAsks(p.e, env)
	foot := ""
	if !m.isSmall() || bh < h {
		foot, cursor = p.footerLine(w)
	}
	switch {
	case !m.isSmall():
		screen = p.around.HeaderLine(w).Render(w) + "\n" + p.crumbsLine(env, w) + "\n" + screen + "\n"
		if m.isTroubled() {
			screen += p.around.TroubleLine().Render(w) + "\n"
		}
		screen += foot
	case bh < h:
		screen += "\n" + foot
	}
	for _, o := range m.overlays { // only the last has the keyboard
		screen, cursor = drawOver(m.styles, o, screen, w, h)
	}
	return screen, cursor
}

// drawOver draws an overlay over the screen, and returns its text cursor.
func drawOver(st *themes.StyleSet, o Overlay, screen string, w, h int) (string, *tea.Cursor) {
	cursorIn := func(x, y, w, h int) *tea.Cursor { // of lines drawn in w × h cells at x, y
		if cx, line, ok := o.Cursor(); ok && cx < w && line < h {
			return tea.NewCursor(x+cx, y+line)
		}
		return nil
	}
	in := min(o.BoxWidth(), w-4)
	if in < 8 || h < 4 { // no room for a frame
		_, lines := o.Draw(st, w, h)
		for i, l := range lines {
			lines[i] = ansi.Truncate(l, w, widget.Ellipsis)
		}
		return widget.PadBlock(lines, h), cursorIn(0, 0, w, h)
	}
	room := h - 4
	if h < lowScreen { // every line counts
		room = h - 2
	}
	title, lines := o.Draw(st, in, room)
	box := widget.FrameBox(st, title, lines, in+2)
	x, y := (w-in-2)/2, max(0, (h-len(lines)-2)/3)
	return widget.OverlayBox(screen, box, x, y, w), cursorIn(x+1, y+1, in, len(lines))
}

// lowScreen is the height below which a box may use all lines.
const lowScreen = 16

// crumbsLine shows the open pages on the left, the page's state and filter on the right.
func (p *framePainter) crumbsLine(env *view.Env, w int) string {
	st, e, around := p.styles, p.e, p.around
	const gap = "   "
	var right widget.Line
	if t, ok := e.frontView().(view.StateLiner); ok {
		right = append(right, t.StateLine(env)...)
	}
	// Without a filter the number of lines gives way to the page's name, with some room for the pages before it.
	const roomBeside = 24
	hasRoom := right.LineWidth()+widget.TextWidth(e.crumbText(false))+roomBeside < w
	if f, ok := e.frontView().(view.Filterer); ok && (e.filter != "" || hasRoom) {
		right = right.AddIf(len(right) > 0, gap, st.Text)
		own := min(widget.TextWidth(e.crumbText(true))+1, w/2) // width of the page's name
		shown, all := f.CountLines()
		right = append(right, around.FilterLine(e.filter, shown, all, min(w-own-3, w*2/3)-right.LineWidth())...)
	}
	if load := around.LoadLine(w*2/3 - right.LineWidth() - len(gap)); len(load) > 0 {
		load = load.AddIf(len(right) > 0, gap, st.Text)
		right = append(load, right...)
	}
	rw := min(right.LineWidth(), w*2/3)
	lw := max(0, w-rw-3)
	names := make([]string, len(p.pages))
	for i, x := range p.pages {
		names[i] = x.crumbText(i < len(p.pages)-1)
	}
	return around.CrumbsLine(names, e.crumbText(true), lw).Render(lw) + "  " + right.Render(min(rw, w)) + " "
}

// footerLine returns the bottom line: the typed text, a message, running work, or else hints about keys.
func (p *framePainter) footerLine(w int) (line string, cursor *tea.Cursor) {
	st := p.styles
	switch {
	case p.filter.typedOn(p.e):
		line = p.filter.drawLine(st, p.keys, w)
		if x := 2 + p.filter.Cursor(); x < w {
			cursor = tea.NewCursor(x, p.h-1)
		}
		return line, cursor
	case p.status.shownText() != nil:
		return p.status.drawText(st, p.keys, p.now, w), nil
	}
	if what := p.jobs.longJobs(p.now); len(what) > 0 {
		return widget.StyledLine(" "+p.jobs.spinner.FrameSign()+" "+strings.Join(what, ", "), st.Info).Render(w), nil
	}
	return p.hintsLine(w), nil
}

// hintsLine returns the keys of this page, most important first; help, command and a filter always fit.
func (p *framePainter) hintsLine(w int) string {
	st, e := p.styles, p.e
	actions := p.keys.ActionsIn(e.keyScopes())
	offerer, _ := e.frontView().(view.Offerer)
	_, filters := e.frontView().(view.Filterer)
	actions = slices.DeleteFunc(actions, func(a action.Action) bool {
		return a.Footer == 0 || !a.IsOffered(p.actionContext(e)) || len(a.Keys) == 0 || a.Hint != nil && !a.Hint(p.actionContext(e)) ||
			a.ID == action.Filter && !filters || offerer != nil && !offerer.OffersAction(p.viewEnv(e), a.ID)
	})
	slices.SortStableFunc(actions, func(a, b action.Action) int { return cmp.Compare(a.Footer, b.Footer) })
	ps := make([]widget.LinePiece, len(actions))
	for i := range actions {
		a := &actions[i]
		hint := widget.Line{{Text: a.HintKey(), Style: st.Key}, {Text: " " + a.Title, Style: st.Text}}
		if p.whyNot(e, a) != "" { // in parentheses, since colour alone must not carry meaning
			hint = widget.StyledLine("("+a.HintKey()+" "+a.Title+")", st.Dim)
		}
		ps[i] = widget.LinePiece{Line: hint, Drop: i}
		if a.Footer >= 90 {
			ps[i].Drop = -a.Footer
		}
	}
	return widget.JoinLines(widget.PlainLine(" "), widget.FitPieces(ps, w-1, 2)).Render(w)
}

// Below this size only the page itself is drawn.
const smallWidth, smallHeight = 24, 8

func (s *terminalSize) isSmall() bool { return s.w < smallWidth || s.h < smallHeight }

// linesAbove returns the number of lines above the page.
func (s *terminalSize) linesAbove() int { return words.Choose(s.isSmall(), 0, 2) }

// pageSize returns the size of the page's area.
func (m *rootModel) pageSize() (w, h int) {
	if m.isSmall() { // the last line is for typed text or a message
		if m.h > 1 && (m.filter.typedOn(m.topEntry()) || m.status.shownText() != nil) {
			return m.w, m.h - 1
		}
		return m.w, m.h
	}
	return m.w, m.h - words.Choose(m.isTroubled(), 4, 3)
}

// isTroubled reports whether the line of an unreadable source stands between page and footer.
func (m *rootModel) isTroubled() bool { return m.h >= 12 && m.frameState().TroubleLine() != nil }

// frameState returns the facts for the lines around the page in this frame.
func (m *rootModel) frameState() *State {
	return &State{Styles: m.styles, Keys: m.keys, Rev: m.rev, Now: m.now, Counts: &m.counts, Load: &m.load, Spin: &m.jobs.spinner,
		Switches: m.opt.Switch != nil}
}
