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
	// Help explains the column in a sentence.
	Help string
	// Cell returns the column's cell of a row.
	Cell func(T) Line
	// Fit returns a short form in w cells of a wider cell; nil cuts the cell.
	Fit func(row T, w int) Line
	// Name columns hold the names of the rows' subjects. They are cut last, in the middle, stay when scrolling
	// sideways, and ignore Max.
	Name bool
	// Min is the least width when shrunk, Max the greatest; 0 means the natural width and no bound.
	Min, Max int
	// Short, if set, is the width to which the column shrinks before a name is cut; the column is never
	// dropped for a name.
	Short int
	// Drop orders the columns to drop when room is short, highest first; 0 is never dropped.
	Drop int
	// Wide columns are only shown in wide mode.
	Wide bool
	// From is the least table width that shows the column.
	From int
	// Sparse columns are only shown if some row has a value.
	Sparse bool
	// Right aligns text right. Flex takes the remaining room.
	Right, Flex bool
	// Less orders rows by this column. If nil, text is compared, numbers by value, and rows without a value go
	// last in either order.
	Less func(a, b T) int
	// NoSort excludes the column from sorting.
	NoSort bool
}

// Table shows rows in columns. Rows with a Full line take the whole width: bands, gaps, headings. Columns
// without a value in any row take no room. Cut text of the selected row is shown whole in a line or two below.
type Table[T any] struct {
	Columns []TableColumn[T]
	// ID returns the unique identity of a row; the selection follows it.
	ID func(T) string
	// Full returns the line of a row without columns, or nil for other rows.
	Full func(T) Line
	// Fixed rows only make sense in natural order and without a filter, like all Skip rows.
	Fixed func(T) bool
	// Hold returns the cells of a line without columns that stay when scrolling sideways; nil holds none.
	Hold func(T) int
	// Note returns remarks about a row, worst first. They are shown below the table for the selected row, at
	// any width. Columns without a title count as short forms of the notes.
	Note func(T) (notes, rest []Line)
	// More returns the keys that show the notes that did not fit, empty if none.
	More func(T) string
	// NoBelow omits those lines: the page itself shows the selected row in full.
	NoBelow bool
	// Skip marks rows the cursor passes over.
	Skip func(T) bool
	// Text returns the text of a row that the filter searches; nil means the cells.
	Text func(T) string
	// NoHeader omits the titles.
	NoHeader bool
	// Empty replaces the rows of an empty table.
	Empty string
	// Wide shows all columns at their natural width.
	Wide bool

	items        []T
	shownItems   []int // indexes into items
	filter       LineFilter
	searched     string // title of the only column that the filter searches, or empty
	sort         int    // column, or -1 for natural order
	isDescending bool
	sel          string
	selectedAt   int // index of the selection in shownItems, or -1 for none
	top          int
	skippedCells int
	height       int // of the rows in the last frame
	version      int
	ready        bool

	drawnRows []int // row index per line of the last frame, for the mouse
	widths    widthMemo
	plan      layoutMemo
	below     belowMemo
}

// belowMemo is the most lines that rows of this version needed below the table so far, at width w.
type belowMemo struct{ version, w, lines int }

type widthMemo struct {
	version int
	wide    bool
	natural []int
	holds   []columnValue // content of each column
}

// columnValue is the most informative content of a column in any row.
type columnValue int

const (
	noValues columnValue = iota
	dashes               // only "–"
	values
)

// layoutMemo caches the layout for a version and width, and for a position in the list if widths are sampled.
type layoutMemo struct {
	key    layoutKey
	layout tableLayout
}

type layoutKey struct {
	version, w, rows, top, columns, sort int
	wide, aside                          bool
}

// tableLayout holds the shown columns, their widths, and the cells between them.
type tableLayout struct {
	cols, widths []int
	columnGap    int
	held         int  // columns that stay when scrolling sideways
	cut          bool // part of a row may be hidden
}

// SetItems sets the rows in natural order. The selection stays on the row with its identity, or near its
// place.
func (t *Table[T]) SetItems(items []T) {
	if !t.ready {
		t.ready, t.sort, t.selectedAt = true, -1, -1
	}
	t.items = items
	t.arrangeRows()
}

// ColumnHelp explains a column.
type ColumnHelp struct {
	Title, Text string
	// rows are sorted by this column
	Sorted bool
}

// ColumnHelps explains all columns with a title, shown or not.
func (t *Table[T]) ColumnHelps() []ColumnHelp {
	var out []ColumnHelp
	for i, c := range t.Columns {
		if c.Title != "" {
			out = append(out, ColumnHelp{strings.TrimSpace(c.Title), c.Help, t.ready && i == t.sort})
		}
	}
	return out
}

// AllItems returns the rows in natural order.
func (t *Table[T]) AllItems() []T { return t.items }

// SetFilter shows only rows that match. "TITLE=text" searches one column.
func (t *Table[T]) SetFilter(f LineFilter) {
	if f.Text == t.filter.Text {
		return
	}
	t.filter, t.searched = f, ""
	title, rest, _ := strings.Cut(f.Text, "=")
	for _, c := range t.Columns {
		if title != "" && strings.EqualFold(title, c.Title) {
			t.filter, t.searched = ParseFilter(rest), c.Title
			t.filter.Text = f.Text
		}
	}
	t.arrangeRows()
}

// ShownItems iterates over the rows that match the filter, in screen order.
func (t *Table[T]) ShownItems() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, i := range t.shownItems {
			if !yield(t.items[i]) {
				return
			}
		}
	}
}

// CountLines counts the shown rows and all rows, without skipped and fixed ones.
func (t *Table[T]) CountLines() (shown, all int) {
	for _, it := range t.items {
		all += b2i(!t.isFixed(it))
	}
	for _, i := range t.shownItems {
		shown += b2i(!t.isFixed(t.items[i]))
	}
	return shown, all
}

func (t *Table[T]) isSkipped(it T) bool { return t.Skip != nil && t.Skip(it) }
func (t *Table[T]) isFixed(it T) bool   { return t.isSkipped(it) || t.Fixed != nil && t.Fixed(it) }

func (t *Table[T]) fullLine(it T) Line {
	if t.Full == nil {
		return nil
	}
	return t.Full(it)
}

func (t *Table[T]) filterText(it T) string {
	if i := slices.IndexFunc(t.Columns, func(c TableColumn[T]) bool { return c.Title == t.searched }); i >= 0 && t.searched != "" {
		return t.Columns[i].Cell(it).String()
	}
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

// arrangeRows applies filter and order to the items, and restores the selection.
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
