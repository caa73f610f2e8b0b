package detail

import (
	"strconv"
	"strings"

	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Line is one line of a Pane.
type Line struct {
	// ID is the line's identity within its pane.
	ID   string
	Text widget.Line
	// Make, when set, gives the text when the line is drawn or filtered; long
	// lists use it to cost only what is seen.
	Make func() widget.Line
	// To is where the line leads, the zero Page for nowhere.
	To nav.Page
	// Skip says that the cursor passes over the line.
	Skip bool
}

// Pane is a scrolling document whose lines are made when they are drawn. All of
// widget.Table's methods hold.
type Pane struct{ widget.Table[Line] }

// NewPane makes an empty pane.
func NewPane() *Pane {
	return &Pane{widget.Table[Line]{
		ID: func(l Line) string { return l.ID },
		Full: func(l Line) widget.Line {
			switch {
			case l.Make != nil:
				return l.Make()
			case l.Text == nil:
				return widget.Line{}
			}
			return l.Text
		},
		Skip:     func(l Line) bool { return l.Skip },
		NoHeader: true,
	}}
}

// LinkedPage is where the line under the cursor leads.
func (p *Pane) LinkedPage() nav.Page {
	l, _ := p.SelectedItem()
	return l.To
}

// Gutter is how many cells a pane takes for the mark of the cursor.
const Gutter = 2

// PanePage is the common part of all pages of one pane: embed it. Enter goes where the line under
// the cursor leads.
type PanePage struct {
	view.List
	Pane *Pane
}

// NewPage makes an empty page.
func NewPage() PanePage {
	p := NewPane()
	return PanePage{view.List{Of: p}, p}
}

// SelectedPage is where the line under the cursor leads.
func (p PanePage) SelectedPage() nav.Page { return p.Pane.LinkedPage() }

// Do goes there, and walks along the lines.
func (p PanePage) Do(env *view.Env, id action.ID) bool {
	if id == action.Open {
		env.OpenPage(p.SelectedPage())
		return true
	}
	return p.List.Do(env, id)
}

// Sheet collects the lines of a pane that is W cells wide.
type Sheet struct {
	St    *themes.StyleSet
	W     int
	Lines []Line
}

// TextWidth is the width of the text of a line.
func (s *Sheet) TextWidth() int { return max(1, s.W-Gutter) }

// AddHead begins a section.
func (s *Sheet) AddHead(title string) {
	s.AddSkipped(widget.HeadingLine(title, s.TextWidth(), s.St))
}

// AddGap is an empty line.
func (s *Sheet) AddGap() { s.AddSkipped(nil) }

// AddSkipped is a line that the cursor passes over.
func (s *Sheet) AddSkipped(text widget.Line) {
	s.Lines = append(s.Lines, Line{ID: "#" + strconv.Itoa(len(s.Lines)), Text: text, Skip: true})
}

// Add is one line; to may be no place.
func (s *Sheet) Add(id string, text widget.Line, to nav.Page) {
	s.Lines = append(s.Lines, Line{ID: id, Text: text, To: to})
}

// AddLazy is one line that is made when it is drawn.
func (s *Sheet) AddLazy(id string, make func() widget.Line, to nav.Page) {
	s.Lines = append(s.Lines, Line{ID: id, Make: make, To: to})
}

// AddParagraph is a paragraph after a sign, broken at words; the cursor is on its first
// line only. indent is where the sign stands.
func (s *Sheet) AddParagraph(id string, indent int, sign string, mark, look themes.Style, text string, to nav.Page) {
	head := widget.Line{{Text: blankText(indent)}}
	if sign != "" {
		head = append(head, widget.Span{Text: sign, Style: mark}, widget.Span{Text: " "})
	}
	s.AddHanging(id, head, 0, text, look, to)
}

// AddHanging is a paragraph behind what begins its first line; those below are indented by more than
// that.
func (s *Sheet) AddHanging(id string, head widget.Line, more int, text string, look themes.Style, to nav.Page) {
	lead := head.LineWidth()
	for i, part := range widget.FlowText(text, max(12, s.TextWidth()-lead)) {
		if i == 0 {
			s.Add(id, head.Add(part, look), to)
		} else {
			s.AddUnder(lead+more, part, look)
		}
	}
}

// AddUnder goes on with the line before, indented; the cursor passes over it.
func (s *Sheet) AddUnder(indent int, text string, look themes.Style) {
	s.AddSkipped(widget.Line{{Text: blankText(indent)}, {Text: text, Style: look}})
}

// AddField is "name  value" with the name in a column of its own.
func (s *Sheet) AddField(id, name string, nameWidth int, value widget.Line, to nav.Page) {
	s.Add(id, SideBySide(widget.StyledLine(name, s.St.Dim), nameWidth, value), to)
}

// SideBySide is left and right side by side, right from column w on, with two spaces between them at
// least.
func SideBySide(left widget.Line, w int, right widget.Line) widget.Line {
	return append(left.Add(blankText(max(2, w-left.LineWidth())), themes.Style{}), right...)
}

func blankText(n int) string { return strings.Repeat(" ", max(0, n)) }
