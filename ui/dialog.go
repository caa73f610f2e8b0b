package ui

import (
	"strings"
	"time"

	"rung/themes"
	"rung/ui/view"
)

// dialogClosed says why keys are ignored.
const dialogClosed = "dialog closed"

// openDialog is a question of a view. If it is higher than the screen, pgup and pgdown scroll a window over
// it.
type openDialog struct {
	m        *rootModel
	entry    *trailEntry
	d        view.Dialog
	openedAt time.Time
	// isLost: the subject of the question is gone, whatever the dialog says
	isLost bool

	scroll int // lines scrolled from the default position
	window LineWindow
}

// askDialog opens a question of a page.
func (m *rootModel) askDialog(e *trailEntry, q view.Dialog) *openDialog {
	d := &openDialog{m: m, entry: e, d: q, openedAt: time.Now()}
	m.overlays = append(m.overlays, d)
	return d
}

// PressKey passes a key to the question. A finished question closes; then its requests are carried out.
func (d *openDialog) PressKey(key, text string) (done bool, chosen *ChosenItem) {
	m := d.m
	if !m.inline && time.Since(d.openedAt) < yesDelay && d.holdsBack(key) {
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
	d.scroll = 0 // keep the answered line in sight
	env := m.viewEnv(d.entry)
	was := d.isUnread()
	done = d.d.PressKey(env, key, text)
	if was && !d.isUnread() {
		d.openedAt = time.Now() // a key held down must not repeat a refused yes
	}
	if done {
		m.overlays.RemoveOverlay(d)
		if key != "esc" && d.isGone() {
			m.muted.beginMuting(dialogClosed)
		}
	}
	m.handleAsks(d.entry, env)
	return false, nil
}

// holdsBack reports whether a new question ignores a key that may confirm it or dismiss a note. Text is never
// held back.
func (d *openDialog) holdsBack(key string) bool {
	if _, note := d.d.(*view.NoteDialog); note || key == "enter" {
		return true
	}
	t, ok := d.d.(view.TypingDialog)
	return strings.Contains(view.YesKeys, key) && !(ok && t.TypesText())
}

// isUnread reports whether the question changed and got no answer since.
func (d *openDialog) isUnread() bool {
	c, ok := d.d.(view.ChangingDialog)
	return ok && c.IsUnread()
}

// isGone reports whether the question lost its subject: the answer may have been meant for the earlier
// question.
func (d *openDialog) isGone() bool {
	c, ok := d.d.(view.ChangingDialog)
	return d.isLost || ok && c.IsGone()
}

// Paste inserts text where the user types.
func (d *openDialog) Paste(text string) {
	d.scroll = 0
	if t, ok := d.d.(view.TypingDialog); ok {
		t.Paste(text)
	}
}

// Draw gives the part of the question that has room.
func (d *openDialog) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	title, lines := d.d.Draw(st, w)
	focus := len(lines) - 1 // the answer is at the end
	if f, ok := d.d.(view.FocusedDialog); ok {
		focus = f.FocusLine()
	}
	if _, line, ok := d.typingPlace(); ok && focus-line > h-LeastSigned { // keep the typed text and its message in sight
		focus = line
	}
	d.window = WindowOn(len(lines), h, focus, d.scroll)
	d.scroll = d.window.Scroll
	return title, d.window.ShownLines(st, lines, w)
}

// BoxWidth returns the wanted inner width of the box.
func (d *openDialog) BoxWidth() int { return 64 }

func (d *openDialog) typingPlace() (x, line int, ok bool) {
	if t, typing := d.d.(view.TypingDialog); typing {
		return t.Cursor()
	}
	return 0, 0, false
}

// Cursor returns the place of the cursor in the typed text.
func (d *openDialog) Cursor() (x, line int, ok bool) {
	x, line, ok = d.typingPlace()
	line, seen := d.window.ShownLine(line)
	return x, line, ok && seen
}
