package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/finding"
	"rung/ui/action"
	"rung/ui/prepare"
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

// lastLine says whether a small screen gives its last line to what is being
// typed or said.
func (m *root) lastLine() bool { return m.h > 1 && (m.filtering || m.toast.text != "") }

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
	frame := body
	if !m.small() {
		frame = m.header(w) + "\n" + m.crumbs(e, env, w) + "\n" + body + "\n"
		if m.omits() {
			frame += m.omission(w) + "\n"
		}
		if m.troubled() {
			frame += m.trouble().Render(w) + "\n"
		}
		frame += m.footer(e, w)
	} else if m.lastLine() {
		frame = body + "\n" + m.footer(e, w)
	}
	for _, o := range m.over {
		m.cursor = nil // only the last has the keyboard
		frame = m.drawOver(o, frame, w, h)
	}
	return frame
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

func (m *root) drawOver(o overlay, frame string, w, h int) string {
	in := min(o.width(), w-4)
	if in < 8 || h < 4 { // no room for a frame around it
		_, lines := o.draw(m, w, h)
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
	title, lines := o.draw(m, in, room)
	box := widget.Box(m.styles, title, lines, in+2)
	x, y := (w-in-2)/2, max(0, (h-len(lines)-2)/3)
	m.cursorIn(o, x+1, y+1, in, len(lines))
	return widget.Overlay(frame, box, x, y, w)
}

// lowScreen is a screen on which a box takes all lines if it needs them.
const lowScreen = 16

// cursorIn puts the terminal's cursor where an overlay has it, whose lines are shown in
// w × h cells at x, y.
func (m *root) cursorIn(o overlay, x, y, w, h int) {
	if cx, line, ok := o.cursor(); ok && cx < w && line < h {
		m.cursor = tea.NewCursor(x+cx, y+line)
	}
}

// Counts are the numbers of the header; they are taken once per revision.
type Counts struct {
	rev               *revision.Revision
	cluster           *model.Cluster
	anp, banp, np, ef int
	acnp, annp        int
	pods              int
	findings          model.FindingCount
	owed              bool      // the findings are of an earlier revision
	older             time.Time // when they last were
}

// Lag says whether the findings are those of a moment ago; steady, while they are
// now and then.
func (c *Counts) Lag(now time.Time) bool { return c.owed || now.Sub(c.older) < 2*prepare.Pace }

func (c *Counts) Take(r *revision.Revision, now time.Time) {
	if c.rev == r {
		return
	}
	if c.cluster != r.Cluster || c.rev == nil {
		c.cluster = r.Cluster
		c.anp, c.banp = r.Cluster.Count(model.KindANP), r.Cluster.Count(model.KindBANP)
		c.np, c.ef = r.Cluster.Count(model.KindNP), r.Cluster.Count(model.KindEF)
		c.acnp, c.annp = r.Cluster.Count(model.KindACNP), r.Cluster.Count(model.KindANNP)
		c.pods = r.Cluster.Count(model.KindPod)
	}
	c.rev = r
	known, current := finding.KnownFindings(r)
	if c.owed = !current; c.owed {
		c.older = now
	}
	c.findings = model.CountFindings(known)
}

// policies counts them by kind, those that decide under the system that holds.
func (c *Counts) policies(antrea bool) string {
	if antrea {
		text := fmt.Sprintf("ACNP %d · ANNP %d · NP %d", c.acnp, c.annp, c.np)
		if c.anp+c.banp > 0 {
			text += fmt.Sprintf(" · ANP %d · BANP %d", c.anp, c.banp)
		}
		return text
	}
	return fmt.Sprintf("ANP %d · BANP %d · NP %d · EF %d", c.anp, c.banp, c.np, c.ef)
}

// piece is a part of a line; the ones with the highest drop go first when there
// is no room.
type piece struct {
	line widget.Line
	drop int
}

// fit joins the pieces with gaps, leaving out what has no room.
func fit(pieces []piece, w, gap int) widget.Line {
	var out widget.Line
	for i, p := range kept(pieces, w, gap) {
		if i > 0 {
			out = append(out, widget.Span{Text: strings.Repeat(" ", gap)})
		}
		out = append(out, p.line...)
	}
	return out
}

// kept are the pieces for which there is room with gaps between them.
func kept(pieces []piece, w, gap int) []piece {
	for {
		n := -gap
		for _, p := range pieces {
			n += p.line.Width() + gap
		}
		if n <= w || len(pieces) <= 1 {
			return pieces
		}
		worst := 0
		for i, p := range pieces {
			if p.drop >= pieces[worst].drop {
				worst = i
			}
		}
		pieces = append(pieces[:worst:worst], pieces[worst+1:]...)
	}
}

// crumbs is the line that says where one is, with what the page tells and its
// filter at the right.
func (m *root) crumbs(e *entry, env *view.Env, w int) string {
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
		right = append(right, m.filtered(e, f, min(w-own-3, w*2/3)-right.Width())...)
	}
	if load := m.loadLine(w*2/3 - right.Width() - len(gap)); len(load) > 0 {
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
	return m.way(lw).Render(lw) + "  " + right.RenderRight(min(rw, w)) + " "
}

// filtered says how many lines the filter of a page shows, and where w cells have room
// for some of it which filter that is.
func (m *root) filtered(e *entry, f view.Filterer, w int) widget.Line {
	st := m.styles
	shown, all := f.Counts()
	if e.filter == "" {
		return widget.Styled(words.Total(all, "line"), st.Dim)
	}
	const label, apart, least = "filter: ", "  ", 8
	counts := words.Thousands(shown) + " of " + words.Thousands(all) + " match"
	room := w - len(label) - len(apart) - len(counts)
	if room < min(least, widget.Width(e.filter)) {
		return widget.Styled(counts, st.Key)
	}
	return widget.Styled(label+widget.CutName(e.filter, room), st.Key).Add(apart+counts, st.Dim)
}

// way is the names of the pages in at most w cells. The first ones make room, since the
// last says where one is; that one is cut in its middle and last of all.
func (m *root) way(w int) widget.Line {
	names := make([]string, len(m.stack))
	for i, x := range m.stack {
		names[i] = x.crumb(i < len(m.stack)-1)
	}
	last := len(names) - 1
	for first := range names {
		if l := m.wayFrom(names, first); l.Width() <= w {
			return l
		}
	}
	names[last] = m.stack[last].crumb(true)
	for _, first := range []int{0, last} {
		if l := m.wayFrom(names, first); l.Width() <= w {
			return l
		}
	}
	return widget.Styled(" "+widget.CutName(names[last], w-1), m.styles.Title)
}

// wayFrom joins the names from one on. What the name before says is not said again.
func (m *root) wayFrom(names []string, first int) widget.Line {
	st := m.styles
	l := widget.Styled(" ", st.Text)
	if first > 0 {
		l = l.Add("… › ", st.Dim)
	}
	for i, name := range names[first:] {
		style := st.Dim
		if first+i == len(names)-1 {
			style = st.Title
		}
		if i > 0 {
			l = l.Add(" › ", st.Dim)
			name = strings.TrimPrefix(name, names[first+i-1]+" ")
		}
		l = l.Add(name, style)
	}
	return l
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
	case m.filtering:
		note := widget.Join(widget.Plain("  "), fit(m.filterHints(), w/2-2, 2))
		room := w / 2
		if wrong := m.filterWrong(); wrong != nil {
			note, room = wrong, max(w/2, w-4-widget.Width(m.filter.Value()))
		}
		nw := min(note.Width(), room)
		line := " " + st.Key.Render("/") + m.filter.Render(st, max(1, w-nw-2)) + note.Render(nw)
		if x := 2 + m.filter.Cursor(); x < w {
			m.cursor = tea.NewCursor(x, m.h-1)
		}
		return ansi.Truncate(line, w, "")
	case m.toast.text != "":
		style, sign := st.Info, ""
		if m.toast.bad {
			style, sign = st.Error, "● "
		}
		return widget.Line{{Text: " " + sign + m.toast.text, Style: style}}.Render(w)
	}
	if what := m.under(); len(what) > 0 {
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
	ps := make([]piece, len(actions))
	for i := range actions {
		a := &actions[i]
		hint := widget.Line{{Text: a.Shown(), Style: st.Key}, {Text: " " + a.Title, Style: st.Text}}
		if m.whyNot(e, a) != "" { // in parentheses, since a colour alone says nothing without
			hint = widget.Styled("("+a.Shown()+" "+a.Title+")", st.Dim)
		}
		ps[i] = piece{hint, i}
		if a.Footer >= 90 {
			ps[i].drop = -a.Footer
		}
	}
	return widget.Join(widget.Plain(" "), fit(ps, w-1, 2)).Render(w)
}
