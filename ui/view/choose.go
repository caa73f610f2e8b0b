package view

import (
	"strings"

	"rung/themes"
	"rung/ui/widget"
)

// Choose lets one of several things be picked.
type Choose struct {
	Title string
	Items []Item
	Done  func(env *Env, i int)

	at int
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
		key := it.Key
		if key == "" {
			key = " "
		}
		l := widget.Line{{Text: " "}, {Text: key + "  ", Style: st.Key}, {Text: it.Text}}
		note := it.Note
		if it.WhyNot != "" {
			l[2].Style, note = st.Dim, "not now: "+it.WhyNot
		}
		if note != "" {
			l = l.Add(strings.Repeat(" ", wide-widget.Width(it.Text)+2)+note, st.Dim)
		}
		if i == c.at {
			lines = append(lines, widget.Join(widget.Plain("▸"), l[1:]).RenderAs(w, st.Selection))
		} else {
			lines = append(lines, l.Render(w))
		}
	}
	return c.Title, lines
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

// Draw shows the text.
func (n *Note) Draw(_ *themes.Styles, w int) (string, []string) {
	var lines []string
	for _, p := range n.Body {
		for _, l := range widget.Flow(p, w-2) {
			lines = append(lines, " "+l)
		}
	}
	return n.Title, append(lines, "", " any key goes back")
}
