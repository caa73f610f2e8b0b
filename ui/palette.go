package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"rung/engine/trace"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// PaletteOverlay finds any action or place by a few letters.
type PaletteOverlay struct {
	input    widget.TextInput
	items    []paletteItem
	hits     []int
	cursorAt int

	rev    *revision.Revision
	keys   *action.Keymap
	recent *[]string
	listed int               // number of items without the typed trace or comparison
	ends   []trace.EndChoice // made when a trace is first typed
}

// NewPalette makes a palette of everything offered. Texts that led to an item are added to recent.
func NewPalette(o OverlayOffers, recent *[]string) *PaletteOverlay {
	p := &PaletteOverlay{items: paletteItems(o), rev: o.Rev, keys: o.Keys, recent: recent}
	p.listed = len(p.items)
	p.input.History = *recent
	p.findHits()
	return p
}

// FindItem returns the palette's item for a text: a whole name, its beginning, or an alias; else an item with
// the reason why nothing happens.
func FindItem(o OverlayOffers, text string) *ChosenItem {
	if meant := o.Aliases[text]; meant != "" {
		text = meant
	}
	o.Aliases = nil // an alias of an alias is not followed
	p := NewPalette(o, &[]string{})
	p.input.Set(text)
	p.findHits()
	if len(p.hits) == 0 {
		return &ChosenItem{WhyNot: text + ": no match"}
	}
	it := &p.items[p.hits[0]]
	kind, rest := splitKind(strings.ToLower(text))
	switch isQuestion := p.hits[0] >= p.listed; {
	case it.whyNot != "":
		return &ChosenItem{WhyNot: it.text + ": " + it.whyNot}
	case it.narrow != "":
		return &ChosenItem{WhyNot: text + ": a name is missing: " + it.narrow + "NAME"}
	case !isQuestion && it.rankAmong(kind, rest) > isBeginning:
		return &ChosenItem{WhyNot: text + ": no match; nearest: " + it.text}
	}
	return &it.ChosenItem
}

// findHits finds the matching items, best first; all items in their order if nothing is typed.
func (p *PaletteOverlay) findHits() {
	p.cursorAt = 0
	defer p.offerHit()
	p.hits = p.hits[:0]
	typed := strings.ToLower(strings.TrimLeft(p.input.InputText(), " "))
	if strings.TrimSpace(typed) == "" {
		for i := range p.items {
			p.hits = append(p.hits, i)
		}
		return
	}
	p.items = p.items[:p.listed]
	it, ok := p.traceItem(typed)
	if !ok {
		it, ok = diffItem(p.input.InputText()) // file names keep their case
	}
	if ok {
		p.items = append(p.items, it)
		p.hits = append(p.hits, p.listed)
		return
	}
	// Items that contain the typed text go first, by rank and then in the order of the items; then items that
	// contain only its letters, nearest letters first.
	kind, rest := splitKind(typed)
	ranks := make([]int, len(p.items))
	for i := range p.items {
		ranks[i] = p.items[i].rankAmong(kind, rest)
		if ranks[i] < hasLetters {
			p.hits = append(p.hits, i)
		}
	}
	slices.SortStableFunc(p.hits, func(a, b int) int { return ranks[a] - ranks[b] })
	for _, m := range fuzzy.FindFrom(strings.TrimSpace(typed), p) {
		if ranks[m.Index] == hasLetters {
			p.hits = append(p.hits, m.Index)
		}
	}
}

// splitKind splits a typed text into the kind it begins with, empty if none, and the name.
func splitKind(typed string) (kind, rest string) {
	first, rest, ok := strings.Cut(typed, " ")
	if ok && slices.Contains([]string{"anp", "banp", "np", "ef", "pod", "zone", "rule", "theme"}, first) {
		return first + " ", rest
	}
	return "", typed
}

