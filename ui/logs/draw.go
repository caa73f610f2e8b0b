package logs

import (
	"fmt"
	"strings"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// shape is how the parts of a line stand side by side in a width.
type shape struct {
	time, zone, pair, by int
}

// gaps are the cells between the parts, and the parts that never shrink: what
// was sent and what became of it.
const (
	traffic = 9
	verdict = 7
)

// shape fits the parts into w cells.
func (v *logPage) shape(w int) shape {
	s := shape{time: []int{full: 12, seconds: 8, none: 0}[v.stamp], zone: v.zones}
	if w < 100 {
		s.time, s.zone = min(s.time, 8), 0
	}
	used := traffic + 2 + verdict + 1
	for _, n := range []int{s.time, s.zone} {
		if n > 0 {
			used += n + 2
		}
	}
	room := max(20, w-2-used)
	s.pair = min(v.pair, max(room/2, room-34)) + 2
	s.by = max(0, room-s.pair)
	return s
}

// line is a log line as it is shown: natural leaves out nothing.
func (v *logPage) line(env *view.Env, it item, s shape, natural bool) widget.Line {
	st := env.Styles
	if it.mark != nil {
		return widget.Heading(it.mark.text, max(20, env.W-2), st)
	}
	e := v.feed.entry(it.seq)
	if e == nil {
		return widget.Styled("(this line is not held any more)", st.Dim)
	}
	if e.Gap != nil {
		return v.gapLine(env, e)
	}
	var l widget.Line
	cell := func(text string, w int, style themes.Style) {
		if !natural && w > 0 {
			text = widget.Truncate(text, w-2)
		}
		l = l.Add(text, style)
		if n := w - widget.Width(text); n > 0 && !v.wrap {
			l = l.Add(strings.Repeat(" ", n), st.Text)
		} else {
			l = l.Add("  ", st.Text)
		}
	}
	at := e.Line.At.In(env.Now.Location())
	switch {
	case s.time >= 12:
		cell(at.Format("15:04:05.000"), 14, st.Dim)
	case s.time > 0:
		cell(at.Format("15:04:05"), 10, st.Dim)
	}
	if s.zone > 0 {
		cell(e.Line.Zone, s.zone+2, st.Dim)
	}
	var ends widget.Line
	ends = ends.Add(e.Src.String(), endStyle(e.Src, st)).Add(" → ", st.Dim).Add(e.Dst.String(), endStyle(e.Dst, st))
	l = append(l, v.fit(ends, s.pair, natural)...)
	cell(e.Traffic(), traffic+2, st.Text)
	l = l.Add(e.Action, actionStyle(e, st)).Add(strings.Repeat(" ", max(1, verdict+1-len(e.Action))), st.Text)
	by := "by " + v.by(e)
	if e.Late {
		l = l.Add("late ", st.Warn)
	}
	if it.n > 1 {
		times := fmt.Sprintf("×%d ", it.n)
		l = l.Add(times, st.Key)
	}
	style := st.Accent
	if !e.Attributed {
		style = st.Warn
	}
	return l.Add(by, style)
}

// fit makes the ends of a connection as wide as their column.
func (v *logPage) fit(l widget.Line, w int, natural bool) widget.Line {
	n := l.Width()
	switch {
	case v.wrap || natural && n > w-2:
		return l.Add("  ", themes.Style{})
	case n <= w-2:
		return l.Add(strings.Repeat(" ", w-n), themes.Style{})
	}
	// Both ends keep something: the longer one gives first.
	src, dst := l[0], l[2]
	room := w - 2 - 3
	sw, dw := widget.Width(src.Text), widget.Width(dst.Text)
	half := room / 2
	switch {
	case sw <= half:
		dw = room - sw
	case dw <= room-half:
		sw = room - dw
	default:
		sw, dw = half, room-half
	}
	src.Text, dst.Text = widget.Truncate(src.Text, sw), widget.Truncate(dst.Text, dw)
	out := widget.Line{src, l[1], dst}
	return out.Add(strings.Repeat(" ", max(0, w-out.Width())), themes.Style{})
}

// by names what decided; on the page of a policy without repeating its name.
func (v *logPage) by(e *logs.Entry) string {
	if v.page.Key.Kind.IsPolicy() && e.Attributed && e.Rule.Policy == v.page.Key {
		return revision.RuleLabel(e.Rule.Direction, e.Rule.Rule, e.RuleName)
	}
	return e.By()
}

func endStyle(d logs.End, st *themes.Styles) themes.Style {
	if d.Key.Kind == model.KindPod && d.Note == "" {
		return st.Text
	}
	return st.Dim
}

func actionStyle(e *logs.Entry, st *themes.Styles) themes.Style {
	switch e.Line.Verdict {
	case "allow":
		return st.Allow
	case "drop", "reject":
		return st.Deny
	case "pass":
		return st.Pass
	}
	return st.Text
}

// text draws the list in h lines of w cells.
func (v *logPage) text(env *view.Env, w, h int) []string {
	v.height = h
	v.rows = v.rows[:0]
	st := env.Styles
	rows := v.list.rows()
	if v.list.n == 0 || h <= 0 {
		return v.nothing(env, w, h)
	}
	at, cur := v.cursor(), -1
	if at >= 0 {
		cur = v.list.row(at)
	}
	v.widen(h)
	s := v.shape(w)
	draw := func(row int) []string {
		it := v.list.at(row)
		l := v.line(env, it, s, v.wide || v.wrap)
		hit := it.mark == nil && !v.find.Empty() && v.find.Match(v.feed.text(it.seq))
		if row == cur {
			if v.wrap {
				return wrapped(l, w, "▸ ", &st.Selection)
			}
			return []string{widget.Join(widget.Plain("▸ "), l.Skip(v.left)).RenderAs(w, st.Selection)}
		}
		mark := "  "
		if hit {
			mark, l = "• ", v.highlight(l, env)
		}
		if v.wrap {
			return wrapped(l, w, mark, nil)
		}
		return []string{widget.Join(widget.Styled(mark, st.Key), l.Skip(v.left)).Render(w)}
	}
	v.scroll(rows, cur, h, func(row int) int {
		if !v.wrap {
			return 1
		}
		return len(draw(row))
	})
	lines := make([]string, 0, h)
	for row := v.top; row < rows && len(lines) < h; row++ {
		for _, l := range draw(row) {
			if len(lines) < h {
				lines = append(lines, l)
				v.rows = append(v.rows, row)
			}
		}
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines
}

// widen remembers how wide zones and the ends of connections are, so that
// columns do not dance while one follows.
func (v *logPage) widen(h int) {
	from, to := max(0, v.list.n-h), v.list.n
	if at := v.cursor(); !v.follow && at >= 0 {
		from, to = max(0, at-h), min(v.list.n, at+h)
	}
	for i := from; i < to; i++ {
		if e := v.feed.entry(v.list.line(i).seq); e != nil && e.Gap == nil {
			v.zones = max(v.zones, min(18, widget.Width(e.Line.Zone)))
			v.pair = max(v.pair, widget.Width(e.Src.String())+3+widget.Width(e.Dst.String()))
		}
	}
}

// scroll puts the first row so that the cursor is in sight and, following, the
// last row is at the bottom. height is how many lines a row takes.
func (v *logPage) scroll(rows, cur, h int, height func(int) int) {
	// bottom is the first row of the last screenful.
	bottom := rows
	for n := 0; bottom > 0; bottom-- {
		if n += height(bottom - 1); n > h {
			break
		}
	}
	bottom = min(bottom, rows-1)
	if v.follow {
		v.top = bottom
		return
	}
	v.top = min(max(v.top, 0), bottom)
	if cur < 0 {
		return
	}
	v.top = min(max(v.top, cur-h+1), cur)
	for n := 0; ; v.top++ {
		n = 0
		for row := v.top; row <= cur; row++ {
			n += height(row)
		}
		if n <= h || v.top >= cur {
			return
		}
	}
}

// wrapped breaks a line into lines of w cells.
func wrapped(l widget.Line, w int, mark string, sel *themes.Style) []string {
	const indent = "    "
	var out []string
	room := max(1, w-2)
	for first := true; first || l.Width() > 0; first = false {
		head := widget.Plain(mark)
		if !first {
			head, room = widget.Plain("  "+indent), max(1, w-2-len(indent))
		}
		part := l.Clip(room)
		if text := part.String(); l.Width() > part.Width() {
			// Break at a word where that does not leave half a line empty.
			if i := strings.LastIndexByte(text, ' '); i > 0 && widget.Width(text[:i+1]) > room/2 {
				part = l.Clip(widget.Width(text[:i+1]))
			}
		}
		l = l.Skip(part.Width())
		if part.Width() == 0 {
			break // not even one letter fits
		}
		line := widget.Join(head, part)
		if sel != nil {
			out = append(out, line.RenderAs(w, *sel))
		} else {
			out = append(out, line.Render(w))
		}
	}
	if len(out) == 0 {
		out = []string{""}
	}
	return out
}
