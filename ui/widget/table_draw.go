package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
)

const (
	gutter = 2 // mark of the selected row
	// measure is the greatest number of rows for measuring columns over all rows; longer tables measure the
	// visible ones.
	measure = 2000
)

// Render draws the table in h lines of w cells.
func (t *Table[T]) Render(st *themes.StyleSet, w, h int) string { return t.RenderFocus(st, w, h, true) }

// RenderFocus draws like Render, but focus false shows no cursor.
func (t *Table[T]) RenderFocus(st *themes.StyleSet, w, h int, focus bool) string {
	if w <= 0 || h <= 0 {
		return PadBlock(nil, h)
	}
	rows := h
	if !t.NoHeader && h > 1 {
		rows--
	}
	below := t.linesBelow(st, w, rows, focus)
	rows -= below
	t.height = rows
	t.scrollTo(rows)
	return t.drawTable(st, w, h, rows, below, focus)
}

// scrollTo keeps the cursor in sight, with the skipped lines before the first and after the last selectable
// row.
func (t *Table[T]) scrollTo(rows int) {
	last := max(0, len(t.shownItems)-rows)
	t.top = min(max(t.top, 0), last)
	if t.selectedAt < 0 {
		return
	}
	first, end := t.selectedAt, t.selectedAt
	for first > 0 && t.isSkipped(t.items[t.shownItems[first-1]]) {
		first--
	}
	for end+1 < len(t.shownItems) && t.isSkipped(t.items[t.shownItems[end+1]]) {
		end++
	}
	if end < len(t.shownItems)-1 {
		end = t.selectedAt // lines after it only matter at the very end
	}
	if first > 0 {
		first = max(first, t.selectedAt-1)
	}
	if t.selectedAt-first >= rows {
		first = t.selectedAt - rows + 1
	}
	if end-t.selectedAt >= rows {
		end = t.selectedAt + rows - 1
	}
	if end >= t.top+rows {
		t.top = end - rows + 1
	}
	if first < t.top {
		t.top = first
	}
	if t.selectedAt >= t.top+rows {
		t.top = t.selectedAt - rows + 1
	}
	t.top = min(max(t.top, 0), last)
}

func (t *Table[T]) drawTable(st *themes.StyleSet, w, h, rows, below int, focus bool) string {
	lay := t.chooseLayout(w, rows+below)
	if t.skippedCells > 0 {
		t.skippedCells = min(t.skippedCells, max(0, t.widestRow(lay, rows)-(w-gutter)))
	}
	lines := make([]string, 0, h)
	t.drawnRows = t.drawnRows[:0]
	if rows+below < h {
		lines = append(lines, t.headerLine(st, lay, w))
		t.drawnRows = append(t.drawnRows, -1)
	}
	if len(t.shownItems) == 0 {
		text := t.Empty
		if len(t.items) > 0 && !t.filter.IsEmpty() {
			text = "nothing matches the filter (esc clears it)"
		}
		lines = append(lines, StyledLine("  "+text, st.Dim).Render(w))
	}
	for n := t.top; n < len(t.shownItems) && len(lines) < h-below; n++ {
		l := t.rowLine(t.items[t.shownItems[n]], lay)
		mark := "  "
		if n == t.selectedAt && focus {
			lines = append(lines, JoinLines(PlainLine(words.Cursor+" "), l).RenderAs(w, st.Selection))
		} else {
			if n == t.selectedAt {
				mark = words.Resting + " "
			}
			lines = append(lines, JoinLines(StyledLine(mark, st.Dim), l).Render(w))
		}
		t.drawnRows = append(t.drawnRows, n)
	}
	if below > 0 && t.selectedAt >= 0 {
		for len(lines) < h-below {
			lines = append(lines, "")
		}
		for _, l := range t.detailLines(st, t.items[t.shownItems[t.selectedAt]], lay, w-2*gutter, below) {
			lines = append(lines, JoinLines(PlainLine("  "), l).Render(w))
		}
	}
	return PadBlock(lines, h)
}

