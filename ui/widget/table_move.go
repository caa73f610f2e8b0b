package widget

import (
	"rung/ui/action"
)

// SelectID puts the cursor on the row with that identity; false if it is not shown.
func (t *Table[T]) SelectID(id string) bool {
	for n, i := range t.shownItems {
		if t.ID(t.items[i]) == id && !t.isSkipped(t.items[i]) {
			t.selectedAt, t.sel = n, id
			return true
		}
	}
	return false
}

// SelectedItem returns the row under the cursor.
func (t *Table[T]) SelectedItem() (it T, ok bool) {
	if t.selectedAt < 0 || t.selectedAt >= len(t.shownItems) {
		return it, false
	}
	return t.items[t.shownItems[t.selectedAt]], true
}

// SelectedID returns the identity of the row under the cursor, empty if none.
func (t *Table[T]) SelectedID() string {
	if it, ok := t.SelectedItem(); ok {
		return t.ID(it)
	}
	return ""
}

// moveTo puts the cursor on the nearest row at or after n in direction d, else in the other direction.
func (t *Table[T]) moveTo(n, d int) {
	n = min(max(n, 0), len(t.shownItems)-1)
	for _, d := range []int{d, -d} {
		for i := n; i >= 0 && i < len(t.shownItems); i += d {
			if it := t.items[t.shownItems[i]]; !t.isSkipped(it) {
				t.selectedAt, t.sel = i, t.ID(it)
				return
			}
		}
	}
	t.selectedAt = -1
}

// CursorStride returns the lines by which an action moves the cursor in a list of that height, negative for up; 0
// if it does not move by lines.
func CursorStride(id action.ID, height int) int {
	page := max(1, height-1)
	switch id {
	case action.Down:
		return 1
	case action.Up:
		return -1
	case action.HalfDown:
		return max(1, page/2)
	case action.HalfUp:
		return -max(1, page/2)
	case action.PageDown:
		return page
	case action.PageUp:
		return -page
	}
	return 0
}

// SidewaysOffset returns the sideways scroll after an action, from the present one.
func SidewaysOffset(id action.ID, left int) int {
	switch id {
	case action.Left:
		return max(0, left-8)
	case action.Right:
		return left + 8
	}
	return left
}

// Do carries out an action of lists; false for any other action.
func (t *Table[T]) Do(id action.ID) bool {
	if d := CursorStride(id, t.height); d != 0 {
		if id == action.Down || id == action.Up {
			t.stepCursor(d)
		} else {
			t.Wheel(d)
		}
		return true
	}
	switch id {
	case action.Top:
		t.moveTo(0, 1)
		t.top = 0
	case action.Bottom:
		t.moveTo(len(t.shownItems)-1, -1)
	case action.Left, action.Right:
		t.skippedCells = SidewaysOffset(id, t.skippedCells)
	case action.Wide:
		t.Wide = !t.Wide
		t.skippedCells = 0
	case action.SortNext:
		t.sortBy(1)
	case action.SortPrev:
		t.sortBy(-1)
	case action.SortFlip:
		if t.sort >= 0 {
			t.isDescending = !t.isDescending
			t.arrangeRows()
		}
	default:
		return false
	}
	return true
}

// stepCursor moves to the next selectable row, and stays if there is none.
func (t *Table[T]) stepCursor(d int) {
	for i := t.selectedAt + d; i >= 0 && i < len(t.shownItems); i += d {
		if it := t.items[t.shownItems[i]]; !t.isSkipped(it) {
			t.selectedAt, t.sel = i, t.ID(it)
			return
		}
	}
	t.top = max(0, t.top+d) // scroll on: lines may follow the last selectable row
}

// sortBy sorts by the next sortable column; before the first comes the natural order.
func (t *Table[T]) sortBy(d int) {
	for n := t.sort + d; ; n += d {
		if n < 0 || n >= len(t.Columns) {
			n = -1
		}
		if n < 0 || !t.Columns[n].NoSort && (t.Wide || !t.Columns[n].Wide) &&
			(!t.Columns[n].Sparse || n < len(t.widths.holds) && t.widths.holds[n] == values) {
			t.sort = n
			break
		}
	}
	t.arrangeRows()
}

// Wheel scrolls by lines; the cursor stays in sight.
func (t *Table[T]) Wheel(d int) {
	if d > 0 {
		t.moveTo(t.selectedAt+d, 1)
	} else {
		t.moveTo(t.selectedAt+d, -1)
	}
	t.top = max(0, t.top+d)
}

// Click puts the cursor on the row at line y of the last frame; false if there is none.
func (t *Table[T]) Click(y int) bool {
	if y < 0 || y >= len(t.drawnRows) || t.drawnRows[y] < 0 {
		return false
	}
	n := t.drawnRows[y]
	if n >= len(t.shownItems) || t.isSkipped(t.items[t.shownItems[n]]) {
		return false
	}
	t.selectedAt, t.sel = n, t.ID(t.items[t.shownItems[n]])
	return true
}

// Arrangement is a sort order, by column title, and whether all columns are shown. The zero value is the
// natural order.
type Arrangement struct {
	Sort         string `json:"sort,omitempty"`
	IsDescending bool   `json:"descending,omitempty"`
	Wide         bool   `json:"wide,omitempty"`
}

// Arrangement returns the arrangement of the table.
func (t *Table[T]) Arrangement() Arrangement {
	a := Arrangement{Wide: t.Wide}
	if t.ready && t.sort >= 0 && t.sort < len(t.Columns) {
		a.Sort, a.IsDescending = t.Columns[t.sort].Title, t.isDescending
	}
	return a
}

// ArrangeBy arranges the table. An unknown column sorts nothing.
func (t *Table[T]) ArrangeBy(a Arrangement) {
	if !t.ready {
		t.ready, t.selectedAt = true, -1
	}
	t.sort = -1
	for i := range t.Columns {
		if c := &t.Columns[i]; a.Sort != "" && c.Title == a.Sort && !c.NoSort {
			t.sort = i
		}
	}
	t.isDescending, t.Wide = a.IsDescending && t.sort >= 0, a.Wide
	t.arrangeRows()
}
