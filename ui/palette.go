package ui

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"rung/model"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// paletteItem is one thing the palette can do.
type paletteItem struct {
	text   string // what is typed against: "policy cluster-control"
	key    string
	help   string
	whyNot string
	do     func(*root)
}

// palette finds any action or place by a few letters.
type palette struct {
	input widget.Input
	items []paletteItem
	hits  []int
	at    int
}

// maxNames bounds how many pods the palette offers.
const maxNames = 20_000

func newPalette(m *root) *palette {
	p := &palette{}
	p.input.History = m.recent
	e := m.top()
	m.sync(e)
	for _, a := range m.keys.In(e.scopes()) {
		if a.Hidden {
			continue
		}
		p.items = append(p.items, paletteItem{text: a.Title, key: a.Shown(), help: a.Help, whyNot: m.whyNot(e, &a),
			do: func(m *root) { m.act(&a) }})
	}
	place := func(text, help string, to nav.Page) {
		p.items = append(p.items, paletteItem{text: text, help: help, do: func(m *root) { m.open(to, false) }})
	}
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindEF} {
		for o := range m.rev.Cluster.Policies(k) {
			place("policy "+o.Name, o.Label(), nav.ToPolicy(o.Key))
		}
	}
	for _, z := range m.rev.Zones {
		place("zone "+z.Name, string(z.Conn), nav.Page{Kind: nav.Rows, Zone: z.Name})
	}
	n := 0
	for o := range m.rev.Cluster.Pods() {
		if n++; n > maxNames {
			break
		}
		place("pod "+o.Namespace+"/"+o.Name, "", nav.ToPod(o.Key))
	}
	for _, name := range m.opt.Themes.Names() {
		p.items = append(p.items, paletteItem{text: "theme " + name, help: "change the colours", do: func(m *root) {
			m.theme = name
			m.restyle()
		}})
	}
	p.find()
	return p
}

// find fills hits with what matches, best first; with nothing typed the actions
// and places as they stand.
func (p *palette) find() {
	p.at = 0
	defer p.offer()
	p.hits = p.hits[:0]
	text := strings.TrimSpace(p.input.Value())
	if text == "" {
		for i := range p.items {
			p.hits = append(p.hits, i)
		}
		return
	}
	for _, m := range fuzzy.FindFrom(text, p) {
		p.hits = append(p.hits, m.Index)
	}
	// What begins with the typed text goes before what only contains its
	// letters.
	low := strings.ToLower(text)
	slices.SortStableFunc(p.hits, func(a, b int) int {
		return rank(p.items[a].text, low) - rank(p.items[b].text, low)
	})
}

func rank(s, typed string) int {
	s = strings.ToLower(s)
	switch {
	case s == typed:
		return 0
	case strings.HasPrefix(s, typed):
		return 1
	case strings.Contains(s, typed):
		return 2
	}
	return 3
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
		whole = p.items[p.hits[p.at]].text
	}
	p.input.Offer(whole)
}

// run does what the cursor is on; a disabled thing stays and shows its reason.
func (p *palette) run(m *root) bool {
	if p.at >= len(p.hits) {
		return false
	}
	it := p.items[p.hits[p.at]]
	if it.whyNot != "" {
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

func (p *palette) draw(m *root, w, h int) (string, []string) {
	st := m.styles
	note := widget.Join(widget.Plain("  "), m.completes(&p.input))
	nw := min(note.Width(), w/2)
	lines := []string{" " + st.Key.Render(":") + p.input.Render(st, max(1, w-3-nw)) + note.Render(nw) + " "}
	rows := max(0, min(16, h-1))
	top := 0
	if p.at >= rows {
		top = p.at - rows + 1
	}
	for n := top; n < len(p.hits) && n < top+rows; n++ {
		lines = append(lines, p.items[p.hits[n]].line(m, w, n == p.at))
	}
	if len(p.hits) == 0 {
		lines = append(lines, widget.Styled(" nothing has these letters", st.Dim).Render(w))
	}
	for len(lines) < rows+1 {
		lines = append(lines, "")
	}
	return "command", lines
}

// line is a row of the palette: what, its key, and what it does or why not.
func (it *paletteItem) line(m *root, w int, at bool) string {
	st := m.styles
	name, note := st.Text, it.help
	if it.whyNot != "" {
		name, note = st.Dim, "not now: "+it.whyNot
	}
	l := widget.Line{{Text: widget.Truncate(it.text, 30), Style: name}}
	if n := 32 - l.Width(); n > 0 {
		l = l.Add(strings.Repeat(" ", n), st.Text)
	}
	l = l.Add(it.key, st.Key)
	if n := 40 - l.Width(); n > 0 {
		l = l.Add(strings.Repeat(" ", n), st.Text)
	}
	l = l.Add(" "+note, st.Dim)
	if at {
		return widget.Join(widget.Plain("▸ "), l).RenderAs(w, st.Selection)
	}
	return widget.Join(widget.Plain("  "), l).Render(w)
}
