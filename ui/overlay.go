package ui

import (
	"fmt"
	"slices"

	"rung/engine/trace"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// Overlay covers the page and has the keyboard.
type Overlay interface {
	// PressKey handles a key press. If done, the overlay closes and chosen is carried out, nil if nothing.
	PressKey(key, text string) (done bool, chosen *ChosenItem)
	Paste(text string)
	// Draw returns a title and the lines of a box of inner width w and at most h lines.
	Draw(st *themes.StyleSet, w, h int) (title string, lines []string)
	// BoxWidth returns the wanted inner width of the box.
	BoxWidth() int
	// Cursor returns the place of the terminal's cursor in the lines drawn last; ok is false if nothing is
	// typed.
	Cursor() (x, line int, ok bool)
}

// OverlayStack holds the overlays over a page; the last has the keyboard.
type OverlayStack []Overlay

// PressKey passes a key to the last overlay, removes it when done, and returns the chosen item, nil if none.
func (s *OverlayStack) PressKey(key, text string) *ChosenItem {
	o := (*s)[len(*s)-1]
	done, chosen := o.PressKey(key, text)
	if done {
		s.RemoveOverlay(o)
	}
	return chosen
}

// RemoveOverlay removes an overlay.
func (s *OverlayStack) RemoveOverlay(o Overlay) {
	*s = slices.DeleteFunc(slices.Clone(*s), func(x Overlay) bool { return x == o })
}

// ChosenItem is an item chosen in an overlay: an action, a page, a theme, a question whose missing parts a
// dialog asks for, or an alias, whose text is looked up in the palette.
type ChosenItem struct {
	Action *action.Action
	Page   nav.Page
	Theme  string
	Trace  *trace.Question
	Alias  string
	WhyNot string // why nothing happens
}

// OfferedAction is an action of the page; WhyNot says why it is not possible now, empty if it is.
type OfferedAction struct {
	action.Action
	WhyNot string
}

// OverlayOffers holds everything to choose in an overlay.
type OverlayOffers struct {
	Rev     *revision.Revision
	Keys    *action.Keymap
	Actions []OfferedAction
	Themes  []string
	// Columns explain the page's columns, Signs are the signs it shows.
	Columns []widget.ColumnHelp
	Signs   []words.Sign
	// Aliases are palette texts by alias, Views saved views by name.
	Aliases map[string]string
	Views   map[string]nav.Page
}

// LineWindow is the visible part of many lines. If there is room, a line above and a line below count the
// hidden ones.
type LineWindow struct {
	Rows   int // number of visible lines
	Scroll int // lines scrolled from the default position

	first                  int // index of the first visible line
	linesAbove, linesBelow int // numbers of hidden lines
	counts                 bool
}

// LeastSigned is the least height of a window that counts hidden lines.
const LeastSigned = 4

// WindowOn returns a window of n lines with line focus in sight, scrolled by scroll lines from there.
func WindowOn(n, rows, focus, scroll int) LineWindow {
	if n <= rows {
		return LineWindow{Rows: n}
	}
	w := LineWindow{Rows: max(1, rows), counts: rows >= LeastSigned}
	if w.counts {
		w.Rows -= 2
	}
	last := n - w.Rows
	by := max(0, min(focus-w.Rows+1, last))
	w.first = max(0, min(by+scroll, last))
	w.Scroll = w.first - by
	switch { // at an end only one count line is needed
	case !w.counts:
	case w.first == 0:
		w.Rows++
	case w.first == last:
		w.Rows++
		w.first--
	}
	w.linesAbove, w.linesBelow = w.first, n-w.first-w.Rows
	return w
}

// IsCut reports whether some lines are hidden.
func (w LineWindow) IsCut() bool { return w.linesAbove+w.linesBelow > 0 }

// ShownLine returns the visible position of a line; false if hidden.
func (w LineWindow) ShownLine(i int) (int, bool) {
	if i < w.first || i >= w.first+w.Rows {
		return 0, false
	}
	if w.counts && w.linesAbove > 0 {
		i++
	}
	return i - w.first, true
}

// ShownLines returns the visible lines. If there is room, further lines, cells wide, count the hidden ones.
func (w LineWindow) ShownLines(st *themes.StyleSet, lines []string, cells int) []string {
	if !w.IsCut() {
		return lines
	}
	shown := lines[w.first : w.first+w.Rows]
	if !w.counts {
		return shown
	}
	say := func(n int, sign, key string) []string {
		if n == 0 {
			return nil
		}
		return []string{widget.StyledLine(fmt.Sprintf(" %s %s more · %s", sign, words.Thousands(n), key), st.Dim).Render(cells)}
	}
	return slices.Concat(say(w.linesAbove, "↑", "pgup"), shown, say(w.linesBelow, "↓", "pgdown"))
}
