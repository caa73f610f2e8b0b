package widget

import (
	"strings"

	"rung/themes"
)

const (
	gutter = 2 // the mark of the selected row
	// measure is up to how many rows the width of columns is taken from all
	// rows; beyond it from those around the visible ones.
	measure = 2000
)

// Render draws the table in h lines of w cells.
func (t *Table[T]) Render(st *themes.Styles, w, h int) string { return t.RenderFocus(st, w, h, true) }

// RenderFocus is Render for a pane that may not have the cursor.
func (t *Table[T]) RenderFocus(st *themes.Styles, w, h int, focus bool) string {
	if w <= 0 || h <= 0 {
		return Pad(nil, h)
	}
	rows := h
	if !t.NoHeader && h > 1 {
		rows--
	}
	t.height = rows
	t.scroll(rows)
	key := memoKey{t.version, w, h, t.top, t.at, t.left, t.Wide, focus, st}
	if t.memo.frame != "" && t.memo.key == key {
		return t.memo.frame
	}
	frame := t.draw(st, w, h, rows, focus)
	t.memo.key, t.memo.frame = key, frame
	return frame
}

// scroll keeps the cursor in sight, with the lines before the first and after
// the last row it can be on.
func (t *Table[T]) scroll(rows int) {
	last := max(0, len(t.shown)-rows)
	t.top = min(max(t.top, 0), last)
	if t.at < 0 {
		return
	}
	first, end := t.at, t.at
	for first > 0 && t.skip(t.items[t.shown[first-1]]) {
		first--
	}
	for end+1 < len(t.shown) && t.skip(t.items[t.shown[end+1]]) {
		end++
	}
	if end < len(t.shown)-1 {
		end = t.at // only at the very end the lines after it matter
	}
	if first > 0 {
		first = max(first, t.at-1)
	}
	if t.at-first >= rows {
		first = t.at - rows + 1
	}
	if end-t.at >= rows {
		end = t.at + rows - 1
	}
	if end >= t.top+rows {
		t.top = end - rows + 1
	}
	if first < t.top {
		t.top = first
	}
	if t.at >= t.top+rows {
		t.top = t.at - rows + 1
	}
	t.top = min(max(t.top, 0), last)
}

func (t *Table[T]) draw(st *themes.Styles, w, h, rows int, focus bool) string {
	cols, widths, apart := t.layout(w, rows)
	if t.left > 0 {
		t.left = min(t.left, max(0, t.widest(cols, widths, apart, rows)-(w-gutter)))
	}
	lines := make([]string, 0, h)
	t.memo.lines = t.memo.lines[:0]
	if rows < h {
		lines = append(lines, t.header(st, cols, widths, apart, w))
		t.memo.lines = append(t.memo.lines, -1)
	}
	if len(t.shown) == 0 {
		text := t.Empty
		if len(t.items) > 0 && !t.filter.Empty() {
			text = "nothing matches the filter (esc clears it)"
		}
		lines = append(lines, Styled("  "+text, st.Dim).Render(w))
	}
	for n := t.top; n < len(t.shown) && len(lines) < h; n++ {
		it := t.items[t.shown[n]]
		l := t.full(it)
		if l == nil {
			l = t.row(it, cols, widths, apart)
		}
		mark := "  "
		if n == t.at && focus {
			lines = append(lines, Join(Plain("▸ "), l.Skip(t.left)).RenderAs(w, st.Selection))
		} else {
			if n == t.at {
				mark = "› "
			}
			lines = append(lines, Join(Styled(mark, st.Dim), l.Skip(t.left)).Render(w))
		}
		t.memo.lines = append(t.memo.lines, n)
	}
	return Pad(lines, h)
}

func (t *Table[T]) header(st *themes.Styles, cols, widths []int, apart, w int) string {
	var l Line
	for n, i := range cols {
		c := t.Columns[i]
		title := c.Title
		if i == t.sort {
			if t.down {
				title += " ↓"
			} else {
				title += " ↑"
			}
		}
		l = appendCell(l, Styled(title, st.Dim), widths[n], apart, c.Right, n == len(cols)-1)
	}
	return Join(Plain("  "), l.Skip(t.left)).Render(w)
}

// row puts the cells of a row beside each other.
func (t *Table[T]) row(it T, cols, widths []int, apart int) Line {
	l := make(Line, 0, 4*len(cols)) // of a span or two, with the space beside them
	for n, i := range cols {
		c := t.Columns[i]
		l = appendCell(l, c.Cell(it), widths[n], apart, c.Right, n == len(cols)-1)
	}
	return l
}

// appendCell fits a line into a column at the end of row: cut with an ellipsis
// or padded, with the space to the next column. The line stays as it is.
func appendCell(row, l Line, w, apart int, right, last bool) Line {
	width := l.Width()
	switch {
	case width > w:
		row = append(row, cut(l, w)...)
	case right && width < w:
		row = append(append(row, Span{Text: blank(w - width)}), l...)
	default:
		row = append(row, l...)
		if width < w && !last {
			row = append(row, Span{Text: blank(w - width)})
		}
	}
	if !last {
		row = append(row, Span{Text: blank(apart)})
	}
	return row
}

func blank(n int) string { return strings.Repeat(" ", n) }

// cut shortens a line to w cells with an ellipsis.
func cut(l Line, w int) Line {
	var out Line
	for i, s := range l {
		sw := Width(s.Text)
		if sw < w || sw == w && rest(l[i+1:]) == 0 {
			out = append(out, s)
			w -= sw
			continue
		}
		text := s.Text
		if sw == w {
			text = cutMore(text, w)
		} else {
			text = Truncate(text, w)
		}
		return append(out, Span{text, s.Style})
	}
	return out
}
