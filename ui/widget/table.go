package widget

import (
	"iter"
	"slices"
	"strings"

	"rung/model/words"
)

// TableColumn is one column of a table.
type TableColumn[T any] struct {
	Title string
	// Help says in a sentence what the column means.
	Help string
	// Cell returns the column's cell of a row.
	Cell func(T) Line
	// Fit is the cell in w cells, where Cell is wider: a short form. Nil cuts it.
	Fit func(row T, w int) Line
	// Name columns hold the names of what the rows are about. They are the last to
	// be cut, in the middle, and stay where one scrolls sideways; Max does not hold
	// for them.
	Name bool
	// Min is the width to which the column may be shrunk, Max the one to which
	// it grows; 0 is its natural width and no bound.
	Min, Max int
	// Short, where it is set, is the width to which the column is shrunk before a
	// name is cut; it does not go for a name.
	Short int
	// Drop orders the columns that go when there is no room, highest first; 0
	// stays to the end.
	Drop int
	// Wide columns are only there in wide mode.
	Wide bool
	// From is the width from which on the table has the column.
	From int
	// Sparse columns are only there where some row has a value in them: that all have none
	// is not worth a column.
	Sparse bool
	// Right puts text at the right end. Flex takes the room that is left.
	Right, Flex bool
	// Less orders rows by this column; nil compares the text, numbers by value, and
	// puts rows last that have none, however one sorts.
	Less func(a, b T) int
	// NoSort keeps the column out of sorting.
	NoSort bool
}

// Table shows rows in columns. Rows that Full gives a line for take the whole
// width: bands, gaps, headings. Columns without a value in any row take no room.
// Text that is cut in the row under the cursor stands whole in a line or two below.
type Table[T any] struct {
	Columns []TableColumn[T]
	// ID is the identity of a row; the selection follows it. It must be
	// unique.
	ID func(T) string
	// Full gives the one line of a row without columns, nil for other rows.
	Full func(T) Line
	// Fixed says that the row only makes sense in the natural order and
	// without a filter, as every row does that Skip names.
	Fixed func(T) bool
	// Hold is how many cells of a line without columns stay where one scrolls
	// sideways; nil is none.
	Hold func(T) int
	// Note returns the remarks about a row, piece by piece, the worst first: they
	// stand below the table for the row under the cursor, and room is made for them at
	// any width. Columns without a title are taken for their short forms.
	Note func(T) (notes, rest []Line)
	// More are the keys that show the notes for which there was no room, empty for none.
	More func(T) string
	// NoBelow leaves those lines out: the page itself shows the row under the cursor whole.
	NoBelow bool
	// Skip says that the cursor passes over the row.
	Skip func(T) bool
	// Text returns the text of a row that the filter searches; nil takes the cells.
	Text func(T) string
	// NoHeader leaves the titles out.
	NoHeader bool
	// Empty is shown when there is no row.
	Empty string
	// Wide shows all columns at their natural width.
	Wide bool

	items        []T
	shownItems   []int // indexes into items
	filter       LineFilter
	sort         int // column, -1 natural
	isDescending bool
	sel          string
	selectedAt   int // index into shown of the selection, -1 none
	top          int
	skippedCells int
	height       int // of the rows in the last frame
	version      int
	ready        bool

	drawnRows []int // row index per line of the last frame, for the mouse
	widths    widthMemo
	plan      layoutMemo
	tall      tallBelow
}

// tallBelow is how many lines the rows of a version needed below the table so far, in w cells.
type tallBelow struct{ version, w, lines int }

type widthMemo struct {
	version int
	wide    bool
	natural []int
	holds   []columnValue // what each column has to show
}

// columnValue is the most telling content of a column in any row.
type columnValue int

const (
	nothing columnValue = iota
	dashes              // no more than that there is none
	values
)

// layoutMemo is the layout for a version, a width and, where widths are sampled, a
// place in the list.
type layoutMemo struct {
	key    layoutKey
	layout tableLayout
}

type layoutKey struct {
	version, w, rows, top, columns, sort int
	wide, aside                          bool
}

// tableLayout is which columns there are, how wide, and how many cells are between them.
type tableLayout struct {
	cols, widths []int
	apart        int
	held         int  // columns that stay where one scrolls sideways
	cut          bool // something of a row may not be seen
}

