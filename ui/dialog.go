package ui

import (
	"time"

	"rung/themes"
	"rung/ui/overlay"
	"rung/ui/view"
)

// dialog is a question of a view. Where it is higher than the screen, a window of it
// is shown that pgup and pgdown move.
type dialog struct {
	m     *root
	entry *entry
	d     view.Dialog
	since time.Time
	// lost says that what the question was about is gone, whatever the question says.
	lost bool

	scroll int // lines away from where the window would stand by itself
	window overlay.Window
}

// ask puts a question of a page.
func (m *root) ask(e *entry, q view.Dialog) *dialog {
	d := &dialog{m: m, entry: e, d: q, since: time.Now()}
	m.over = append(m.over, d)
	return d
}

// Key gives the question a key. It takes itself away: what was asked for is done then.
func (d *dialog) Key(key, text string) (done bool, chosen *overlay.Choice) {
	m := d.m
	if !m.inline && time.Since(d.since) < grace && d.holds(key) {
		return false, nil
	}
	if d.window.Cut() && (key == "pgup" || key == "pgdown") {
		by := max(1, d.window.Rows-1)
		if key == "pgup" {
			by = -by
		}
		d.scroll += by
		return false, nil
	}
	d.scroll = 0 // what is answered is in sight
	env := m.env(d.entry)
	was := d.unread()
	done = d.d.PressKey(env, key, text)
	if was && !d.unread() {
		d.since = time.Now() // a yes that was refused is not repeated by a key held down
	}
	if done {
		m.over.Remove(d)
		if key != "esc" && d.gone() {
			m.muted.begin()
		}
	}
	m.asks(d.entry, env)
	return false, nil
}

// holds says whether a key is held back while the question is new: what may say yes, and
// what takes a note away. Text is never held back.
func (d *dialog) holds(key string) bool {
	if _, note := d.d.(*view.NoteDialog); note || key == "enter" {
		return true
	}
	t, ok := d.d.(view.TypingDialog)
	return (key == "y" || key == "Y") && !(ok && t.TypesText())
}

// unread says whether the question became another that nobody has answered since.
func (d *dialog) unread() bool {
	c, ok := d.d.(view.ChangingDialog)
	return ok && c.IsUnread()
}

// gone says whether there was nothing to ask any more: whoever answered it may have
// meant the question that was there before.
func (d *dialog) gone() bool {
	c, ok := d.d.(view.ChangingDialog)
	return d.lost || ok && c.IsGone()
}

// Paste puts text into what is being typed.
func (d *dialog) Paste(text string) { d.scroll = 0; d.d.Paste(text) }

// Draw gives the part of the question that has room.
func (d *dialog) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	title, lines := d.d.Draw(st, w)
	focus := len(lines) - 1 // the answer is at the end
	if f, ok := d.d.(view.FocusedDialog); ok {
		focus = f.FocusLine()
	}
	if _, line, ok := d.typist(); ok && focus-line > h-overlay.LeastSigned { // what is typed, and what is said about it
		focus = line
	}
	d.window = overlay.WindowOn(len(lines), h, focus, d.scroll)
	d.scroll = d.window.Scroll
	return title, d.window.Of(st, lines, w)
}

// Width is how wide the box wants to be inside.
func (d *dialog) Width() int { return 64 }

func (d *dialog) typist() (x, line int, ok bool) {
	if t, typing := d.d.(view.TypingDialog); typing {
		return t.Cursor()
	}
	return 0, 0, false
}

// Cursor is in what is being typed.
func (d *dialog) Cursor() (x, line int, ok bool) {
	x, line, ok = d.typist()
	line, seen := d.window.Line(line)
	return x, line, ok && seen
}
