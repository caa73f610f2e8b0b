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

// TextInput is a line of text being typed, with the editing keys of a shell. The text,
// the place in it, words and suggestions are those of bubbles' textinput; that what
// is drawn as one letter is passed and deleted as one, the drawing and the history are
// Rung's. The zero value is an empty line.
type TextInput struct {
	History []string // oldest first

	line        *textinput.Model // made when it is first needed
	back        int              // how far back in History, 0 is the text itself
	draft       string
	cell        int  // of the cursor in the last frame, -1 where it has none
	prefillKept bool // the text was there before anything was typed, and is selected
}

// maxInput is how many letters a line may have: pasting a file into it must not
// hurt.
const maxInput = 4000

// bindings are the actions that textinput carries out. They reach it under their own
// names, so that the keys are those of the table, the user's among them. Its other actions
// are left out, as it takes letters of several characters apart, panics where a word
// is deleted that ends the line, and reads the clipboard by running a program.
var bindings = textinput.KeyMap{
	WordBackward:       keyBinding(action.InputWordLeft),
	WordForward:        keyBinding(action.InputWordRight),
	LineStart:          keyBinding(action.InputStart),
	LineEnd:            keyBinding(action.InputEnd),
	DeleteBeforeCursor: keyBinding(action.InputDeleteStart),
	DeleteAfterCursor:  keyBinding(action.InputDeleteEnd),
}

func keyBinding(id action.ID) key.Binding { return key.NewBinding(key.WithKeys(string(id))) }

// inputModel is the textinput. It has no width: it would scroll by characters, not by cells.
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

// pressAction has the textinput carry out an action.
func (in *TextInput) pressAction(id action.ID) {
	*in.inputModel(), _ = in.inputModel().Update(tea.KeyPressMsg{Text: string(id)}) // no command: it has no cursor that blinks
}

// InputText is the text.
func (in *TextInput) InputText() string {
	if in.line == nil {
		return ""
	}
	return in.line.Value()
}

// Set replaces the text and puts the cursor at its end.
func (in *TextInput) Set(s string) { in.putText(cleanTyped(s, maxInput), maxInput) }

// PrefillText begins with a text, which is selected: what is typed first replaces it, any
// other key of a line keeps it.
func (in *TextInput) PrefillText(s string) {
	in.Set(s)
	in.prefillKept = in.InputText() != ""
}

// IsPrefilled says whether the text is the one that was there to begin with, selected.
func (in *TextInput) IsPrefilled() bool { return in.prefillKept }

// putText replaces the text, which is clean, and puts the cursor at a place in it.
func (in *TextInput) putText(s string, at int) {
	in.prefillKept = false
	t := in.inputModel()
	t.SetSuggestions(nil) // they were for another text
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

// PressKey edits the line; it says whether the key was one of its own. text is what
// the key types, empty for keys that type nothing.
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

// Do carries out an action on the line; false when it is none of a line's, or there is
// nothing to complete.
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

// snapCursor puts the cursor to the end of a letter when it is inside one.
func (in *TextInput) snapCursor(right bool) {
	in.inputModel().SetCursor(letterEdge(in.InputText(), in.inputModel().Position(), right))
}

func (in *TextInput) cutRange(from, to int) {
	if from < to {
		in.putText(string(slices.Delete([]rune(in.InputText()), from, to)), from)
	}
}

// letterEdge is the end of a letter nearest to a place in a text, at it or to one side of it.
// Places are counted in characters; what is drawn as one letter may have several.
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

// OfferText suggests how the text might go on: a whole text that begins with it; empty
// suggests nothing. An edit takes the suggestion away.
func (in *TextInput) OfferText(whole string) {
	if in.line == nil && whole == "" {
		return
	}
	in.inputModel().SetSuggestions([]string{whole})
}

// TakeOffer takes the suggestion, false when none is shown.
func (in *TextInput) TakeOffer() bool {
	if in.SuggestedText() == "" {
		return false
	}
	in.Set(in.InputText() + in.SuggestedText())
	return true
}

// SuggestedText returns the text that Complete would add, empty for none.
func (in *TextInput) SuggestedText() string {
	t := in.inputModel()
	value, whole := []rune(t.Value()), []rune(t.CurrentSuggestion())
	if t.Position() < len(value) || len(whole) <= len(value) {
		return ""
	}
	return string(whole[len(value):])
}

// CompletesLine says which key takes the suggestion, nil where there is none.
func (in *TextInput) CompletesLine(keys *action.Keymap, st *themes.StyleSet) Line {
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

// RememberText puts the text at the end of the history and empties the line.
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

// Render draws the line in w cells, scrolled so that the letter at the cursor is seen.
// The cursor is the terminal's: Cursor says where it belongs.
func (in *TextInput) Render(st *themes.StyleSet, w int) string {
	in.cell = -1
	if w <= 0 {
		return ""
	}
	value, at := []rune(in.InputText()), in.inputModel().Position()
	before, after, rest := words.CleanText(string(value[:at])), words.CleanText(string(value[at:])), words.CleanText(in.SuggestedText())
	_, width := ansi.FirstGraphemeCluster(after+rest, ansi.GraphemeWidth)
	in.cell = TextWidth(before)
	// Beyond the text, and on a mark that belongs to the letter before, it has a cell, too.
	for over := in.cell + max(width, 1) - w; over > 0 && before != ""; {
		letter, n := ansi.FirstGraphemeCluster(before, ansi.GraphemeWidth)
		before = strings.TrimPrefix(before, letter)
		in.cell -= n
		over -= n
	}
	look := st.Input
	if in.prefillKept {
		look = st.Selection
	}
	return Line{{before + after, look}, {rest, st.Dim}}.clipString(w)
}

// Cursor is the cell of the cursor in the line that was drawn last, -1 where there is
// none.
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