// SetItems gives the table its rows in natural order. The selection stays on
// the row with its identity, or near where it was.
func (t *Table[T]) SetItems(items []T) {
	if !t.ready {
		t.ready, t.sort, t.selectedAt = true, -1, -1
	}
	t.items = items
	t.arrangeRows()
}

// ColumnHelp is a column in words.
type ColumnHelp struct {
	Title, Text string
	// Sorted says that the rows are sorted by it: it is the column one is on.
	Sorted bool
}

// ColumnHelps are the columns that have a title, in words, seen or not.
func (t *Table[T]) ColumnHelps() []ColumnHelp {
	var out []ColumnHelp
	for i, c := range t.Columns {
		if c.Title != "" {
			out = append(out, ColumnHelp{strings.TrimSpace(c.Title), c.Help, t.ready && i == t.sort})
		}
	}
	return out
}

// AllItems are the rows in natural order.
func (t *Table[T]) AllItems() []T { return t.items }

// SetFilter shows only rows that match.
func (t *Table[T]) SetFilter(f LineFilter) {
	if f.Text == t.filter.Text {
		return
	}
	t.filter = f
	t.arrangeRows()
}

// ShownItems walks the rows that the filter lets through, as they stand on the screen.
func (t *Table[T]) ShownItems() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, i := range t.shownItems {
			if !yield(t.items[i]) {
				return
			}
		}
	}
}

// CountLines are how many rows are shown and how many there are, without rows that
// the cursor passes over.
func (t *Table[T]) CountLines() (shown, all int) {
	for _, it := range t.items {
		if !t.isFixed(it) {
			all++
		}
	}
	for _, i := range t.shownItems {
		if !t.isFixed(t.items[i]) {
			shown++
		}
	}
	return shown, all
}

func (t *Table[T]) isSkipped(it T) bool { return t.Skip != nil && t.Skip(it) }
func (t *Table[T]) isFixed(it T) bool {
	return t.isSkipped(it) || t.Fixed != nil && t.Fixed(it)
}

func (t *Table[T]) fullLine(it T) Line {
	if t.Full == nil {
		return nil
	}
	return t.Full(it)
}

func (t *Table[T]) filterText(it T) string {
	if t.Text != nil {
		return t.Text(it)
	}
	if l := t.fullLine(it); l != nil {
		return l.String()
	}
	var b strings.Builder
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.Cell(it).String())
	}
	return b.String()
}

// arrangeRows makes shown from items, filter and order, and finds the selection
// again.
func (t *Table[T]) arrangeRows() {
	t.version++
	t.shownItems = t.shownItems[:0]
	strict := !t.filter.IsEmpty() || t.sort >= 0
	for i, it := range t.items {
		if strict && t.isFixed(it) || !t.filter.IsEmpty() && !t.filter.MatchesText(t.filterText(it)) {
			continue
		}
		t.shownItems = append(t.shownItems, i)
	}
	t.orderRows()
	was := t.selectedAt
	t.selectedAt = -1
	if t.sel != "" {
		t.SelectID(t.sel)
	}
	if t.selectedAt < 0 {
		t.moveTo(max(0, was), 1)
	}
}

func (t *Table[T]) orderRows() {
	if t.sort < 0 || t.sort >= len(t.Columns) {
		return
	}
	c := t.Columns[t.sort]
	var keys []string
	less := func(a, b int) int { return c.Less(t.items[a], t.items[b]) }
	if c.Less == nil {
		keys = make([]string, len(t.items))
		for _, i := range t.shownItems {
			keys[i] = c.Cell(t.items[i]).String()
			if keys[i] == "–" {
				keys[i] = ""
			}
		}
		less = func(a, b int) int { return words.CompareNatural(keys[a], keys[b]) }
	}
	slices.SortStableFunc(t.shownItems, func(a, b int) int {
		switch {
		case keys != nil && (keys[a] == "") != (keys[b] == ""):
			return b2i(keys[a] == "") - b2i(keys[b] == "")
		case t.isDescending:
			return less(b, a)
		}
		return less(a, b)
	})
}
