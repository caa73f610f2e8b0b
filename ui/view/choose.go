package view

import (
	"cmp"
	"strings"

	"rung/themes"
	"rung/ui/widget"
)

// Choose lets one of several things be picked.
type Choose struct {
	Title string
	Items []Item
	Done  func(env *Env, i int)

	at    int
	focus int // the line of the item under the cursor in the last drawing
}

// Item is a thing to choose. WhyNot disables it with a reason.
type Item struct {
	Key    string // picks it at once; empty for none
	Text   string
	Note   string
	WhyNot string
}

// Key walks and picks.
func (c *Choose) Key(env *Env, key, text string) bool {
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
		c.at = min(c.at+1, len(c.Items)-1)
	case key == "up" || key == "k" || key == "shift+tab" || key == "ctrl+p":
		c.at = max(c.at-1, 0)
	case key == "enter":
		pick = c.at
	}
	if pick < 0 || pick >= len(c.Items) {
		return false
	}
	c.at = pick
	if c.Items[pick].WhyNot != "" {
		return false
	}
	if c.Done != nil {
		c.Done(env, pick)
	}
	return true
}

// Paste does nothing.
func (c *Choose) Paste(string) {}

// At puts the cursor on an item to begin with.
func (c *Choose) At(i int) *Choose { c.at = i; return c }

// Draw lists the things.
func (c *Choose) Draw(st *themes.Styles, w int) (string, []string) {
	lines := make([]string, 0, len(c.Items))
	wide := 0
	for _, it := range c.Items {
		wide = max(wide, widget.Width(it.Text))
	}
	for i, it := range c.Items {
		mark := " "
		if i == c.at {
			mark, c.focus = "▸", len(lines)
		}
		for _, l := range it.lines(mark, wide, w, st) {
			if i == c.at {
				lines = append(lines, l.RenderAs(w, st.Selection))
			} else {
				lines = append(lines, l.Render(w))
			}
		}
	}
	return c.Title, lines
}

// Focus is the item under the cursor.
func (c *Choose) Focus() int { return c.focus }

// lines returns the item: in one line where there is room, else with its note below. An item
// that cannot be chosen has its key in parentheses, since a colour alone says nothing on a
// terminal without colours.
func (it *Item) lines(mark string, wide, w int, st *themes.Styles) []widget.Line {
	key, text, note := " "+it.Key+"  ", themes.Style{}, it.Note
	if it.Key == "" {
		key = "    "
	}
	if it.WhyNot != "" {
		key, text, note = "("+cmp.Or(it.Key, "–")+") ", st.Dim, "not now: "+it.WhyNot
	}
	l := widget.Line{{Text: mark}, {Text: key, Style: st.Key}, {Text: it.Text, Style: text}}
	if one := l.Add(strings.Repeat(" ", max(0, wide-widget.Width(it.Text))+2)+note, st.Dim); one.Width() <= w || note == "" {
		return []widget.Line{one}
	}
	out := []widget.Line{l}
	for _, s := range widget.Flow(note, max(1, w-6)) {
		out = append(out, widget.Styled("      "+s, st.Dim))
	}
	return out
}

// Note tells something longer than a line; any key closes it.
type Note struct {
	Title string
	Body  []string
}

// Key closes it.
func (n *Note) Key(*Env, string, string) bool { return true }

// Paste does nothing.
func (n *Note) Paste(string) {}

// Focus is its beginning: it is read from there.
func (n *Note) Focus() int { return 0 }

// Draw shows the text.
func (n *Note) Draw(_ *themes.Styles, w int) (string, []string) {
	var lines []string
	for _, p := range n.Body {
		lines = append(lines, paragraph(p, themes.Style{}, w)...)
	}
	return n.Title, append(lines, "", " any key closes")
}
