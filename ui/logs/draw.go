package logs

import (
	"rung/ui/logs/line"
	"strings"

	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// line is a row of the list as it is shown.
func (v *logPage) line(env *view.Env, it item, s line.Shape) widget.Line {
	st := env.Styles
	if it.mark != nil {
		return widget.Heading(it.mark.text, max(20, env.W-2), st)
	}
	e := v.feed.entry(it.seq)
	if e == nil {
		return widget.Styled("(this line is no longer buffered)", st.Dim)
	}
	return v.writer.Write(st, line.Item{Entry: e, Times: it.n}, s, v.wide || v.writer.Wrap, env.Now)
}

// inSight are the lines that are in sight, or nearly.
func (v *walk) inSight(h int) (out []line.Item) {
	from, to := max(0, v.list.n-h), v.list.n
	if at := v.cursor(); !v.follow && at >= 0 {
		from, to = max(0, at-h), min(v.list.n, at+h)
	}
	for i := from; i < to; i++ {
		it := v.list.line(i)
		if e := v.feed.entry(it.seq); e != nil {
			out = append(out, line.Item{Entry: e, Times: it.n})
		}
	}
	return out
}

// text draws the list in h lines of w cells.
func (v *logPage) text(env *view.Env, w, h int) []string {
	v.height = h
	v.rows = v.rows[:0]
	st := env.Styles
	rows := v.list.rows()
	if v.by != byNothing && v.list.n > 0 {
		return strings.Split(v.piles.table.Render(st, w, h), "\n")
	}
	if v.list.n == 0 || h <= 0 {
		return v.nothing(env, w, h)
	}
	at, cur := v.cursor(), -1
	if at >= 0 {
		cur = v.list.row(at)
	}
	s := v.writer.Shape(v.inSight(h), st, env.Now, w)
	draw := func(row int) []string {
		it := v.list.at(row)
		l := v.line(env, it, s)
		hit := it.mark == nil && !v.find.Empty() && v.find.Match(v.feed.text(it.seq))
		if row == cur {
			if v.writer.Wrap {
				return wrapped(l, w, "▸ ", &st.Selection)
			}
			return []string{widget.Join(widget.Plain("▸ "), l.Skip(v.left)).RenderAs(w, st.Selection)}
		}
		mark := "  "
		switch {
		case it.near:
			l = widget.Styled(l.String(), st.Dim)
		case v.list.around.n > 0 && !v.list.group && it.mark == nil && !v.feed.query.ShowsAll():
			mark = "• "
		}
		if hit {
			mark, l = "• ", widget.Highlight(l, v.find, st)
		}
		if v.writer.Wrap {
			return wrapped(l, w, mark, nil)
		}
		return []string{widget.Join(widget.Styled(mark, st.Key), l.Skip(v.left)).Render(w)}
	}
	v.scroll(rows, cur, h, func(row int) int {
		if !v.writer.Wrap {
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

// scroll puts the first row so that the cursor is in sight and, following, the
// last row is at the bottom. height is how many lines a row takes.
func (v *walk) scroll(rows, cur, h int, height func(int) int) {
	// bottom is the first row of the last screenful.
	bottom := rows
	for n := 0; bottom > 0; bottom-- {
		n += height(bottom - 1)
		if n > h {
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
