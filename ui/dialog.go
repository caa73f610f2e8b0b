package ui

import (
	"time"

	"rung/themes"
	"rung/ui/view"
)

// openDialog is a question of a view. Where it is higher than the screen, a window of it
// is shown that pgup and pgdown move.
type openDialog struct {
	m        *rootModel
	entry    *trailEntry
	d        view.Dialog
	openedAt time.Time
	// isLost says that what the question was about is gone, whatever the question says.
	isLost bool

	scroll int // lines away from where the window would stand by itself
	window LineWindow
}

// askDialog puts a question of a page.
func (m *rootModel) askDialog(e *trailEntry, q view.Dialog) *openDialog {
	d := &openDialog{m: m, entry: e, d: q, openedAt: time.Now()}
	m.over = append(m.over, d)
	return d
}

// PressKey gives the question a key. It takes itself away: what was asked for is done then.
func (d *openDialog) PressKey(key, text string) (done bool, chosen *ChosenItem) {
	m := d.m
	if !m.inline && time.Since(d.openedAt) < grace && d.holdsBack(key) {
		return false, nil
	}
	if d.window.IsCut() && (key == "pgup" || key == "pgdown") {
		by := max(1, d.window.Rows-1)
		if key == "pgup" {
			by = -by
		}
		d.scroll += by
		return false, nil
	}
	d.scroll = 0 // what is answered is in sight
	env := m.viewEnv(d.entry)
	was := d.isUnread()
	done = d.d.PressKey(env, key, text)
	if was && !d.isUnread() {
		d.openedAt = time.Now() // a yes that was refused is not repeated by a key held down
	}
	if done {
		m.over.RemoveOverlay(d)
		if key != "esc" && d.isGone() {
			m.muted.beginMuting()
		}
	}
	m.handleAsks(d.entry, env)
	return false, nil
}

// holdsBack says whether a key is held back while the question is new: what may say yes, and
// what takes a note away. Text is never held back.
func (d *openDialog) holdsBack(key string) bool {
	if _, note := d.d.(*view.NoteDialog); note || key == "enter" {
		return true
	}
	t, ok := d.d.(view.TypingDialog)
	return (key == "y" || key == "Y") && !(ok && t.TypesText())
}

// isUnread says whether the question became another that nobody has answered since.
func (d *openDialog) isUnread() bool {
	c, ok := d.d.(view.ChangingDialog)
	return ok && c.IsUnread()
}

// isGone says whether there was nothing to ask any more: whoever answered it may have
// meant the question that was there before.
func (d *openDialog) isGone() bool {
	c, ok := d.d.(view.ChangingDialog)
	return d.isLost || ok && c.IsGone()
}

// Paste puts text into what is being typed.
func (d *openDialog) Paste(text string) { d.scroll = 0; d.d.Paste(text) }

// Draw gives the part of the question that has room.
func (d *openDialog) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	title, lines := d.d.Draw(st, w)
	focus := len(lines) - 1 // the answer is at the end
	if f, ok := d.d.(view.FocusedDialog); ok {
		focus = f.FocusLine()
	}
	if _, line, ok := d.typingPlace(); ok && focus-line > h-LeastSigned { // what is typed, and what is said about it
		focus = line
	}
	d.window = WindowOn(len(lines), h, focus, d.scroll)
	d.scroll = d.window.Scroll
	return title, d.window.ShownLines(st, lines, w)
}

// BoxWidth is how wide the box wants to be inside.
func (d *openDialog) BoxWidth() int { return 64 }

func (d *openDialog) typingPlace() (x, line int, ok bool) {
	if t, typing := d.d.(view.TypingDialog); typing {
		return t.Cursor()
	}
	return 0, 0, false
}

// Cursor is in what is being typed.
func (d *openDialog) Cursor() (x, line int, ok bool) {
	x, line, ok = d.typingPlace()
	line, seen := d.window.ShownLine(line)
	return x, line, ok && seen
}
