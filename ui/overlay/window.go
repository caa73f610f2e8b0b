package overlay

import (
	"fmt"
	"slices"

	"rung/themes"
	"rung/ui/widget"
)

// Window is the part of many lines that is shown. What is above and below is counted
// in a line of its own.
type Window struct {
	Rows   int // how many lines are shown
	Scroll int // how many lines away from where it would stand by itself

	first        int // of the lines that are shown
	above, below int // how many are not
	signs        bool
}

// LeastSigned is how many rows a window must have to count what it leaves out.
const LeastSigned = 4

// WindowOn shows so many of n lines that a certain one is in sight, or those some
// lines away from there.
func WindowOn(n, rows, focus, scroll int) Window {
	if n <= rows {
		return Window{Rows: n}
	}
	w := Window{Rows: max(1, rows), signs: rows >= LeastSigned}
	if w.signs {
		w.Rows -= 2
	}
	last := n - w.Rows
	by := max(0, min(focus-w.Rows+1, last))
	w.first = max(0, min(by+scroll, last))
	w.Scroll = w.first - by
	switch { // at an end there is one line less to count in
	case !w.signs:
	case w.first == 0:
		w.Rows++
	case w.first == last:
		w.Rows++
		w.first--
	}
	w.above, w.below = w.first, n-w.first-w.Rows
	return w
}

// Cut says whether some lines are not shown.
func (w Window) Cut() bool { return w.above+w.below > 0 }

// Line says where a line is in what is shown, if it is.
func (w Window) Line(i int) (int, bool) {
	if i < w.first || i >= w.first+w.Rows {
		return 0, false
	}
	if w.signs && w.above > 0 {
		i++
	}
	return i - w.first, true
}

// Of are the lines shown, w cells wide.
func (w Window) Of(st *themes.Styles, lines []string, cells int) []string {
	if !w.Cut() {
		return lines
	}
	shown := lines[w.first : w.first+w.Rows]
	if !w.signs {
		return shown
	}
	say := func(n int, sign, key string) []string {
		if n == 0 {
			return nil
		}
		return []string{widget.Styled(fmt.Sprintf(" %s %d more · %s", sign, n, key), st.Dim).Render(cells)}
	}
	return slices.Concat(say(w.above, "↑", "pgup"), shown, say(w.below, "↓", "pgdown"))
}