// rowLine returns a row scrolled sideways, with names held.
func (t *Table[T]) rowLine(it T, lay tableLayout) Line {
	if l := t.fullLine(it); l != nil {
		switch {
		case t.skippedCells == 0 || isFixedLine(t, it):
			return l
		case t.Hold != nil:
			hold := t.Hold(it)
			return JoinLines(l.ClipTo(hold), l.SkipCells(hold+t.skippedCells))
		}
		return l.SkipCells(t.skippedCells)
	}
	l := make(Line, 0, 4*len(lay.cols)) // one or two spans per cell, with padding
	if t.skippedCells == 0 {
		return t.addCells(l, it, lay, 0, len(lay.cols))
	}
	l = t.addCells(l, it, lay, 0, lay.held)
	l = append(l, t.addCells(nil, it, lay, lay.held, len(lay.cols)).SkipCells(t.skippedCells)...)
	for len(l) > 0 && strings.Trim(l[len(l)-1].Text, " ") == "" {
		l = l[:len(l)-1] // blanks at the edge are not cut text
	}
	return l
}

func (t *Table[T]) headerLine(st *themes.StyleSet, lay tableLayout, w int) string {
	cells := func(from, to int) (l Line) {
		for n := from; n < to; n++ {
			i := lay.cols[n]
			c := t.Columns[i]
			title := c.Title
			if i == t.sort {
				title += words.Choose(t.isDescending, " ↓", " ↑")
			}
			if TextWidth(title) > lay.widths[n] {
				title = "" // its cells are signs
			}
			l = appendCell(l, StyledLine(title, st.Dim), lay.widths[n], lay.columnGap, c.Right, n == len(lay.cols)-1)
		}
		return l
	}
	l := cells(0, lay.held)
	return JoinLines(PlainLine("  "), l, cells(lay.held, len(lay.cols)).SkipCells(t.skippedCells)).Render(w)
}

// addCells appends the cells of columns from to to.
func (t *Table[T]) addCells(l Line, it T, lay tableLayout, from, to int) Line {
	for n := from; n < to; n++ {
		c := &t.Columns[lay.cols[n]]
		cell := c.Cell(it)
		if w := lay.widths[n]; cell.LineWidth() > w {
			switch {
			case c.Fit != nil:
				cell = c.Fit(it, w)
			case c.Name:
				cell = cell.CutName(w)
			}
		}
		l = appendCell(l, cell, lay.widths[n], lay.columnGap, c.Right, n == len(lay.cols)-1)
	}
	return l
}

// appendCell appends a cell of width w to row, cut with an ellipsis or padded, and the space to the next
// column. The line itself is not changed.
func appendCell(row, l Line, w, apart int, right, last bool) Line {
	width := l.LineWidth()
	switch {
	case width > w:
		l = cutLine(l, w)
		row = append(row, l...)
		if n := w - l.LineWidth(); n > 0 && !last { // a wide letter did not fit
			row = append(row, Span{Text: blankText(n)})
		}
	case right && width < w:
		row = append(append(row, Span{Text: blankText(w - width)}), l...)
	default:
		row = append(row, l...)
		if width < w && !last {
			row = append(row, Span{Text: blankText(w - width)})
		}
	}
	if !last {
		row = append(row, Span{Text: blankText(apart)})
	}
	return row
}

func blankText(n int) string { return strings.Repeat(" ", n) }

// cutLine shortens a line to w cells with an ellipsis.
func cutLine(l Line, w int) Line {
	var out Line
	for i, s := range l {
		sw := TextWidth(s.Text)
		if sw < w || sw == w && spanRest(l[i+1:]) == 0 {
			out = append(out, s)
			w -= sw
			continue
		}
		text := s.Text
		if sw == w {
			text = ansi.Truncate(text+"  ", w, Ellipsis) // with room for an ellipsis
		} else {
			text = TruncateText(text, w)
		}
		return append(out, Span{text, s.Style})
	}
	return out
}
