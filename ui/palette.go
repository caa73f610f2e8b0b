package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"rung/engine/trace"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/widget"
)

// palette finds any action or place by a few letters.
type palette struct {
	input widget.Input
	items []paletteItem
	hits  []int
	at    int

	rev    *revision.Revision
	listed int            // items without that of a trace
	ends   []trace.Choice // made when a trace is first typed
}

func newPalette(m *root) *palette {
	p := &palette{items: itemsOf(m), rev: m.rev}
	p.listed = len(p.items)
	p.input.History = m.recent
	p.find()
	return p
}

// find fills hits with what matches, best first; with nothing typed the actions
// and places as they stand.
func (p *palette) find() {
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
	// What has the typed text in it goes before what only has its letters, in the
	// order of the items; that by how near the letters are.
	kind, rest := kindOf(typed)
	ranks := make([]int, len(p.items))
	for i := range p.items {
		if ranks[i] = p.items[i].rank(kind, rest); ranks[i] < hasLetters {
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
func (p *palette) Len() int            { return len(p.items) }
func (p *palette) String(i int) string { return p.items[i].text }

func (p *palette) key(m *root, key, text string) bool {
	switch key {
	case "esc":
		return true
	case "enter":
		return p.run(m)
	case "tab":
		if p.input.Key(m.keys, key, "") {
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
		p.input.Key(m.keys, key, text)
		if p.input.Value() != was {
			p.find()
		}
	}
	return false
}

// move goes on among the hits; the one it comes to is what the text is completed to.
func (p *palette) move(d int) {
	p.at = max(0, min(p.at+d, len(p.hits)-1))
	p.offer()
}

// offer suggests the hit at the cursor where it begins with what was typed.
func (p *palette) offer() {
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

// run does what the cursor is on; a disabled thing stays and shows its reason, and so
// does what finds nothing.
func (p *palette) run(m *root) bool {
	if p.at >= len(p.hits) {
		return false
	}
	it := p.items[p.hits[p.at]]
	switch {
	case it.whyNot != "":
		return false
	case it.narrow != "":
		p.input.Set(it.narrow)
		p.find()
		return false
	}
	p.input.Set(it.text)
	p.input.Remember()
	m.recent = p.input.History
	m.pop(p)
	it.do(m)
	return false
}

func (p *palette) paste(_ *root, text string) {
	p.input.Insert(text)
	p.find()
}

func (p *palette) width() int { return 96 }

func (p *palette) cursor() (x, line int, ok bool) {
	return 2 + p.input.Cursor(), 0, p.input.Cursor() >= 0
}

// mostRows bounds how many hits are listed.
const mostRows = 16

func (p *palette) draw(m *root, w, h int) (string, []string) {
	st := m.styles
	note := widget.Join(widget.Plain("  "), m.completes(&p.input))
	nw := min(note.Width(), w/2)
	lines := []string{" " + st.Key.Render(":") + p.input.Render(st, max(1, w-3-nw)) + note.Render(nw) + " "}
	rows := max(0, min(mostRows, h-1))
	var below []string
	if p.at < len(p.hits) {
		below = p.items[p.hits[p.at]].below(m, w)
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
		lines = append(lines, p.items[p.hits[n]].line(m, w, n == p.at))
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

// line is a row of the palette: what, its key, and what it does or why not. What
// cannot be done has its key in parentheses.
func (it *paletteItem) line(m *root, w int, at bool) string {
	l := it.row(m, w)
	if at {
		return widget.Join(widget.Plain("▸ "), l).RenderAs(w, m.styles.Selection)
	}
	return widget.Join(widget.Plain("  "), l).Render(w)
}

func (it *paletteItem) row(m *root, w int) widget.Line {
	st := m.styles
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

// note is what the item does, or why not.
func (it *paletteItem) note() string {
	if it.whyNot != "" {
		return "not now: " + it.whyNot
	}
	return it.help
}

// below is what does not find room in the row of the item.
func (it *paletteItem) below(m *root, w int) []string {
	text := it.note()
	switch row := it.row(m, w); {
	case w >= narrow && row.Width()+2 <= w:
		return nil
	case w < narrow && row.Width()+2 > w:
		text = strings.TrimSuffix(it.text+" · "+text, " · ")
	}
	lines := widget.Flow(text, max(1, w-3))
	for i := range lines {
		lines[i] = widget.Styled("   "+lines[i], m.styles.Dim).Render(w)
	}
	return lines
}
