package widget

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
)

// TextInput is an input line with the editing keys of a shell. It wraps bubbles' textinput for text, cursor,
// words and suggestions. Rung adds drawing, history, and moving and deleting by visible letters. The zero
// value is an empty line.
type TextInput struct {
	History []string // oldest first

	line        *textinput.Model // made on first use
	back        int              // steps back in History, or 0 for the text itself
	draft       string
	cell        int  // cell of the cursor in the last frame, -1 if none
	prefillKept bool // nothing was typed yet: the text is the prefill, which is selected
}

// maxInput bounds the letters of a line, so that a pasted file does no harm.
const maxInput = 4000

// bindings are the actions that textinput carries out. Their ids serve as keys, so that the action table,
// including the user's overrides, has the real keys. Other actions of textinput are left out: it splits
// letters of several characters, panics when deleting the last word of a line, and runs a program to read the
// clipboard.
var bindings = textinput.KeyMap{
	WordBackward:       keyBinding(action.InputWordLeft),
	WordForward:        keyBinding(action.InputWordRight),
	LineStart:          keyBinding(action.InputStart),
	LineEnd:            keyBinding(action.InputEnd),
	DeleteBeforeCursor: keyBinding(action.InputDeleteStart),
	DeleteAfterCursor:  keyBinding(action.InputDeleteEnd),
}

func keyBinding(id action.ID) key.Binding { return key.NewBinding(key.WithKeys(string(id))) }

// inputModel returns the textinput. It has no width, since it would scroll by characters, not by cells.
func (in *TextInput) inputModel() *textinput.Model {
	if in.line == nil {
		t := textinput.New()
		t.KeyMap, t.CharLimit, t.ShowSuggestions = bindings, maxInput, true
		t.SetVirtualCursor(false)
		t.Focus()
		in.line = &t
	}
	return in.line
}

// pressAction makes the textinput carry out an action.
func (in *TextInput) pressAction(id action.ID) {
	*in.inputModel(), _ = in.inputModel().Update(tea.KeyPressMsg{Text: string(id)}) // no command: the cursor does not blink
}

// InputText returns the text.
func (in *TextInput) InputText() string {
	if in.line == nil {
		return ""
	}
	return in.line.Value()
}

// Set replaces the text and puts the cursor at its end.
func (in *TextInput) Set(s string) { in.putText(cleanTyped(s, maxInput), maxInput) }

// PrefillText sets a selected text: typing replaces it, editing keys keep it.
func (in *TextInput) PrefillText(s string) {
	in.Set(s)
	in.prefillKept = in.InputText() != ""
}

// IsPrefilled reports whether the text is still the selected prefill.
func (in *TextInput) IsPrefilled() bool { return in.prefillKept }

// putText replaces the text, already cleaned, and puts the cursor at a place in it.
func (in *TextInput) putText(s string, at int) {
	in.prefillKept = false
	t := in.inputModel()
	t.SetSuggestions(nil) // made for another text
	t.SetValue(s)
	t.SetCursor(at)
}

// InsertText types or pastes text at the cursor.
func (in *TextInput) InsertText(s string) {
	if in.prefillKept {
		in.Set("")
	}
	value, at := []rune(in.InputText()), in.inputModel().Position()
	s = cleanTyped(s, maxInput-len(value))
	in.putText(string(value[:at])+s+string(value[at:]), at+utf8.RuneCountInString(s))
	in.snapCursor(true)
}

// PressKey edits the line and reports whether the key was used. text is what the key types, empty if nothing.
func (in *TextInput) PressKey(keys *action.Keymap, key, text string) bool {
	if a := keys.LookupKey([]action.Scope{action.Input}, key); a != nil {
		return in.Do(a.ID)
	}
	if text == "" {
		return false
	}
	in.InsertText(text)
	return true
}

// Do carries out an action of input lines; false for any other action, or if there is nothing to complete.
func (in *TextInput) Do(id action.ID) bool {
	in.prefillKept = false
	at := in.inputModel().Position()
	switch id {
	case action.InputLeft:
		in.inputModel().SetCursor(letterEdge(in.InputText(), at-1, false))
	case action.InputRight:
		if !in.TakeOffer() {
			in.inputModel().SetCursor(letterEdge(in.InputText(), at+1, true))
		}
	case action.InputWordLeft, action.InputStart:
		in.pressAction(id)
		in.snapCursor(false)
	case action.InputEnd:
		if !in.TakeOffer() {
			in.pressAction(id)
		}
	case action.InputWordRight:
		in.pressAction(id)
		in.snapCursor(true)
	case action.InputDeleteLeft:
		in.cutRange(letterEdge(in.InputText(), at-1, false), at)
	case action.InputDeleteRight:
		in.cutRange(at, letterEdge(in.InputText(), at+1, true))
	case action.InputDeleteWord:
		in.Do(action.InputWordLeft)
		in.cutRange(in.inputModel().Position(), at)
	case action.InputDeleteNext:
		in.Do(action.InputWordRight)
		in.cutRange(at, in.inputModel().Position())
	case action.InputDeleteStart, action.InputDeleteEnd:
		in.inputModel().SetSuggestions(nil)
		in.pressAction(id)
	case action.InputEarlier:
		in.recallHistory(1)
	case action.InputLater:
		in.recallHistory(-1)
	case action.InputComplete:
		return in.TakeOffer()
	default:
		return false
	}
	return true
}

