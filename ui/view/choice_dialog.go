package view

import (
	"cmp"
	"strings"

	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// ChoiceDialog lets the user pick one of several items.
type ChoiceDialog struct {
	Title string
	Items []ChoiceItem
	Done  func(env *Env, i int)

	cursorAt int
	focus    int // line of the item under the cursor in the last drawing
}

// ChoiceItem is an item to pick. WhyNot disables it with a reason.
type ChoiceItem struct {
	Key    string // picks it at once; empty for none
	Text   string
	Note   string
	WhyNot string
}

// PressKey moves the cursor and picks.
func (c *ChoiceDialog) PressKey(env *Env, key, text string) bool {
	pick := -1
	for i, it := range c.Items {
		if it.Key != "" && it.Key == key {
			pick = i
		}
	}
	switch {
	case pick >= 0:
	case key == "esc" || key == "q":
		return true
	case key == "down" || key == "j" || key == "tab" || key == "ctrl+n":
		c.cursorAt = min(c.cursorAt+1, len(c.Items)-1)
	case key == "up" || key == "k" || key == "shift+tab" || key == "ctrl+p":
		c.cursorAt = max(c.cursorAt-1, 0)
	case key == "enter":
		pick = c.cursorAt
	}
	if pick < 0 || pick >= len(c.Items) {
		return false
	}
	c.cursorAt = pick
	if c.Items[pick].WhyNot != "" {
		return false
	}
	if c.Done != nil {
		c.Done(env, pick)
	}
	return true
}

// StartAt puts the cursor on an item.
func (c *ChoiceDialog) StartAt(i int) *ChoiceDialog { c.cursorAt = i; return c }

// Draw lists the items.
func (c *ChoiceDialog) Draw(st *themes.StyleSet, w int) (string, []string) {
	lines := make([]string, 0, len(c.Items))
	wide := widget.WidestText(c.Items, func(it ChoiceItem) string { return it.Text })
	for i, it := range c.Items {
		mark := " "
		if i == c.cursorAt {
			mark, c.focus = words.Cursor, len(lines)
		}
		for _, l := range it.itemLines(mark, wide, w, st) {
			if i == c.cursorAt {
				lines = append(lines, l.RenderAs(w, st.Selection))
			} else {
				lines = append(lines, l.Render(w))
			}
		}
	}
	return c.Title, lines
}

// FocusLine returns the line of the item under the cursor.
func (c *ChoiceDialog) FocusLine() int { return c.focus }

// itemLines returns the item in one line if it fits, else with its note below. A disabled item has its key in
// parentheses, since colour alone means nothing on a terminal without colours.
func (it *ChoiceItem) itemLines(mark string, wide, w int, st *themes.StyleSet) []widget.Line {
	key, text, note := " "+it.Key+"  ", themes.Style{}, it.Note
	if it.Key == "" {
		key = "    "
	}
	if it.WhyNot != "" {
		key, text, note = "("+cmp.Or(it.Key, "–")+") ", st.Dim, "not now: "+it.WhyNot
	}
	l := widget.Line{{Text: mark}, {Text: key, Style: st.Key}, {Text: it.Text, Style: text}}
	one := l.AddIf(note != "", strings.Repeat(" ", max(0, wide-widget.TextWidth(it.Text))+2)+note, st.Dim)
	if one.LineWidth() <= w || note == "" {
		return []widget.Line{one}
	}
	out := []widget.Line{l}
	for _, s := range widget.FlowText(note, max(1, w-6)) {
		out = append(out, widget.StyledLine("      "+s, st.Dim))
	}
	return out
}

// NoteDialog shows a text longer than a line; any key closes it.
type NoteDialog struct {
	Title string
	Body  []string
}

// PressKey closes the note.
func (n *NoteDialog) PressKey(*Env, string, string) bool { return true }

// FocusLine returns the first line, where reading begins.
func (n *NoteDialog) FocusLine() int { return 0 }

// Draw shows the text.
func (n *NoteDialog) Draw(_ *themes.StyleSet, w int) (string, []string) {
	var lines []string
	for _, p := range n.Body {
		lines = append(lines, paragraphLines(p, themes.Style{}, w)...)
	}
	return n.Title, append(lines, "", " any key closes")
}
