package widget

import (
	"cmp"
	"slices"

	"rung/themes"
)

// The least heights of a table with one and with two lines below it for the selected row.
const (
	oneLineHeight  = 6
	twoLinesHeight = 24
)

// linesBelow returns how many lines below the rows show cut text of the selected row: none if no row is cut.
// The number does not depend on the selected row, so that nothing jumps. In wide mode it is what the row
// needs, up to half of the rows, and never shrinks while the cursor moves.
func (t *Table[T]) linesBelow(st *themes.StyleSet, w, rows int, focus bool) int {
	if t.NoBelow || !focus || rows < oneLineHeight || len(t.Columns) == 0 || len(t.shownItems) == 0 {
		return 0
	}
	// If widths are sampled, reuse whether the last frame cut something: measuring again would cost as much as
	// drawing.
	was := t.plan
	was.key.rows, was.key.top = 0, 0
	sampled := len(t.items) > measure && was.layout.widths != nil && was.key == t.layoutKey(w)
	cuts := t.Note != nil || sampled && was.layout.cut || !sampled && t.chooseLayout(w, rows).cut
	switch {
	case !cuts:
		return 0
	case t.Wide && t.selectedAt >= 0:
		most := rows / 2
		told := len(t.detailLines(st, t.items[t.shownItems[t.selectedAt]], t.chooseLayout(w, rows), w-2*gutter, most))
		if t.below.version != t.version || t.below.w != w {
			t.below = belowMemo{t.version, w, 1}
		}
		t.below.lines = max(t.below.lines, told)
		return min(t.below.lines, most)
	case rows >= twoLinesHeight || len(t.shownItems)+2 <= rows:
		return 2
	}
	return 1
}

// detailLines returns the lines below the table: the most important cut cells, the notes of the row, the other
// cut cells.
func (t *Table[T]) detailLines(st *themes.StyleSet, it T, lay tableLayout, w, h int) []Line {
	var pieces []Line
	var counted [2]int // only left-out notes are counted
	if l := t.fullLine(it); l != nil {
		if t.Note != nil {
			notes, rest := t.Note(it)
			pieces, counted[1] = append(notes, rest...), len(notes)
		}
		if len(pieces) == 0 && l.LineWidth() > w+gutter {
			pieces = append(pieces, l.trimStart())
		}
	} else {
		worthy, others := t.unseenCells(st, it, lay, w+gutter)
		pieces = append(pieces, worthy...)
		if t.Note != nil {
			notes, rest := t.Note(it)
			counted = [2]int{len(pieces), len(pieces) + len(notes)}
			pieces = append(pieces, notes...)
			pieces = append(pieces, rest...)
		}
		pieces = append(pieces, others...)
	}
	keys := ""
	if t.More != nil {
		keys = t.More(it)
	}
	return flowWhole(pieces, counted, keys, w, h, st.Border, st.Dim)
}

// unseenCells returns the cells of a row that are cut or hidden, each after its title, the most important
// first: worthy belong to columns with Drop 0 or 1, others to the rest.
func (t *Table[T]) unseenCells(st *themes.StyleSet, it T, lay tableLayout, room int) (worthy, others []Line) {
	var at []int
	ends, x := make([]int, len(lay.cols)), 0
	for n := range lay.cols {
		ends[n] = x + lay.widths[n]
		x = ends[n] + lay.columnGap
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Wide && !t.Wide || c.Title == "" && t.Note != nil {
			continue
		}
		cell := c.Cell(it)
		n := slices.Index(lay.cols, i)
		if w := cell.LineWidth(); w == 0 || n >= 0 && w <= lay.widths[n] && (!t.Wide || t.skippedCells > 0 || ends[n]-lay.widths[n]+w <= room) ||
			cell.String() == "–" {
			continue
		}
		at = append(at, i)
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(t.Columns[a].Drop, t.Columns[b].Drop) })
	for _, i := range at {
		c := &t.Columns[i]
		l := c.Cell(it)
		if c.Title != "" && !c.Name {
			l = JoinLines(StyledLine(c.Title+" ", st.Dim), l)
		}
		if c.Drop <= 1 {
			worthy = append(worthy, l.trimStart())
		} else {
			others = append(others, l.trimStart())
		}
	}
	return worthy, others
}

// trimStart removes leading blanks.
func (l Line) trimStart() Line {
	for len(l) > 0 {
		n := 0
		for n < len(l[0].Text) && l[0].Text[n] == ' ' {
			n++
		}
		if n < len(l[0].Text) {
			out := slices.Clone(l)
			out[0].Text = out[0].Text[n:]
			return out
		}
		l = l[1:]
	}
	return l
}