// snapCursor moves a cursor inside a letter to an edge of it.
func (in *TextInput) snapCursor(right bool) {
	in.inputModel().SetCursor(letterEdge(in.InputText(), in.inputModel().Position(), right))
}

func (in *TextInput) cutRange(from, to int) {
	if from < to {
		in.putText(string(slices.Delete([]rune(in.InputText()), from, to)), from)
	}
}

// letterEdge returns place if it is an edge of a letter, else the nearest edge to its left or right. Places
// count characters; a visible letter may have several.
func letterEdge(text string, place int, right bool) int {
	at := 0
	for text != "" && at < place {
		letter, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		n := utf8.RuneCountInString(letter)
		if n == 0 || at+n > place && !right {
			break
		}
		at += n
		text = text[len(letter):]
	}
	return at
}

// OfferText suggests a whole text that begins with the present one; empty suggests nothing. An edit removes
// the suggestion.
func (in *TextInput) OfferText(whole string) {
	if in.line == nil && whole == "" {
		return
	}
	in.inputModel().SetSuggestions([]string{whole})
}

// TakeOffer accepts the suggestion; false if none is shown.
func (in *TextInput) TakeOffer() bool {
	if in.SuggestedText() == "" {
		return false
	}
	in.Set(in.InputText() + in.SuggestedText())
	return true
}

// SuggestedText returns the text that TakeOffer would add, empty if none.
func (in *TextInput) SuggestedText() string {
	t := in.inputModel()
	value, whole := []rune(t.Value()), []rune(t.CurrentSuggestion())
	if t.Position() < len(value) || len(whole) <= len(value) {
		return ""
	}
	return string(whole[len(value):])
}

// CompleteHint names the key that accepts the suggestion, nil if there is none.
func (in *TextInput) CompleteHint(keys *action.Keymap, st *themes.StyleSet) Line {
	key := keys.ActionByID(action.InputComplete).HintKey()
	if key == "" || in.SuggestedText() == "" {
		return nil
	}
	return StyledLine(key+" completes", st.Dim)
}

func (in *TextInput) recallHistory(d int) {
	to := in.back + d
	if to < 0 || to > len(in.History) {
		return
	}
	if in.back == 0 {
		in.draft = in.InputText()
	}
	in.back = to
	if to == 0 {
		in.Set(in.draft)
		return
	}
	in.Set(in.History[len(in.History)-to])
}

// RememberText adds the text to the history and empties the line.
func (in *TextInput) RememberText() {
	s := in.InputText()
	in.Set("")
	in.back = 0
	if s == "" {
		return
	}
	in.History = slices.DeleteFunc(in.History, func(h string) bool { return h == s })
	in.History = append(in.History, s)
	if len(in.History) > 100 {
		in.History = in.History[1:]
	}
}

// Render draws the line in w cells, scrolled to show the cursor. The cursor is the terminal's; Cursor returns
// its place.
func (in *TextInput) Render(st *themes.StyleSet, w int) string {
	in.cell = -1
	if w <= 0 {
		return ""
	}
	value, at := []rune(in.InputText()), in.inputModel().Position()
	before, after, rest := words.CleanText(string(value[:at])), words.CleanText(string(value[at:])), words.CleanText(in.SuggestedText())
	_, width := ansi.FirstGraphemeCluster(after+rest, ansi.GraphemeWidth)
	in.cell = TextWidth(before)
	// The cursor needs a cell also at the end of the text, and on a combining mark.
	for over := in.cell + max(width, 1) - w; over > 0 && before != ""; {
		letter, n := ansi.FirstGraphemeCluster(before, ansi.GraphemeWidth)
		before = strings.TrimPrefix(before, letter)
		in.cell -= n
		over -= n
	}
	look := words.Choose(in.prefillKept, st.Selection, st.Input)
	return Line{{before + after, look}, {rest, st.Dim}}.clipString(w)
}

// Cursor returns the cell of the cursor in the line drawn last, -1 if none.
func (in *TextInput) Cursor() int { return in.cell }

// clipString draws the line in w cells without an ellipsis.
func (l Line) clipString(w int) string {
	l = l.cleanedLine().ClipTo(w)
	var b []byte
	for _, s := range l {
		b = s.Style.Append(b, s.Text)
	}
	return string(appendSpaces(b, w-l.LineWidth()))
}
