package term

import (
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Cell is one cell of the screen: its text, width, style and link. A wide
// character is a cell of width 2 followed by one of width 0.
type Cell = uv.Cell

// Frame is the screen at one moment. It never changes.
type Frame struct {
	Width, Height int
	CursorX       int // from 0
	CursorY       int
	CursorShown   bool
	AltScreen     bool
	Taken         bool // the program gets clicks, or pasted text in brackets
	Title         string
	Clipboard     string      // what the program last copied (OSC 52)
	Light         bool        // the background is light
	Foreground    color.Color // what a cell without colours is drawn in
	Background    color.Color

	cells []Cell // rows one after the other
}

// Cell returns the cell at column x and row y, from 0; outside the screen it is
// empty.
func (f *Frame) Cell(x, y int) Cell {
	if x < 0 || y < 0 || x >= f.Width || y >= f.Height {
		return Cell{}
	}
	return f.cells[y*f.Width+x]
}

// Line returns row y as plain text without spaces at its end.
func (f *Frame) Line(y int) string {
	if y < 0 || y >= f.Height {
		return ""
	}
	var b strings.Builder
	for _, c := range f.row(y) {
		switch {
		case c.Width == 0 && c.Content == "": // second half of a wide character
		case c.Content == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.Content)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Text returns the screen as plain text: one line per row, no spaces at the end
// of a line, no empty lines at the end.
func (f *Frame) Text() string {
	lines := make([]string, f.Height)
	for y := range lines {
		lines[y] = f.Line(y)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// ANSI returns the screen with its styles as escape sequences, one line per
// row, without blank cells at its end. Printed in a terminal it looks like the
// screen.
func (f *Frame) ANSI() string {
	lines := make([]string, f.Height)
	for y := range lines {
		row := f.row(y)
		for len(row) > 0 && blank(&row[len(row)-1]) {
			row = row[:len(row)-1]
		}
		lines[y] = uv.Line(row).Render()
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Find returns the column and row where text first stands, reading line by
// line, or false.
func (f *Frame) Find(text string) (x, y int, ok bool) {
	for y := range f.Height {
		row := f.row(y)
		for x := range row {
			if row[x].Width > 0 && startsAt(row[x:], text) {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// startsAt says whether the cells spell text from their first on.
func startsAt(cells []Cell, text string) bool {
	for _, c := range cells {
		if text == "" {
			return true
		}
		content := c.Content
		if content == "" {
			if c.Width == 0 {
				continue
			}
			content = " "
		}
		rest, ok := strings.CutPrefix(text, content)
		if !ok {
			return false
		}
		text = rest
	}
	return text == ""
}

// Same says whether two frames look the same: size, text and styles. The
// cursor is not compared.
func (f *Frame) Same(o *Frame) bool {
	if o == nil || f.Width != o.Width || f.Height != o.Height {
		return false
	}
	for i := range f.cells {
		if !f.cells[i].Equal(&o.cells[i]) {
			return false
		}
	}
	return true
}

// blank says whether nothing is to be seen of a cell.
func blank(c *Cell) bool {
	return strings.TrimSpace(c.Content) == "" && c.Style.IsZero() && c.Link.IsZero()
}

func (f *Frame) row(y int) []Cell { return f.cells[y*f.Width : (y+1)*f.Width] }
