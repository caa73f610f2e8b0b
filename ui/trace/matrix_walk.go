package trace

import (
	"slices"
	"strconv"
	"strings"

	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// arrangeAxes fills rows and columns, and keeps the cursor on its ends.
func (v *matrixPage) arrangeAxes() {
	if v.m == nil {
		return
	}
	row, col := "", ""
	if e := v.selectedRow(); e != nil {
		row = e.Name()
	}
	if v.focus == "" && v.cursor.col >= 0 && v.cursor.col < len(v.cols) {
		col = v.cols[v.cursor.col].Name()
	}
	v.rows, v.cols = v.unfoldedEnds(v.rowAxis()), v.unfoldedEnds(1-v.rowAxis())
	switch self := v.m.Namespace(v.focus); {
	case v.focus != "" && self == nil:
		v.rows, v.cols = nil, nil
	case v.focus != "":
		v.rows = slices.DeleteFunc(v.rows, func(e *revision.MatrixEnd) bool {
			return v.only != "" && !v.m.Cell(self, e).Has(v.only) && !v.m.Cell(e, self).Has(v.only)
		})
		v.cols = nil
	case v.swapped:
		v.cols, v.rows = v.m.FilterByVerdict(v.cols, v.rows, v.only)
	default:
		v.rows, v.cols = v.m.FilterByVerdict(v.rows, v.cols, v.only)
	}
	v.allRows = len(v.rows)
	v.rows = slices.DeleteFunc(v.rows, func(e *revision.MatrixEnd) bool { return !v.filter.MatchesText(e.Name()) })
	v.numbers = map[string]int{}
	for i, e := range v.cols {
		v.numbers[e.Name()] = i + 1
	}
	named := func(all []*revision.MatrixEnd, name string, or int) int {
		if i := slices.IndexFunc(all, func(e *revision.MatrixEnd) bool { return e.Name() == name }); i >= 0 {
			return i
		}
		return or
	}
	v.cursor.row = named(v.rows, row, v.cursor.row)
	if v.focus == "" {
		v.cursor.col = named(v.cols, col, v.cursor.col)
	}
	v.clampCursor()
}

// unfoldedEnds returns the ends of an axis including unfolded parts.
func (v *matrixPage) unfoldedEnds(axis int) (out []*revision.MatrixEnd) {
	var add func(ends []*revision.MatrixEnd)
	add = func(ends []*revision.MatrixEnd) {
		for _, e := range ends {
			out = append(out, e)
			if v.open[axis][e.Name()] {
				add(e.Parts)
			}
		}
	}
	add(v.m.Namespaces)
	if axis == 1 || v.focus != "" { // destinations
		out = append(out, v.destinations...)
	}
	return out
}

func (v *matrixPage) clampCursor() {
	v.cursor.row = max(0, min(v.cursor.row, len(v.rows)-1))
	v.cursor.col = max(-1, min(v.cursor.col, v.countColumns()-1))
}

// walkCursor moves the cursor.
func (v *matrixPage) walkCursor(id action.ID) bool {
	switch d := widget.CursorStride(id, v.h); {
	case d != 0:
		v.cursor.row += d
	case id == action.Top:
		v.cursor.row = 0
	case id == action.Bottom:
		v.cursor.row = len(v.rows) - 1
	case id == action.Left:
		v.cursor.col--
	case id == action.Right:
		v.cursor.col++
	default:
		return false
	}
	v.clampCursor()
	return true
}

// SetFilter shows the rows whose name matches.
func (v *matrixPage) SetFilter(f widget.LineFilter) {
	v.filter = f
	v.arrangeAxes()
}

// CountLines returns the numbers of shown and of all rows.
func (v *matrixPage) CountLines() (shown, all int) { return len(v.rows), v.allRows }

// Click puts the cursor on a cell.
func (v *matrixPage) Click(_ *view.Env, x, y int) bool {
	row := v.top + y - v.header
	if y < v.header || y >= v.header+v.h || row >= len(v.rows) {
		return false
	}
	v.cursor = cursorPlace{row, -1}
	if x >= v.fits.names && v.fits.cell > 0 {
		v.cursor.col = min(v.firstColumn+(x-v.fits.names)/v.fits.cell, v.countColumns()-1)
	}
	v.clampCursor()
	return true
}

// Wheel moves the cursor along the rows.
func (v *matrixPage) Wheel(_ *view.Env, lines int) {
	v.cursor.row += lines
	v.clampCursor()
}

// commandText returns the command that prints the same matrix.
func (v *matrixPage) commandText() string {
	out := []string{"rung", "matrix"}
	if v.ports != (verdict.Ports{}) {
		out = append(out, "--protocol", string(v.ports.Protocol))
		if v.ports.Port != 0 {
			out = append(out, "--port", strconv.Itoa(int(v.ports.Port)))
		}
	}
	return strings.Join(out, " ") + words.Between(" --focus ", v.focus, "") +
		words.Choose(v.network == "", "", " --network "+words.ShellQuote(v.network)) + words.Choose(v.services, " --services", "") +
		words.Choose(v.outside, " --outside", "") + words.Between(" --only ", string(v.only), "")
}
