package view

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"rung/themes"
	"rung/ui/widget"
)

// Dialog is a question laid over the page. Its answers are carried out with an
// Env of the page that asked.
type Dialog interface {
	// Key takes a key press; text is what it types. It is done when the
	// answer was given or the question left.
	Key(env *Env, key, text string) (done bool)
	// Paste takes pasted text.
	Paste(text string)
	// Draw gives the title and the lines of a box that is w cells wide inside.
	Draw(st *themes.Styles, w int) (title string, lines []string)
}

// Typist is a dialog in which a line is typed.
type Typist interface {
	// Cursor says where the terminal's cursor belongs in what Draw gave last: the cell
	// and the line. ok is false while nothing is typed.
	Cursor() (x, line int, ok bool)
}

// Focused is a dialog with a line that must be in sight where not all are.
type Focused interface {
	// Focus is that line in what Draw gave last.
	Focus() int
}

// Confirm asks yes or no; No is chosen to begin with.
type Confirm struct {
	Title string
	// Body says what will happen, one paragraph each.
	Body []string
	// Type is a name that must be typed for yes. Another name is said to be wrong and
	// can be mended; none at all is No.
	Type string
	// WhyNot says why it cannot be done: there is no yes then. Empty asks.
	WhyNot string
	// Warn paragraphs are shown with a sign of their own.
	Warn []string
	// YesText and NoText name the answers; empty is "yes" and "no".
	YesText, NoText string
	Yes, No         func(*Env)
	// Changed says what is not as it was when this was asked, empty when nothing
	// is; nil never looks. From the first such answer on yes cannot be said any
	// more: what is true now was not read.
	Changed func() string
	// Left is told what was typed into a question that was left because of that.
	Left func(typed string)

	yes     bool
	changed string
	wrong   string // what is wrong with the name that was typed
	input   widget.Input
	typing  int // the line of the input in the last drawing, 0 for none
}

// stale says whether there is another thing to be asked now.
func (c *Confirm) stale() bool {
	if c.changed == "" && c.Changed != nil {
		c.changed = c.Changed()
	}
	return c.changed != ""
}

// Begin puts a text into the line that is typed, as it was left.
func (c *Confirm) Begin(typed string) { c.input.Set(typed) }

// Key answers.
func (c *Confirm) Key(env *Env, key, text string) bool {
	if c.WhyNot != "" || c.stale() {
		// Whoever is typing a name goes on for a moment: only what ends a question
		// closes it.
		if key != "esc" && key != "enter" {
			if c.Type != "" {
				c.input.Key(env.Keys, key, text)
			}
			return false
		}
		if c.Left != nil {
			c.Left(c.input.Value())
		}
		return c.answer(env, c.No)
	}
	if c.Type != "" {
		return c.name(env, key, text)
	}
	switch key {
	case "esc", "n", "N", "q":
		return c.answer(env, c.No)
	case "y", "Y":
		return c.answer(env, c.Yes)
	case "left", "right", "tab", "shift+tab":
		c.yes = !c.yes
	case "enter":
		if c.yes {
			return c.answer(env, c.Yes)
		}
		return c.answer(env, c.No)
	}
	return false
}

// name types the name and says yes with it.
func (c *Confirm) name(env *Env, key, text string) bool {
	switch key {
	case "esc":
		return c.answer(env, c.No)
	case "enter":
		switch strings.TrimSpace(c.input.Value()) {
		case c.Type:
			return c.answer(env, c.Yes)
		case "":
			return c.answer(env, c.No)
		}
		c.wrong = "the name is " + c.Type
		return false
	}
	c.wrong = ""
	c.input.Key(env.Keys, key, text)
	return false
}

func (c *Confirm) answer(env *Env, f func(*Env)) bool {
	if f != nil {
		f(env)
	}
	return true
}

// Paste types into the name.
func (c *Confirm) Paste(text string) {
	if c.Type != "" && c.WhyNot == "" {
		c.wrong = ""
		c.input.Insert(text)
	}
}

// Cursor is in the name being typed.
func (c *Confirm) Cursor() (x, line int, ok bool) {
	return len(typeHere) + c.input.Cursor(), c.typing, c.typing > 0 && c.input.Cursor() >= 0
}

// typeHere stands before a line being typed.
const typeHere = " > "

// Draw shows the question, or why it is not asked any more.
func (c *Confirm) Draw(st *themes.Styles, w int) (string, []string) {
	var lines []string
	c.typing = 0
	if c.stale() {
		lines = warning("changed: look again. "+capital(c.changed)+".", st, w)
		return c.Title, append(lines, "", " Nothing was done.", "", " enter or esc closes")
	}
	for _, p := range c.Body {
		lines = append(lines, paragraph(p, themes.Style{}, w)...)
	}
	for _, p := range c.Warn {
		lines = append(lines, warning(p, st, w)...)
	}
	lines = append(lines, "")
	switch {
	case c.WhyNot != "":
		lines = append(lines, marked("✗", st.Error, "Cannot be done: "+c.WhyNot, w)...)
		return c.Title, append(lines, "", " enter or esc closes")
	case c.Type != "":
		return c.Title, c.drawName(lines, st, w)
	}
	return c.Title, append(lines, c.answers(st, w)...)
}

