package logs

import (
	"rung/model/words"

	"strings"

	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// rowLine returns a row of the list.
func (v *logPage) rowLine(env *view.Env, it listItem, s LineShape) widget.Line {
	st := env.Styles
	if it.mark != nil {
		return widget.HeadingLine(it.mark.text, max(20, env.W-2), st)
	}
	e := v.feed.findEntry(it.seq)
	if e == nil {
		return widget.StyledLine("(this line is no longer buffered)", st.Dim)
	}
	return v.writer.Write(st, LineItem{Entry: e, Times: it.n}, s, v.wide || v.writer.Wrap, env.Now)
}

// inSight returns the lines within h of the cursor, or the last h when following: all that can be on screen.
func (v *lineWalk) inSight(h int) (out []LineItem) {
	from, to := max(0, v.list.n-h), v.list.n
	if at := v.cursorLine(); !v.follow && at >= 0 {
		from, to = max(0, at-h), min(v.list.n, at+h)
	}
	for i := from; i < to; i++ {
		it := v.list.lineAt(i)
		if e := v.feed.findEntry(it.seq); e != nil {
			out = append(out, LineItem{Entry: e, Times: it.n})
		}
	}
	return out
}

// leastHeaded is the least height of a list with heads over its columns.
const leastHeaded = 4

// drawList draws the list in h lines of w cells.
func (v *logPage) drawList(env *view.Env, w, h int) []string {
	v.height = h
	v.rows = v.rows[:0]
	st := env.Styles
	rows := v.list.countRows()
	if v.by != ungrouped && v.list.n > 0 {
		return strings.Split(v.buckets.table.Render(st, w, h), "\n")
	}
	if v.list.n == 0 || h <= 0 {
		return v.emptyLines(env, w, h)
	}
	at, cur := v.cursorLine(), -1
	if at >= 0 {
		cur = v.list.rowIndex(at)
	}
	s := v.writer.MeasureShape(v.inSight(h), st, env.Now, w)
	lines := make([]string, 0, h)
	if h >= leastHeaded && !v.wide && !v.writer.Wrap { // whole lines have no columns
		lines = append(lines, widget.JoinLines(widget.PlainLine("  "), v.writer.headLine(st, s, env.Now).SkipCells(v.left)).Render(w))
		v.height, v.headed = h-1, v.headed+1
	}
	draw := func(row int) []string {
		it := v.list.itemAtRow(row)
		l := v.rowLine(env, it, s)
		hit := it.mark == nil && !v.find.IsEmpty() && v.find.MatchesText(v.feed.entryText(it.seq))
		if row == cur {
			mark := words.Cursor + words.Choose(v.marked[it.seq], words.Here, " ")
			if v.writer.Wrap {
				return wrapLine(l, w, mark, &st.Selection)
			}
			return []string{widget.JoinLines(widget.PlainLine(mark), l.SkipCells(v.left)).RenderAs(w, st.Selection)}
		}
		mark := "  "
		switch {
		case it.near:
			l = widget.StyledLine(l.String(), st.Dim)
		case v.list.around.n > 0 && !v.list.group && it.mark == nil && !v.feed.query.ShowsAll():
			mark = words.Here + " "
		}
		if hit {
			mark, l = words.Here+" ", widget.HighlightMatches(l, v.find, st)
		}
		if v.marked[it.seq] {
			mark = strings.TrimSuffix(mark, " ") + words.Here
		}
		if v.writer.Wrap {
			return wrapLine(l, w, mark, nil)
		}
		return []string{widget.JoinLines(widget.StyledLine(mark, st.Key), l.SkipCells(v.left)).Render(w)}
	}
	v.scrollTo(rows, cur, v.height, func(row int) int {
		if !v.writer.Wrap {
			return 1
		}
		return len(draw(row))
	})
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

// scrollTo sets the first row so that the cursor is in sight and, when following, the last row is at the
// bottom. height returns the lines of a row.
func (v *lineWalk) scrollTo(rows, cur, h int, height func(int) int) {
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

// wrapLine breaks a line into lines of w cells.
func wrapLine(l widget.Line, w int, mark string, sel *themes.Style) []string {
	if l.LineWidth() == 0 {
		return []string{""}
	}
	const indent = "    "
	var out []string
	for i, part := range l.FlowLine(w-2, w-2-len(indent)) {
		head := words.Choose(i > 0, "  "+indent, mark)
		line := widget.JoinLines(widget.PlainLine(head), part)
		if sel != nil {
			out = append(out, line.RenderAs(w, *sel))
		} else {
			out = append(out, line.Render(w))
		}
	}
	return out
}
