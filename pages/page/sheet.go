package page

// Sheet is a file that can be kept, with the content of several pages: its painter knows none of them.
type Sheet struct {
	Title string
	// About are the facts about the sheet itself: when, by whom, of what.
	About    []Fact
	Sections []Section
}

// Fact is a name with what is said about it.
type Fact struct {
	Name string
	Text Line
}

// Section is a part of a sheet. One without grids and without a map says all in its lines.
type Section struct {
	Key, Title string // Key is stable, and unique in the sheet
	Lines      []Line
	Map        *Map
	Grids      []Grid
}

// Grid is a table with its rows, whatever these are of.
type Grid struct {
	Title   string // empty where that of the section says all
	Empty   string // said where there is no row
	Columns []GridColumn
	Rows    []GridRow
}

// GridColumn is a column as a painter needs it.
type GridColumn struct {
	Key, Title, Help string
	Right, NoSort    bool
}

// GridRow is a row of cells, one for each column.
type GridRow struct {
	Cells []Cell
	// Exact are the values for programs, by column, where these sort otherwise than the
	// cells; nil for none.
	Exact []string
	// Under says that the row belongs to the one above it, Head that it is a heading: its
	// line stands in the first cell.
	Under, Head bool
}

// GridOf makes a grid of a table and rows, with the columns that a command prints, in wide output or
// else.
func GridOf[F any](t *Table[F], rows []F, wide bool) Grid {
	cols := t.SeenColumns(rows, wide)
	g := Grid{Empty: t.Empty, Rows: make([]GridRow, 0, len(rows))}
	for _, c := range cols {
		g.Columns = append(g.Columns, GridColumn{Key: c.Key, Title: c.Title, Help: t.HelpOf(c.Key), Right: c.Right, NoSort: c.NoSort})
	}
	for _, row := range rows {
		if t.Head != nil && t.Head(row) {
			continue
		}
		out := GridRow{Cells: make([]Cell, len(cols)), Under: t.Under != nil && t.Under(row)}
		for i, c := range cols {
			out.Cells[i] = c.Cell(row)
			if c.Exact == nil {
				continue
			}
			if out.Exact == nil {
				out.Exact = make([]string, len(cols))
			}
			out.Exact[i] = c.Exact(row)
		}
		g.Rows = append(g.Rows, out)
	}
	return g
}

// Map is a square or a rectangle of small signs: what is true between each of its rows and each of
// its columns.
type Map struct {
	// Rows and Columns name the ends; Columns is nil where they are the rows.
	Rows, Columns []string
	Kinds         []MapKind // of cells
	// Cells are places in Kinds, row by row; -1 is a cell without a sign.
	Cells []int8
}

// MapKind is a kind of cells.
type MapKind struct {
	Key, Text string // Key is stable, Text for a legend
	Sign      Span
}

// ColumnNames are the names of the columns.
func (m *Map) ColumnNames() []string {
	if m.Columns == nil {
		return m.Rows
	}
	return m.Columns
}

// At is the kind of a cell, nil for one without a sign.
func (m *Map) At(row, column int) *MapKind {
	if k := m.Cells[row*len(m.ColumnNames())+column]; k >= 0 {
		return &m.Kinds[k]
	}
	return nil
}