// How well an item matches the typed text.
const (
	isName      = iota // the name, or its last part
	isBeginning        // the name begins with the text
	isWord             // a word of the name begins with it
	isWithin           // the name contains it
	hasWords           // the name contains all words
	hasLetters         // the name has at most the letters of the text, in order
	wrongKind          // another kind
)

// rankAmong returns how well the item matches typed by its text or another name; wrongKind if it is not of
// kind.
func (it *paletteItem) rankAmong(kind, typed string) int {
	text, ok := strings.CutPrefix(it.text, kind)
	if !ok || kind != "" && text == "" {
		return wrongKind
	}
	best := rankText(text, typed)
	for _, name := range it.names {
		if r := rankText(name, typed); r <= isBeginning { // other names are not shown, so a match inside one would puzzle
			best = min(best, r)
		}
	}
	return best
}

func rankText(s, typed string) int {
	s = strings.ToLower(s)
	whole := strings.TrimRight(typed, " ")
	if s == whole || strings.HasSuffix(s, whole) && strings.HasSuffix(s[:len(s)-len(whole)], " ") ||
		strings.HasSuffix(s, "/"+whole) {
		return isName
	}
	if strings.HasPrefix(s, typed) {
		return isBeginning
	}
	switch i := strings.Index(s, whole); {
	case i < 0:
	case strings.Contains(s, " "+whole) || strings.Contains(s, "/"+whole):
		return isWord
	default:
		return isWithin
	}
	for _, f := range strings.Fields(typed) {
		if !strings.Contains(s, f) {
			return hasLetters
		}
	}
	return hasWords
}

// Len and String make the items a source for fuzzy matching.
func (p *PaletteOverlay) Len() int            { return len(p.items) }
func (p *PaletteOverlay) String(i int) string { return p.items[i].text }

// PressKey edits the text, moves the cursor, or chooses the item under it.
func (p *PaletteOverlay) PressKey(key, text string) (done bool, chosen *ChosenItem) {
	switch key {
	case "esc":
		return true, nil
	case "enter":
		chosen = p.chooseHit()
		return chosen != nil, chosen
	case "tab":
		if p.input.PressKey(p.keys, key, "") {
			p.findHits()
			break
		}
		p.moveHit(1)
	case "down", "ctrl+n":
		p.moveHit(1)
	case "up", "ctrl+p", "shift+tab":
		if p.cursorAt == 0 && p.input.InputText() == "" {
			p.input.Do(action.InputEarlier)
			p.findHits()
			break
		}
		p.moveHit(-1)
	case "pgdown":
		p.moveHit(10)
	case "pgup":
		p.moveHit(-10)
	default:
		was := p.input.InputText()
		p.input.PressKey(p.keys, key, text)
		if p.input.InputText() != was {
			p.findHits()
		}
	}
	return false, nil
}

// moveHit moves the cursor and suggests the hit there as completion.
func (p *PaletteOverlay) moveHit(d int) {
	p.cursorAt = max(0, min(p.cursorAt+d, len(p.hits)-1))
	p.offerHit()
}

// offerHit suggests the hit at the cursor if it begins with the typed text.
func (p *PaletteOverlay) offerHit() {
	whole := ""
	if p.cursorAt < len(p.hits) {
		it := &p.items[p.hits[p.cursorAt]]
		whole = it.text
		for _, name := range it.names {
			if v := p.input.InputText(); strings.HasPrefix(name, v) && !strings.HasPrefix(whole, v) {
				whole = name
			}
		}
	}
	p.input.OfferText(whole)
}

// chooseHit returns the hit at the cursor; nil for a disabled item, whose reason stays visible, or without
// hits.
func (p *PaletteOverlay) chooseHit() *ChosenItem {
	if p.cursorAt >= len(p.hits) {
		return nil
	}
	it := &p.items[p.hits[p.cursorAt]]
	switch {
	case it.whyNot != "":
		return nil
	case it.narrow != "":
		p.input.Set(it.narrow)
		p.findHits()
		return nil
	}
	p.input.Set(it.text)
	p.input.RememberText()
	*p.recent = p.input.History
	return &it.ChosenItem
}

