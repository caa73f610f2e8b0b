package overlay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"rung/engine/trace"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// Palette finds any action or place by a few letters.
type Palette struct {
	input widget.Input
	items []paletteItem
	hits  []int
	at    int

	rev    *revision.Revision
	keys   *action.Keymap
	recent *[]string
	listed int               // items without that of a trace
	ends   []trace.EndChoice // made when a trace is first typed
}

// NewPalette lists all that is offered. Texts that led to something are added to recent.
func NewPalette(o Offers, recent *[]string) *Palette {
	p := &Palette{items: itemsOf(o), rev: o.Rev, keys: o.Keys, recent: recent}
	p.listed = len(p.items)
	p.input.History = *recent
	p.find()
	return p
}

// find fills hits with what matches, best first; with nothing typed the actions
// and places as they stand.
func (p *Palette) find() {
	p.at = 0
	defer p.offer()
	p.hits = p.hits[:0]
	typed := strings.ToLower(strings.TrimLeft(p.input.Value(), " "))
	if strings.TrimSpace(typed) == "" {
		for i := range p.items {
			p.hits = append(p.hits, i)
		}
		return
	}
	p.items = p.items[:p.listed]
	if it, ok := p.trace(typed); ok {
		p.items = append(p.items, it)
		p.hits = append(p.hits, p.listed)
		return
	}
	// Items that have the typed text in them go first, by rank and then in the order of the
	// items; then items that only have its letters, by how near these are to each other.
	kind, rest := kindOf(typed)
	ranks := make([]int, len(p.items))
	for i := range p.items {
		ranks[i] = p.items[i].rank(kind, rest)
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

// kindOf is the kind of thing that is looked for, where the text begins with one, and
// what it is to be called.
func kindOf(typed string) (kind, rest string) {
	first, rest, ok := strings.Cut(typed, " ")
	if ok && slices.Contains([]string{"anp", "banp", "np", "ef", "pod", "zone", "rule", "theme"}, first) {
		return first + " ", rest
	}
	return "", typed
}

// How well something is found by what was typed.
const (
	isName      = iota // its name, or the last part of it
	isBeginning        // it begins so
	isWord             // a part of it begins so
	isWithin           // it is somewhere in it
	hasWords           // all words are somewhere in it
	hasLetters         // at most its letters are in it
	isNot              // it is of another kind
)

// rank says how well the item is found among those of a kind, by its text or another
// name of it.
func (it *paletteItem) rank(kind, typed string) int {
	text, ok := strings.CutPrefix(it.text, kind)
	if !ok || kind != "" && text == "" {
		return isNot
	}
	best := rank(text, typed)
	for _, name := range it.names {
		if r := rank(name, typed); r <= isBeginning { // what only holds it would be a riddle
			best = min(best, r)
		}
	}
	return best
}

func rank(s, typed string) int {
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
func (p *Palette) Len() int            { return len(p.items) }
func (p *Palette) String(i int) string { return p.items[i].text }

// Key edits the text, moves the cursor, or chooses the item under it.
func (p *Palette) Key(key, text string) (done bool, chosen *Choice) {
	switch key {
	case "esc":
		return true, nil
	case "enter":
		chosen = p.choose()
		return chosen != nil, chosen
	case "tab":
		if p.input.Key(p.keys, key, "") {
			p.find()
			break
		}
		p.move(1)
	case "down", "ctrl+n":
		p.move(1)
	case "up", "ctrl+p", "shift+tab":
		if p.at == 0 && p.input.Value() == "" {
			p.input.Do(action.InputEarlier)
			p.find()
			break
		}
		p.move(-1)
	case "pgdown":
		p.move(10)
	case "pgup":
		p.move(-10)
	default:
		was := p.input.Value()
		p.input.Key(p.keys, key, text)
		if p.input.Value() != was {
			p.find()
		}
	}
	return false, nil
}

// move goes on among the hits; the one it comes to is what the text is completed to.
func (p *Palette) move(d int) {
	p.at = max(0, min(p.at+d, len(p.hits)-1))
	p.offer()
}

// offer suggests the hit at the cursor where it begins with what was typed.
func (p *Palette) offer() {
	whole := ""
	if p.at < len(p.hits) {
		it := &p.items[p.hits[p.at]]
		whole = it.text
		for _, name := range it.names {
			if v := p.input.Value(); strings.HasPrefix(name, v) && !strings.HasPrefix(whole, v) {
				whole = name
			}
		}
	}
	p.input.Offer(whole)
}

// choose takes what the cursor is on; a disabled thing stays and shows its reason, and so
// does what finds nothing.
func (p *Palette) choose() *Choice {
	if p.at >= len(p.hits) {
		return nil
	}
	it := &p.items[p.hits[p.at]]
	switch {
	case it.whyNot != "":
		return nil
	case it.narrow != "":
		p.input.Set(it.narrow)
		p.find()
		return nil
	}
	p.input.Set(it.text)
	p.input.Remember()
	*p.recent = p.input.History
	return &it.Choice
}

// Paste puts text into the line.
func (p *Palette) Paste(text string) {
	p.input.Insert(text)
	p.find()
}

// Width is how wide the box wants to be inside.
func (p *Palette) Width() int { return 96 }

// Cursor is in the line.
func (p *Palette) Cursor() (x, line int, ok bool) {
	return 2 + p.input.Cursor(), 0, p.input.Cursor() >= 0
}

// mostRows bounds how many hits are listed.
const mostRows = 16

// Draw gives the line, what is found, and all of what does not fit into its row.
func (p *Palette) Draw(st *themes.StyleSet, w, h int) (string, []string) {
	note := widget.Join(widget.Plain("  "), p.input.Completes(p.keys, st))
	nw := min(note.Width(), w/2)
	lines := []string{" " + st.Key.Render(":") + p.input.Render(st, max(1, w-3-nw)) + note.Render(nw) + " "}
	rows := max(0, min(mostRows, h-1))
	var below []string
	if p.at < len(p.hits) {
		below = p.items[p.hits[p.at]].below(st, w)
		below = below[:min(len(below), max(0, rows-1))]
	}
	if w < narrow { // where most rows are cut, the list does not jump
		for len(below) < min(2, rows-1) {
			below = append(below, "")
		}
	}
	list := rows - len(below)
	top := max(0, p.at-list+1)
	for n := top; n < len(p.hits) && n < top+list; n++ {
		lines = append(lines, p.items[p.hits[n]].line(st, w, n == p.at))
	}
	if len(p.hits) == 0 {
		lines = append(lines, widget.Styled(" no match · esc closes", st.Dim).Render(w))
	}
	for len(lines) < list+1 {
		lines = append(lines, "")
	}
	lines = append(lines, below...)
	return "command", lines
}

// narrow is a palette without room for what things do beside their names.
const narrow = 70

// line returns the row of the item: its name, its key, and what it does or why not. An item
// that cannot be done has its key in parentheses.
func (it *paletteItem) line(st *themes.StyleSet, w int, at bool) string {
	l := it.row(st, w)
	if at {
		return widget.Join(widget.Plain("▸ "), l).RenderAs(w, st.Selection)
	}
	return widget.Join(widget.Plain("  "), l).Render(w)
}

func (it *paletteItem) row(st *themes.StyleSet, w int) widget.Line {
	name, key := st.Text, it.key
	if it.whyNot != "" {
		name, key = st.Dim, "("+cmp.Or(key, "–")+")"
	}
	l := widget.Line{{Text: it.text, Style: name}}
	to := func(n int) {
		if pad := n - l.Width(); pad > 0 {
			l = l.Add(strings.Repeat(" ", pad), st.Text)
		} else {
			l = l.Add(" ", st.Text)
		}
	}
	if w < narrow {
		to(w - 2 - len("(ctrl+p)"))
		return l.Add(key, st.Key)
	}
	to(32)
	l = l.Add(key, st.Key)
	to(41)
	return l.Add(it.note(), st.Dim)
}

// note returns the help of the item, or why it cannot be done now.
func (it *paletteItem) note() string {
	if it.whyNot != "" {
		return "not now: " + it.whyNot
	}
	return it.help
}

// below returns the text that has no room in the row of the item, in lines.
func (it *paletteItem) below(st *themes.StyleSet, w int) []string {
	text := it.note()
	switch row := it.row(st, w); {
	case w >= narrow && row.Width()+2 <= w:
		return nil
	case w < narrow && row.Width()+2 > w:
		text = strings.TrimSuffix(it.text+" · "+text, " · ")
	}
	lines := widget.Flow(text, max(1, w-3))
	for i := range lines {
		lines[i] = widget.Styled("   "+lines[i], st.Dim).Render(w)
	}
	return lines
}
