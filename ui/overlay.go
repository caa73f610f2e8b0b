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

// Overlay is something over the page that has the keyboard.
type Overlay interface {
	// PressKey takes a key press. An overlay that is done goes away; what was chosen in it
	// is carried out then, nil for nothing.
	PressKey(key, text string) (done bool, chosen *ChosenItem)
	Paste(text string)
	// Draw gives a title and the lines of a box w cells wide inside and at most h high.
	Draw(st *themes.StyleSet, w, h int) (title string, lines []string)
	// BoxWidth is how wide the box wants to be inside.
	BoxWidth() int
	// Cursor says where the terminal's cursor belongs in the lines that were drawn
	// last; ok is false where nothing is typed.
	Cursor() (x, line int, ok bool)
}

// OverlayStack are the overlays over a page; the last has the keyboard.
type OverlayStack []Overlay

// PressKey gives the last overlay a key, takes it away when it is done, and returns what was chosen
// in it, nil for nothing.
func (s *OverlayStack) PressKey(key, text string) *ChosenItem {
	o := (*s)[len(*s)-1]
	done, chosen := o.PressKey(key, text)
	if done {
		s.RemoveOverlay(o)
	}
	return chosen
}

// RemoveOverlay takes an overlay away.
func (s *OverlayStack) RemoveOverlay(o Overlay) {
	*s = slices.DeleteFunc(slices.Clone(*s), func(x Overlay) bool { return x == o })
}

// ChosenItem is the thing that was chosen in an overlay: an action, a page, a theme, a question
// whose missing parts are asked for, or an alias: a text that is to be found in the palette.
type ChosenItem struct {
	Action *action.Action
	Page   nav.Page
	Theme  string
	Trace  *trace.Question
	Alias  string
	WhyNot string // why nothing is done
}

// OfferedAction is an action of the page, and why it cannot be done now, empty when it can.
type OfferedAction struct {
	action.Action
	WhyNot string
}

// OverlayOffers are the things that an overlay lets the user choose from.
type OverlayOffers struct {
	Rev     *revision.Revision
	Keys    *action.Keymap
	Actions []OfferedAction
	Themes  []string
	// Columns say in words what the page's columns mean, Signs are the signs that it shows.
	Columns []widget.ColumnHelp
	Signs   []words.Sign
	// Aliases are texts of the palette by the user's names of them, Views pages by theirs.
	Aliases map[string]string
	Views   map[string]nav.Page
}

// LineWindow is the part of many lines that is shown. The lines above and below it are counted
// in a line of its own.
type LineWindow struct {
	Rows   int // how many lines are shown
	Scroll int // how many lines away from where it would stand by itself

	first                  int // of the lines that are shown
	linesAbove, linesBelow int // how many are not
	counts                 bool
}

// LeastSigned is how many rows a window must have to count what it leaves out.
const LeastSigned = 4

// WindowOn shows so many of n lines that a certain one is in sight, or those some
// lines away from there.
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
	switch { // at an end there is one line less to count in
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

// IsCut says whether some lines are not shown.
func (w LineWindow) IsCut() bool { return w.linesAbove+w.linesBelow > 0 }

// ShownLine says where a line is in what is shown, if it is.
func (w LineWindow) ShownLine(i int) (int, bool) {
	if i < w.first || i >= w.first+w.Rows {
		return 0, false
	}
	if w.counts && w.linesAbove > 0 {
		i++
	}
	return i - w.first, true
}

// ShownLines are the lines shown, w cells wide.
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
