package ui

import (
	"strings"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// HelpOverlay lists all keys, columns and signs of the page, searchable; enter runs the action of a key.
type HelpOverlay struct {
	input     widget.TextInput
	keys      *action.Keymap
	rows      []helpRow
	shownRows []int
	cursorAt  int
}

// helpRow is a heading, a word or sign with its meaning, or an action.
type helpRow struct {
	OfferedAction
	head       string
	word, text string
}

// NewHelp lists the offered actions that have keys, then the columns and the signs of the page. The cursor
// begins on the sort column.
func NewHelp(o OverlayOffers) *HelpOverlay {
	hp := &HelpOverlay{keys: o.Keys}
	scope := action.Scope("")
	for _, a := range o.Actions {
		if len(a.Keys) == 0 {
			continue
		}
		if a.Scope != scope {
			scope = a.Scope
			hp.rows = append(hp.rows, helpRow{head: string(scope)})
		}
		hp.rows = append(hp.rows, helpRow{OfferedAction: a})
	}
	sorted := -1
	for i, c := range o.Columns {
		if i == 0 {
			hp.rows = append(hp.rows, helpRow{head: "columns"})
		}
		if c.Sorted {
			sorted = len(hp.rows)
		}
		hp.rows = append(hp.rows, helpRow{word: c.Title, text: c.Text})
	}
	for i, s := range o.Signs {
		if i == 0 {
			hp.rows = append(hp.rows, helpRow{head: "signs of this page"})
		}
		hp.rows = append(hp.rows, helpRow{word: s.Text, text: s.Meaning})
	}
	hp.findRows()
	if sorted >= 0 { // nothing typed: all rows are shown
		hp.cursorAt = sorted
	}
	return hp
}

// searchText returns the searchable text of a row.
func (r *helpRow) searchText() string {
	if r.word != "" {
		return r.word + " " + r.text
	}
	return strings.Join(r.Keys, " ") + " " + r.Title + " " + r.Help + " " + string(r.ID)
}

func (hp *HelpOverlay) findRows() {
	hp.shownRows = hp.shownRows[:0]
	f := widget.ParseFilter(hp.input.InputText())
	for i := range hp.rows {
		r := &hp.rows[i]
		switch {
		case r.head != "" && f.IsEmpty():
		case r.head == "" && f.MatchesText(r.searchText()):
		default:
			continue
		}
		hp.shownRows = append(hp.shownRows, i)
	}
	hp.cursorAt = -1
	hp.moveCursor(1)
}

func (hp *HelpOverlay) moveCursor(d int) {
	for i := hp.cursorAt + d; i >= 0 && i < len(hp.shownRows); i += d {
		if hp.rows[hp.shownRows[i]].head == "" {
			hp.cursorAt = i
			return
		}
	}
}

// PressKey edits the search, moves the cursor, or chooses the row under it.
func (hp *HelpOverlay) PressKey(key, text string) (done bool, chosen *ChosenItem) {
	switch key {
	case "esc":
		return true, nil
	case "?":
		if hp.input.InputText() == "" {
			return true, nil
		}
		hp.input.PressKey(hp.keys, key, text)
		hp.findRows()
	case "enter":
		if hp.cursorAt >= 0 && hp.cursorAt < len(hp.shownRows) && hp.rows[hp.shownRows[hp.cursorAt]].word == "" {
			return true, &ChosenItem{Action: &hp.rows[hp.shownRows[hp.cursorAt]].Action}
		}
	case "down", "ctrl+n", "tab":
		hp.moveCursor(1)
	case "up", "ctrl+p", "shift+tab":
		hp.moveCursor(-1)
	case "pgdown", "pgup":
		for range 10 {
			hp.moveCursor(words.Choose(key == "pgup", -1, 1))
		}
	default:
		was := hp.input.InputText()
		hp.input.PressKey(hp.keys, key, text)
		if hp.input.InputText() != was {
			hp.findRows()
		}
	}
	return false, nil
}

// Paste puts text into the search.
func (hp *HelpOverlay) Paste(text string) {
	hp.input.InsertText(text)
	hp.findRows()
}

// BoxWidth returns the wanted inner width of the box.
func (hp *HelpOverlay) BoxWidth() int { return 92 }

// Cursor returns the place of the cursor in the search.
func (hp *HelpOverlay) Cursor() (x, line int, ok bool) {
	return len(searchFor) + hp.input.Cursor(), 0, hp.input.Cursor() >= 0
}

// searchFor precedes the search text.
const searchFor = " search "

// Draw returns the search and the rows found.
func (hp *HelpOverlay) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	search := []string{st.Dim.Render(searchFor) + hp.input.Render(st, max(1, w-9)) + " "}
	var lines []string
	begin, end := 0, 0 // lines of the row under the cursor
	for n, i := range hp.shownRows {
		if n == hp.cursorAt {
			begin = len(lines)
		}
		lines = append(lines, hp.rows[i].rowLines(st, w, n == hp.cursorAt)...)
		if n == hp.cursorAt {
			end = len(lines) - 1
		}
	}
	if len(hp.shownRows) == 0 {
		lines = append(lines, widget.StyledLine("   no matching key, column or sign", st.Dim).Render(w))
	}
	rows := max(0, h-1)
	win := WindowOn(len(lines), rows, end, 0)
	if begin == 1 { // include the heading of the first row
		begin = 0
	}
	if _, ok := win.ShownLine(begin); !ok {
		win = WindowOn(len(lines), rows, end, begin-win.first)
	}
	title := "keys on this page, columns and signs"
	title += words.Choose(w >= wideHelp, " (enter runs, esc closes)", "")
	return title, append(search, win.ShownLines(st, lines, w)...)
}

// keyCells is the width of the keys column; a box narrower than wideHelp shows help below the keys.
const keyCells, wideHelp = 18, 56

// rowLines returns the row in as many lines as it needs. A disabled action has its keys in parentheses and the
// reason after its help.
func (r *helpRow) rowLines(st *themes.StyleSet, w int, at bool) []string {
	if r.head != "" {
		return []string{widget.StyledLine(" "+r.head, st.Title).Render(w)}
	}
	names := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		names[i] = r.ShownKey(k)
	}
	keys, text := strings.Join(names, " "), r.Help
	switch {
	case r.word != "":
		keys, text = r.word, r.text
	case r.WhyNot != "":
		keys, text = "("+keys+")", text+" · not now: "+r.WhyNot
	}
	mark := words.Choose(at, " "+words.Cursor+" ", "   ")
	head := widget.Line{{Text: mark}, {Text: keys, Style: st.Key}}
	indent := len("   ") + keyCells
	if w < wideHelp || head.LineWidth() >= indent {
		indent = len("     ")
	}
	var out []widget.Line
	for i, l := range widget.FlowText(text, max(8, w-indent-1)) {
		switch pad := indent - head.LineWidth(); {
		case i == 0 && pad > 0:
			out = append(out, head.Add(strings.Repeat(" ", pad), st.Text).Add(l, st.Text))
			continue
		case i == 0:
			out = append(out, head)
		}
		out = append(out, widget.StyledLine(strings.Repeat(" ", indent)+l, st.Text))
	}
	drawn := make([]string, len(out))
	for i, l := range out {
		drawn[i] = l.Render(w)
		if at {
			drawn[i] = l.RenderAs(w, st.Selection)
		}
	}
	return drawn
}
