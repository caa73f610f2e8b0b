package ui

import (
	"strings"
	"time"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"

	"github.com/charmbracelet/x/ansi"
)

// filterLine is the input line for the filter of a page.
type filterLine struct {
	widget.TextInput
	typedFor *trailEntry // page whose filter is being typed, nil if none
}

// typedOn reports whether the filter of a page is being typed.
func (f *filterLine) typedOn(e *trailEntry) bool { return f.typedFor != nil && f.typedFor == e }

// offerWord suggests a completion of the word being typed.
func (f *filterLine) offerWord() {
	value, whole := f.InputText(), ""
	begin := widget.LastWord(value)
	if x, ok := f.typedFor.frontView().(view.FilterLanguage); ok {
		whole = x.CompleteFilter(value)
	} else if c, ok := f.typedFor.frontView().(view.Completer); ok && begin != "" && !strings.HasPrefix(strings.TrimPrefix(value, "!"), "-f") {
		if word := c.CompleteWord(begin); strings.HasPrefix(word, begin) {
			whole = strings.TrimSuffix(value, begin) + word
		}
	}
	f.OfferText(whole)
}

// drawLine draws the filter line, with key hints or the filter's error beside it.
func (f *filterLine) drawLine(st *themes.StyleSet, keys *action.Keymap, w int) string {
	note, room := widget.JoinLines(widget.PlainLine("  "), widget.FitPieces(f.hintPieces(st, keys), w/2-2, 2)), w/2
	if wrong := f.problemLine(st); wrong != nil {
		note, room = wrong, max(w/2, w-4-widget.TextWidth(f.InputText()))
	}
	nw := min(note.LineWidth(), room)
	return ansi.Truncate(" "+st.Key.Render("/")+f.Render(st, max(1, w-nw-2))+note.Render(nw), w, "")
}

// hintPieces returns the hints while a filter is typed, the most important first.
func (f *filterLine) hintPieces(st *themes.StyleSet, keys *action.Keymap) []widget.LinePiece {
	var hints []widget.LinePiece
	if l := f.CompleteHint(keys, st); l != nil {
		hints = append(hints, widget.LinePiece{Line: l})
	}
	can := []string{"!inverse", "-f fuzzy"}
	if _, ok := f.typedFor.frontView().(view.Arranged); ok {
		can = append([]string{"COLUMN=text"}, can...)
	}
	if x, ok := f.typedFor.frontView().(view.FilterLanguage); ok {
		can = x.FilterHints()
	}
	for i, text := range append([]string{keys.ActionByID(action.Open).ShownKey("enter") + " keep", "esc clear"}, can...) {
		hints = append(hints, widget.LinePiece{Line: widget.StyledLine(text, st.Dim), Drop: i + 1})
	}
	return hints
}

// problemLine returns the error of the filter, nil if it is valid. The error of an unfinished filter is
// dimmed.
func (f *filterLine) problemLine(st *themes.StyleSet) widget.Line {
	if x, ok := f.typedFor.frontView().(view.FilterLanguage); ok {
		wrong, unfinished := x.JudgeFilter(f.InputText())
		switch {
		case wrong == "":
			return nil
		case unfinished:
			return widget.StyledLine("  "+widget.CleanText(wrong), st.Dim)
		}
		return widget.StyledLine("  "+words.Failed+" "+widget.CleanText(wrong), st.Error)
	}
	if p := widget.ParseFilter(f.InputText()); p.Err != "" {
		return widget.StyledLine("  "+words.Failed+" "+p.Err+", taken literally", st.Error)
	}
	return nil
}

// filterKey edits the filter line; arrow and page keys still move the list.
func (m *rootModel) filterKey(key, text string) {
	e := m.topEntry()
	switch key {
	case "enter":
		m.filter.typedFor = nil
		return
	case "esc":
		m.filter.typedFor = nil
		m.setFilter(e, "")
		return
	case "up", "down", "pgup", "pgdown":
		if a := m.keys.LookupKey([]action.Scope{action.List}, key); a != nil {
			m.withEnv(e, func(env *view.Env) { e.frontView().Do(env, a.ID) })
		}
		return
	}
	m.filter.PressKey(m.keys, key, text)
	m.setFilter(e, m.filter.InputText())
	m.filter.offerWord()
}

// typingPause is the pause in typing, after an input line closed by itself, before keys act on the page again.
const typingPause = 400 * time.Millisecond

// inputMuting ignores keys typed for a line or question that is closed, until a pause: they must not act on the
// page.
type inputMuting struct {
	last time.Time // the last ignored key, zero if none
	why  string
}

func (t *inputMuting) beginMuting(why string) { t.last, t.why = time.Now(), why }

// isMuted reports whether a key is ignored.
func (t *inputMuting) isMuted() bool {
	if t.last.IsZero() || time.Since(t.last) >= typingPause {
		t.last = time.Time{}
		return false
	}
	t.last = time.Now()
	return true
}
