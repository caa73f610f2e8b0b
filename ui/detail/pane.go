package detail

import (
	"strconv"
	"strings"

	"rung/model/words"
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
	// Make, if set, makes the text when the line is drawn or filtered, so that long lists cost only the
	// visible lines.
	Make func() widget.Line
	// To is the link of the line, the zero Page for none.
	To nav.Page
	// Skip makes the cursor pass over the line.
	Skip bool
}

// Pane is a scrolling document whose lines are made when drawn, with all methods of widget.Table.
type Pane struct{ widget.Table[Line] }

// NewPane makes an empty pane.
func NewPane() *Pane {
	return &Pane{widget.Table[Line]{
		ID: func(l Line) string { return l.ID },
		Full: func(l Line) widget.Line {
			if l.Make != nil {
				return l.Make()
			}
			return words.Choose(l.Text == nil, widget.Line{}, l.Text)
		},
		Skip:     func(l Line) bool { return l.Skip },
		NoHeader: true,
	}}
}

// LinkedPage returns the link of the selected line.
func (p *Pane) LinkedPage() nav.Page {
	l, _ := p.SelectedItem()
	return l.To
}

// Gutter is the width of a pane's cursor mark.
const Gutter = 2

// PanePage is the common part of all pages with one pane: embed it. Enter opens the link of the selected line.
type PanePage struct {
	view.List
	Pane *Pane
}

// NewPage makes an empty page.
func NewPage() PanePage {
	p := NewPane()
	return PanePage{view.List{Widget: p}, p}
}

// SelectedPage returns the link of the selected line.
func (p PanePage) SelectedPage() nav.Page { return p.Pane.LinkedPage() }

// Do opens the link, or carries out an action of lists.
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

// TextWidth returns the width of a line's text.
func (s *Sheet) TextWidth() int { return max(1, s.W-Gutter) }

// AddHead begins a section.
func (s *Sheet) AddHead(title string) { s.AddSkipped(widget.HeadingLine(title, s.TextWidth(), s.St)) }

// AddGap adds an empty line.
func (s *Sheet) AddGap() { s.AddSkipped(nil) }

// AddSkipped adds a line that the cursor passes over.
func (s *Sheet) AddSkipped(text widget.Line) {
	s.Lines = append(s.Lines, Line{ID: "#" + strconv.Itoa(len(s.Lines)), Text: text, Skip: true})
}

// Add adds a line; to may be the zero page.
func (s *Sheet) Add(id string, text widget.Line, to nav.Page) {
	s.Lines = append(s.Lines, Line{ID: id, Text: text, To: to})
}

// AddLazy adds a line that is made when drawn.
func (s *Sheet) AddLazy(id string, make func() widget.Line, to nav.Page) {
	s.Lines = append(s.Lines, Line{ID: id, Make: make, To: to})
}

// AddParagraph adds a wrapped paragraph after a sign at column indent; the cursor stops only on its first
// line.
func (s *Sheet) AddParagraph(id string, indent int, sign string, mark, look themes.Style, text string, to nav.Page) {
	head := widget.Line{{Text: blankText(indent)}}
	if sign != "" {
		head = append(head, widget.Span{Text: sign, Style: mark}, widget.Span{Text: " "})
	}
	s.AddIndented(id, head, 0, text, look, to)
}

// AddNote adds a paragraph without a link.
func (s *Sheet) AddNote(id string, indent int, sign string, mark, look themes.Style, text string) {
	s.AddParagraph(id, indent, sign, mark, look, text, nav.Page{})
}

// AddIndented adds a wrapped paragraph after head; further lines are indented by the width of head plus more.
func (s *Sheet) AddIndented(id string, head widget.Line, more int, text string, look themes.Style, to nav.Page) {
	lead := head.LineWidth()
	for i, part := range widget.FlowText(text, max(12, s.TextWidth()-lead)) {
		if i == 0 {
			s.Add(id, head.Add(part, look), to)
		} else {
			s.AddUnder(lead+more, part, look)
		}
	}
}

// AddUnder adds an indented continuation line, which the cursor passes over.
func (s *Sheet) AddUnder(indent int, text string, look themes.Style) {
	s.AddSkipped(widget.Line{{Text: blankText(indent)}, {Text: text, Style: look}})
}

// AddField adds "name value" with the name in a column of its own.
func (s *Sheet) AddField(id, name string, nameWidth int, value widget.Line, to nav.Page) {
	s.Add(id, SideBySide(widget.StyledLine(name, s.St.Dim), nameWidth, value), to)
}

// RenderLines draws the lines in w cells each.
func (s *Sheet) RenderLines(w int) (out []string) {
	for _, l := range s.Lines {
		out = append(out, l.Text.Render(w))
	}
	return out
}

// SideBySide joins left and right, with right from column w on, at least two spaces apart.
func SideBySide(left widget.Line, w int, right widget.Line) widget.Line {
	return append(left.Add(blankText(max(2, w-left.LineWidth())), themes.Style{}), right...)
}

func blankText(n int) string { return strings.Repeat(" ", max(0, n)) }
