package page

import (
	"slices"
	"strings"

	"rung/themes"
)

// Role is the meaning of a text: the theme's token, with its look. The zero Role has no meaning.
type Role = themes.Token

// Span is a text with one meaning.
type Span struct {
	Text string
	Role Role
}

// Line is a line of text in pieces.
type Line []Span

// String returns the line as plain text.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cell is one value for people. It is never cut here.
type Cell struct {
	Text string
	Role Role
	// Sign is shown before Text on a screen, with a space between. It repeats what Text or the row's position
	// says.
	Sign Span
	// More follows Text if a value has several meanings.
	More Line
}

// String returns the cell as plain text.
func (c Cell) String() string {
	if len(c.More) == 0 {
		return c.Text
	}
	return c.Text + c.More.String()
}

// TextCell returns the Cell of a column of plain text.
func TextCell[F any](text func(F) string) func(F) Cell { return RoleCell("", text) }

// RoleCell returns the Cell of a column of text with one role.
func RoleCell[F any](role Role, text func(F) string) func(F) Cell {
	return func(f F) Cell { return Cell{Text: text(f), Role: role} }
}

// None is the cell of a missing value.
var None = Cell{Text: "–", Role: themes.Dim}

// HeadingLine returns the heading above a group of rows in a table.
func HeadingLine(title string) Line {
	return Line{{"── ", themes.Border}, {title, themes.Title}, {" ──", themes.Border}}
}

// ColumnPlace says where a column is shown.
type ColumnPlace int

const (
	Everywhere ColumnPlace = iota
	OnScreen               // commands show it elsewhere, or in other words
	Printed                // screens show it in a heading, a title or a sign
)

// Always is the Worth of a column that always stays.
const Always = 100

// Column is a table column over facts F.
type Column[F any] struct {
	// Key is the stable name for programs and files, such as the head of a CSV file.
	Key   string
	Title string
	// Cell formats the facts. It is called for every visible row, so it must not compute anything.
	Cell func(F) Cell
	// Exact returns the value for programs, such as CSV readers, if the cell is shortened: a time with date
	// and zone. If Exact is nil or returns "", the value is the cell's text.
	Exact func(F) string
	// Less orders rows by this column; nil compares the text, numbers by value.
	Less  func(a, b F) int
	Place ColumnPlace
	// Importance decides which columns are left out when the screen is narrow: lowest first, Always never.
	Importance int
	// Wide columns are shown only in wide mode.
	Wide bool
	// Live columns are for a screen, which updates: ages and what waits now. A command prints them in wide
	// output.
	Live bool
	// DetailOnly columns are for commands. Screens show them in wide mode, and beside the table for the selected
	// row.
	DetailOnly bool
	// From is the screen width from which the column is shown.
	From int
	// Sparse columns are shown only if any row has a value.
	Sparse bool
	// Name columns hold names. They are cut last, in the middle.
	Name bool
	// Min and Max limit the width on a screen; 0 is the natural width, and no limit. Short is the width to
	// which the column shrinks before a name is cut.
	Min, Max, Short int
	// Right aligns the text right, Flex takes the remaining width.
	Right, Flex bool
	// NoSort excludes the column from sorting.
	NoSort bool
}

// Table describes how rows of facts F are shown.
type Table[F any] struct {
	// ID returns the identity of a row, unique in the table.
	ID func(F) string
	// Under reports whether a row belongs to the row above; nil for never.
	Under func(F) bool
	// Full returns the line that a screen shows instead of columns, or nil; a command prints the cells. Head
	// reports whether a row is a heading, which a command leaves out. Either may be nil.
	Full func(F) Line
	Head func(F) bool
	// Short reports whether a row has only a name, which makes no column wider in print; nil for never.
	Short func(F) bool
	// Help explains columns by key, if HelpText has no text for them.
	Help map[string]string
	// Empty is shown without rows; if it is empty, a command prints the titles.
	Empty   string
	Columns []Column[F]
}

// SeenColumns returns the columns that a command prints for some rows. Without wide output it leaves out wide
// and live ones, and always sparse ones without a value.
func (t *Table[F]) SeenColumns(rows []F, wide bool) []Column[F] {
	return slices.DeleteFunc(t.PrintedColumns(), func(c Column[F]) bool {
		return (c.Wide || c.Live) && !wide || c.Sparse && !slices.ContainsFunc(rows, func(r F) bool {
			text := c.Cell(r).String()
			return text != "" && text != None.Text
		})
	})
}

// PrintedColumns returns the columns that commands may print.
func (t *Table[F]) PrintedColumns() []Column[F] {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[F]) bool { return c.Place == OnScreen })
}
