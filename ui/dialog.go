package ui

import (
	"fmt"
	"slices"
	"time"

	"rung/ui/view"
	"rung/ui/widget"
)

// dialog is a question of a view. Where it is higher than the screen, a window of it
// is shown that pgup and pgdown move.
type dialog struct {
	entry *entry
	d     view.Dialog
	since time.Time
	// lost says that what the question was about is gone, whatever the question says.
	lost bool

	scroll int // lines away from where the window would stand by itself
	window window
}

func (d *dialog) key(m *root, key, text string) bool {
	if !m.inline && time.Since(d.since) < grace && d.holds(key) {
		return false
	}
	if d.window.cut() && (key == "pgup" || key == "pgdown") {
		by := max(1, d.window.rows-1)
		if key == "pgup" {
			by = -by
		}
		d.scroll += by
		return false
	}
	d.scroll = 0 // what is answered is in sight
	env := m.env(d.entry)
	was := d.unread()
	done := d.d.Key(env, key, text)
	if was && !d.unread() {
		d.since = time.Now() // a yes that was refused is not repeated by a key held down
	}
	if done {
		m.pop(d)
		if key != "esc" && d.gone() {
			m.mute()
		}
	}
	m.asks(d.entry, env)
	return false
}

// holds says whether a key is held back while the question is new: what may say yes, and
// what takes a note away. Text is never held back.
func (d *dialog) holds(key string) bool {
	if _, note := d.d.(*view.Note); note || key == "enter" {
		return true
	}
	t, ok := d.d.(view.Typist)
	return (key == "y" || key == "Y") && !(ok && t.Types())
}

// unread says whether the question became another that nobody has answered since.
func (d *dialog) unread() bool {
	c, ok := d.d.(view.Changing)
	return ok && c.Unread()
}

// gone says whether there was nothing to ask any more: whoever answered it may have
// meant the question that was there before.
func (d *dialog) gone() bool {
	c, ok := d.d.(view.Changing)
	return d.lost || ok && c.Gone()
}

func (d *dialog) paste(_ *root, text string) { d.scroll = 0; d.d.Paste(text) }

func (d *dialog) draw(m *root, w, h int) (string, []string) {
	title, lines := d.d.Draw(m.styles, w)
	focus := len(lines) - 1 // the answer is at the end
	if f, ok := d.d.(view.Focused); ok {
		focus = f.Focus()
	}
	if _, line, ok := d.typist(); ok && focus-line > h-leastSigned { // what is typed, and what is said about it
		focus = line
	}
	d.window = windowOn(len(lines), h, focus, d.scroll)
	d.scroll = d.window.scroll
	return title, d.window.of(m, lines, w)
}

func (d *dialog) width() int { return 64 }

func (d *dialog) typist() (x, line int, ok bool) {
	if t, typing := d.d.(view.Typist); typing {
		return t.Cursor()
	}
	return 0, 0, false
}

func (d *dialog) cursor() (x, line int, ok bool) {
	x, line, ok = d.typist()
	line, seen := d.window.line(line)
	return x, line, ok && seen
}

// window is the part of many lines that is shown. What is above and below is counted
// in a line of its own.
type window struct {
	first, rows  int // of the lines that are shown
	above, below int // how many are not
	signs        bool
	scroll       int
}

// leastSigned is how many rows a window must have to count what it leaves out.
const leastSigned = 4

// windowOn shows so many of n lines that a certain one is in sight, or those some
// lines away from there.
func windowOn(n, rows, focus, scroll int) window {
	if n <= rows {
		return window{rows: n}
	}
	w := window{rows: max(1, rows), signs: rows >= leastSigned}
	if w.signs {
		w.rows -= 2
	}
	last := n - w.rows
	by := max(0, min(focus-w.rows+1, last))
	w.first = max(0, min(by+scroll, last))
	w.scroll = w.first - by
	switch { // at an end there is one line less to count in
	case !w.signs:
	case w.first == 0:
		w.rows++
	case w.first == last:
		w.rows++
		w.first--
	}
	w.above, w.below = w.first, n-w.first-w.rows
	return w
}

func (w window) cut() bool { return w.above+w.below > 0 }

// line says where a line is in what is shown, if it is.
func (w window) line(i int) (int, bool) {
	if i < w.first || i >= w.first+w.rows {
		return 0, false
	}
	if w.signs && w.above > 0 {
		i++
	}
	return i - w.first, true
}

// of are the lines shown, w cells wide.
func (w window) of(m *root, lines []string, cells int) []string {
	if !w.cut() {
		return lines
	}
	shown := lines[w.first : w.first+w.rows]
	if !w.signs {
		return shown
	}
	say := func(n int, sign, key string) []string {
		if n == 0 {
			return nil
		}
		return []string{widget.Styled(fmt.Sprintf(" %s %d more · %s", sign, n, key), m.styles.Dim).Render(cells)}
	}
	return slices.Concat(say(w.above, "↑", "pgup"), shown, say(w.below, "↓", "pgdown"))
}
