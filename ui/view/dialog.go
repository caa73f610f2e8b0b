package view

import (
	"cmp"
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

// Confirm asks yes or no; No is chosen to begin with.
type Confirm struct {
	Title string
	// Body says what will happen, one paragraph each.
	Body []string
	// Type is a name that must be typed for yes.
	Type string
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
	if c.stale() {
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
		switch key {
		case "esc":
			return c.answer(env, c.No)
		case "enter":
			if c.input.Value() == c.Type {
				return c.answer(env, c.Yes)
			}
			return c.answer(env, c.No)
		}
		c.input.Key(env.Keys, key, text)
		return false
	}
	switch key {
	case "esc", "n", "N", "q":
		return c.answer(env, c.No)
	case "y", "Y":
		return c.answer(env, c.Yes)
	case "left", "right", "tab", "shift+tab", "h", "l":
		c.yes = !c.yes
	case "enter":
		if c.yes {
			return c.answer(env, c.Yes)
		}
		return c.answer(env, c.No)
	}
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
	if c.Type != "" {
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
		return c.Title, append(lines, "", " Nothing was done.", "", " ⏎ or esc goes back")
	}
	for _, p := range c.Body {
		for _, l := range widget.Flow(p, w-2) {
			lines = append(lines, " "+l)
		}
	}
	for _, p := range c.Warn {
		lines = append(lines, warning(p, st, w)...)
	}
	lines = append(lines, "")
	if c.Type != "" {
		lines = append(lines, widget.Line{{Text: " Type "}, {Text: c.Type, Style: st.Title}, {Text: " to go on, esc to leave it:"}}.Render(w),
			typeHere+c.input.Render(st, max(1, w-len(typeHere)-1)))
		c.typing = len(lines) - 1
		return c.Title, lines
	}
	no, yes := cmp.Or(c.NoText, "no"), cmp.Or(c.YesText, "yes")
	l := widget.Line{{Text: " "}}
	if c.yes {
		l = l.Add("  "+no+"  ", st.Dim).Add("   ", themes.Style{}).Add("[ "+yes+" ]", st.Selection)
	} else {
		l = l.Add("[ "+no+" ]", st.Selection).Add("   ", themes.Style{}).Add("  "+yes+"  ", st.Dim)
	}
	return c.Title, append(lines, l.Render(w))
}

// warning is a paragraph with a sign before it.
func warning(text string, st *themes.Styles, w int) []string {
	lines := widget.Flow(text, w-4)
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

	input widget.Input
	begun bool
	wrong string
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
func (p *Prompt) Paste(text string) { p.begin(); p.input.Insert(text) }

// Cursor is in the line.
func (p *Prompt) Cursor() (x, line int, ok bool) {
	return len(typeHere) + p.input.Cursor(), 1, p.input.Cursor() >= 0
}

// Draw shows the line and what is wrong with it.
func (p *Prompt) Draw(st *themes.Styles, w int) (string, []string) {
	p.begin()
	lines := []string{" " + widget.Truncate(widget.Clean(p.Label), w-2), typeHere + p.input.Render(st, max(1, w-len(typeHere)-1))}
	for _, l := range widget.Flow(p.wrong, w-4) {
		if l != "" {
			lines = append(lines, " "+st.Error.Render("● "+l))
		}
	}
	return p.Title, lines
}
