package page

import (
	"slices"
	"strings"

	"rung/themes"
)

// Role is the meaning of a piece of text: the theme's token for it, which gives it a look.
// The zero Role is text without a meaning of its own.
type Role = themes.Token

// Span is a piece of text with one meaning.
type Span struct {
	Text string
	Role Role
}

// Line is a line of text, piece by piece.
type Line []Span

// String is the line as text alone.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cell is one value as people read it. It is never cut here.
type Cell struct {
	Text string
	Role Role
	// Sign stands before Text on a screen, a space between: it says to the eye what Text and
	// the place of the row say as well.
	Sign Span
	// More follows Text, where a value has several meanings.
	More Line
}

// String is the cell as text alone.
func (c Cell) String() string {
	if len(c.More) == 0 {
		return c.Text
	}
	return c.Text + c.More.String()
}

// None is the cell of a value that there is none of.
var None = Cell{Text: "–", Role: themes.Dim}

// HeadingLine is the line of a heading: a row of a table that others stand under.
func HeadingLine(title string) Line {
	return Line{{"── ", themes.Border}, {title, themes.Title}, {" ──", themes.Border}}
}

// ColumnPlace says who has a column.
type ColumnPlace int

const (
	Everywhere ColumnPlace = iota
	OnScreen               // a command says it elsewhere, or in other words
	Printed                // a screen has it in a heading, a title or a sign
)

// Always is the Worth of a column that is never left out for room.
const Always = 100

// Column is one column of rows of facts F.
type Column[F any] struct {
	// Key names the column for programs and files, such as the head of a CSV file: stable.
	Key   string
	Title string
	// Cell formats what the facts hold; it is asked for the rows that are seen, so it must
	// not work anything out.
	Cell func(F) Cell
	// Exact returns the value for programs, such as readers of CSV, where the cell is short for
	// people: a moment with its date and zone. Nil or empty is the cell's text.
	Exact func(F) string
	// Less orders rows by this column; nil compares the text, numbers by value.
	Less  func(a, b F) int
	Place ColumnPlace
	// Worth orders the columns where there is no room: the lowest goes first, those worth
	// Always stay.
	Worth int
	// Wide columns are only there where they are asked for.
	Wide bool
	// Live columns are for a screen, which is followed: how long ago, what waits now. A
	// command prints them where wide output is asked for.
	Live bool
	// Aside columns are for commands: a screen has them in wide mode, and what they say of
	// the row under the cursor beside the table.
	Aside bool
	// From is how wide a screen is from which on it has the column.
	From int
	// Sparse columns are only there where some row has a value in them.
	Sparse bool
	// Name columns hold the names of what the rows are about: the last to be cut, in the
	// middle.
	Name bool
	// Min and Max are the width to which a screen may shrink the column and to which it
	// grows; 0 is its natural width and no bound. Short is the width to which it is shrunk
	// before a name is cut.
	Min, Max, Short int
	// Right puts text at the right end, Flex takes the room that is left.
	Right, Flex bool
	// NoSort keeps the column out of sorting.
	NoSort bool
}

// Table is how rows of facts F are told.
type Table[F any] struct {
	// ID is the identity of a row, unique in the table.
	ID func(F) string
	// Under says that a row belongs to the one above it; nil for never.
	Under func(F) bool
	// Full is the one line a screen has of a row without columns, nil for other rows; a
	// command prints the cells. Head says that the row is the heading of others, which a
	// command leaves out. Either is nil for never.
	Full func(F) Line
	Head func(F) bool
	// Short says that a row has nothing behind its name, which makes no column wide in
	// print; nil where none has.
	Short func(F) bool
	// Help says what columns mean, by their keys, where HelpOf does not know it already.
	Help map[string]string
	// Empty is said where there is no row; without it a command prints the titles.
	Empty   string
	Columns []Column[F]
}

// SeenColumns are the columns a command prints for some rows: all but those that are only there in
// wide output, and sparse ones without a value.
func (t *Table[F]) SeenColumns(rows []F, wide bool) []Column[F] {
	return slices.DeleteFunc(t.PrintedColumns(), func(c Column[F]) bool {
		return (c.Wide || c.Live) && !wide || c.Sparse && !slices.ContainsFunc(rows, func(r F) bool {
			text := c.Cell(r).String()
			return text != "" && text != None.Text
		})
	})
}

// PrintedColumns are the columns a command has.
func (t *Table[F]) PrintedColumns() []Column[F] {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[F]) bool { return c.Place == OnScreen })
}