// Paste puts text into the line.
func (p *PaletteOverlay) Paste(text string) {
	p.input.InsertText(text)
	p.findHits()
}

// BoxWidth returns the wanted inner width of the box.
func (p *PaletteOverlay) BoxWidth() int { return 96 }

// Cursor returns the place of the cursor in the line.
func (p *PaletteOverlay) Cursor() (x, line int, ok bool) {
	return 2 + p.input.Cursor(), 0, p.input.Cursor() >= 0
}

// mostRows bounds the listed hits.
const mostRows = 16

// Draw returns the line, the hits, and the text that does not fit into the row at the cursor.
func (p *PaletteOverlay) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	note := widget.JoinLines(widget.PlainLine("  "), p.input.CompleteHint(p.keys, st))
	nw := min(note.LineWidth(), w/2)
	lines := []string{" " + st.Key.Render(":") + p.input.Render(st, max(1, w-3-nw)) + note.Render(nw) + " "}
	rows := max(0, min(mostRows, h-1))
	var below []string
	if p.cursorAt < len(p.hits) {
		below = p.items[p.hits[p.cursorAt]].linesBelow(st, w)
		below = below[:min(len(below), max(0, rows-1))]
	}
	if w < narrow { // most rows are cut; keep the list from jumping
		for len(below) < min(2, rows-1) {
			below = append(below, "")
		}
	}
	list := rows - len(below)
	top := max(0, p.cursorAt-list+1)
	for n := top; n < len(p.hits) && n < top+list; n++ {
		lines = append(lines, p.items[p.hits[n]].itemLine(st, w, n == p.cursorAt))
	}
	if len(p.hits) == 0 {
		lines = append(lines, widget.StyledLine(" no match · esc closes", st.Dim).Render(w))
	}
	for len(lines) < list+1 {
		lines = append(lines, "")
	}
	lines = append(lines, below...)
	return "command", lines
}

// narrow is the width below which rows omit the help.
const narrow = 70

// itemLine returns the row of the item: its name, its key, and its help or why not. A disabled item has its
// key in parentheses.
func (it *paletteItem) itemLine(st *themes.StyleSet, w int, at bool) string {
	l := it.itemRow(st, w)
	if at {
		return widget.JoinLines(widget.PlainLine(words.Cursor+" "), l).RenderAs(w, st.Selection)
	}
	return widget.JoinLines(widget.PlainLine("  "), l).Render(w)
}

func (it *paletteItem) itemRow(st *themes.StyleSet, w int) widget.Line {
	name, key := st.Text, it.key
	if it.whyNot != "" {
		name, key = st.Dim, "("+cmp.Or(key, "–")+")"
	}
	l := widget.Line{{Text: it.text, Style: name}}
	to := func(n int) {
		l = l.Add(strings.Repeat(" ", max(1, n-l.LineWidth())), st.Text)
	}
	if w < narrow {
		to(w - 2 - len("(ctrl+p)"))
		return l.Add(key, st.Key)
	}
	to(32)
	l = l.Add(key, st.Key)
	to(41)
	return l.Add(it.noteText(), st.Dim)
}

// noteText returns the help of the item, or why it is disabled.
func (it *paletteItem) noteText() string {
	if it.whyNot != "" {
		return "not now: " + it.whyNot
	}
	return it.help
}

// linesBelow returns the text that does not fit into the item's row, in lines.
func (it *paletteItem) linesBelow(st *themes.StyleSet, w int) []string {
	text := it.noteText()
	switch row := it.itemRow(st, w); {
	case w >= narrow && row.LineWidth()+2 <= w:
		return nil
	case w < narrow && row.LineWidth()+2 > w:
		text = strings.TrimSuffix(it.text+" · "+text, " · ")
	}
	lines := widget.FlowText(text, max(1, w-3))
	for i := range lines {
		lines[i] = widget.StyledLine("   "+lines[i], st.Dim).Render(w)
	}
	return lines
}