// answers are no and yes, beside each other where there is room.
func (c *Confirm) answers(st *themes.Styles, w int) []string {
	no, yes := widget.Styled("  "+cmp.Or(c.NoText, "no")+"  ", st.Dim), widget.Styled("  "+cmp.Or(c.YesText, "yes")+"  ", st.Dim)
	chosen := &no
	if c.yes {
		chosen = &yes
	}
	*chosen = widget.Styled("["+strings.TrimSuffix((*chosen)[0].Text[1:], " ")+"]", st.Selection)
	if 1+no.Width()+3+yes.Width() <= w {
		return []string{widget.Join(widget.Plain(" "), no, widget.Plain("   "), yes).Render(w)}
	}
	return []string{widget.Join(widget.Plain(" "), no).Render(w), widget.Join(widget.Plain(" "), yes).Render(w)}
}

// drawName adds the name to type, what was typed and what is wrong with that.
func (c *Confirm) drawName(lines []string, st *themes.Styles, w int) []string {
	ask := widget.Line{{Text: " Type "}, {Text: c.Type, Style: st.Title}, {Text: " to go on, esc to cancel:"}}
	if ask.Width() <= w {
		lines = append(lines, ask.Render(w))
	} else {
		lines = append(lines, paragraph(strings.TrimSpace(ask.String()), themes.Style{}, w)...)
	}
	lines = append(lines, typeHere+c.input.Render(st, max(1, w-len(typeHere)-1)))
	c.typing = len(lines) - 1
	if c.wrong != "" {
		lines = append(lines, marked("●", st.Error, c.wrong, w)...)
	}
	return lines
}

// paragraph is text in lines of the box.
func paragraph(text string, style themes.Style, w int) []string {
	lines := widget.Flow(text, max(1, w-2))
	for i := range lines {
		lines[i] = " " + style.Render(lines[i])
	}
	return lines
}

// marked is a paragraph with a sign before it, both in one look.
func marked(sign string, style themes.Style, text string, w int) []string {
	lines := widget.Flow(text, max(1, w-4))
	for i := range lines {
		mark := "  "
		if i == 0 {
			mark = sign + " "
		}
		lines[i] = " " + style.Render(mark+lines[i])
	}
	return lines
}

// warning is a paragraph with a sign before it.
func warning(text string, st *themes.Styles, w int) []string {
	lines := widget.Flow(text, max(1, w-4))
	for i := range lines {
		mark := "  "
		if i == 0 {
			mark = st.Warn.Render("▲") + " "
		}
		lines[i] = " " + mark + lines[i]
	}
	return lines
}

// capital begins a clause as a sentence.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// Prompt asks for a line of text.
type Prompt struct {
	Title string
	Label string
	// Value is the text to begin with.
	Value string
	// Check says what is wrong with a text, empty when nothing is.
	Check func(string) string
	Done  func(*Env, string)

	input  widget.Input
	begun  bool
	wrong  string
	typing int // the line of the input in the last drawing
}

func (p *Prompt) begin() {
	if !p.begun {
		p.begun = true
		p.input.Set(p.Value)
	}
}

// Key edits the line.
func (p *Prompt) Key(env *Env, key, text string) bool {
	p.begin()
	switch key {
	case "esc":
		return true
	case "enter":
		if p.Check != nil {
			if p.wrong = p.Check(p.input.Value()); p.wrong != "" {
				return false
			}
		}
		if p.Done != nil {
			p.Done(env, p.input.Value())
		}
		return true
	}
	p.input.Key(env.Keys, key, text)
	p.wrong = ""
	return false
}

// Paste types into the line.
func (p *Prompt) Paste(text string) { p.begin(); p.wrong = ""; p.input.Insert(text) }

// Cursor is in the line.
func (p *Prompt) Cursor() (x, line int, ok bool) {
	return len(typeHere) + p.input.Cursor(), p.typing, p.input.Cursor() >= 0
}

// Draw shows the line and what is wrong with it.
func (p *Prompt) Draw(st *themes.Styles, w int) (string, []string) {
	p.begin()
	lines := paragraph(widget.Clean(p.Label), themes.Style{}, w)
	p.typing = len(lines)
	lines = append(lines, typeHere+p.input.Render(st, max(1, w-len(typeHere)-1)))
	if p.wrong != "" {
		lines = append(lines, marked("●", st.Error, p.wrong, w)...)
	}
	return p.Title, lines
}
