package page

import (
	"slices"
	"strconv"
	"time"
)

// Sheet is a report file with the content of several pages. Its painter knows no page.
type Sheet struct {
	Title string
	// About describes the sheet: when, by whom, of what.
	About    []Fact
	Sections []Section
}

// Fact is a name with a text.
type Fact struct {
	Name string
	Text Line
}

// Section is a part of a sheet. Without grids and map, it has only lines.
type Section struct {
	Key, Title string // Key is stable and unique in the sheet
	Lines      []Line
	Map        *Map
	Grids      []Grid
}

// Grid is a table with its rows as cells, whatever the type of the rows.
type Grid struct {
	Title   string // empty if the section's title is enough
	Empty   string // shown without rows
	Columns []GridColumn
	Rows    []GridRow
}

// GridColumn is a column for a painter.
type GridColumn struct {
	Key, Title, Help string
	Right, NoSort    bool
}

// GridRow is a row of cells, one for each column.
type GridRow struct {
	Cells []Cell
	// Keys are the sort keys by column. An empty key means that the cell's text is the key; nil means that all
	// are empty.
	Keys []string
	// Under means that the row belongs to the row above.
	Under bool
}

// NewGrid makes a grid of a table and rows, with the columns that a command prints. wide selects those of its
// wide output. A file is read later, elsewhere, so times have date and zone.
func NewGrid[F any](t *Table[F], rows []F, wide bool) Grid {
	if t.Head != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), t.Head)
	}
	cols := t.SeenColumns(rows, wide)
	g := Grid{Empty: t.Empty, Rows: make([]GridRow, len(rows))}
	for i := range rows {
		g.Rows[i] = GridRow{Cells: make([]Cell, len(cols)), Under: t.Under != nil && t.Under(rows[i])}
	}
	for at, c := range cols {
		g.Columns = append(g.Columns, GridColumn{Key: c.Key, Title: c.Title, Help: t.HelpText(c.Key), Right: c.Right, NoSort: c.NoSort})
		ranks := rankRows(rows, c.Less)
		for i, row := range rows {
			cell, key := c.Cell(row), ""
			if c.Exact != nil {
				key = c.Exact(row)
			}
			if _, err := time.Parse(time.RFC3339, key); err == nil {
				cell.Text = key
			}
			if ranks != nil {
				key = strconv.Itoa(ranks[i])
			}
			g.Rows[i].Cells[at] = cell
			g.Rows[i].setKey(at, key)
		}
	}
	return g
}

// setKey sets the sort key of a column unless it equals the cell's text.
func (r *GridRow) setKey(column int, key string) {
	if key == "" || key == r.Cells[column].Text {
		return
	}
	if r.Keys == nil {
		r.Keys = make([]string, len(r.Cells))
	}
	r.Keys[column] = key
}

// rankRows returns the ranks of rows in the order of a column, equal for equal rows. It is nil if less is nil:
// then the texts are compared.
func rankRows[F any](rows []F, less func(a, b F) int) []int {
	if less == nil {
		return nil
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return less(rows[a], rows[b]) })
	ranks, rank := make([]int, len(rows)), 0
	for i, at := range order {
		if i > 0 && less(rows[order[i-1]], rows[at]) != 0 {
			rank++
		}
		ranks[at] = rank
	}
	return ranks
}

// Map is a rectangle of small signs, one for each pair of a row and a column: what is true between them.
type Map struct {
	// Rows and Columns name the ends; Columns is nil if equal to Rows.
	Rows, Columns []string
	Kinds         []MapKind // of cells
	// Cells are indexes in Kinds, row by row; -1 is a cell without a sign.
	Cells []int8
}

// MapKind is a kind of cells.
type MapKind struct {
	Key, Text string // Key is stable, Text is for legends
	Sign      Span
}

// ColumnNames returns the names of the columns.
func (m *Map) ColumnNames() []string {
	if m.Columns == nil {
		return m.Rows
	}
	return m.Columns
}

// At returns the kind of a cell, or nil for a cell without a sign.
func (m *Map) At(row, column int) *MapKind {
	if k := m.Cells[row*len(m.ColumnNames())+column]; k >= 0 {
		return &m.Kinds[k]
	}
	return nil
}
