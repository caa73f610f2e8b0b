package ui

import (
	"strings"

	"rung/ui/action"
	"rung/ui/widget"
)

// help is every key that holds here, searchable; enter runs the line.
type help struct {
	input widget.Input
	page  *entry
	rows  []helpRow
	shown []int
	at    int
}

type helpRow struct {
	action action.Action
	head   string // a heading when set
	whyNot string
}

func newHelp(m *root) *help {
	hp := &help{page: m.top()}
	m.sync(hp.page)
	scope := action.Scope("")
	for _, a := range m.keys.In(hp.page.scopes()) {
		if len(a.Keys) == 0 {
			continue
		}
		if a.Scope != scope {
			scope = a.Scope
			hp.rows = append(hp.rows, helpRow{head: string(scope)})
		}
		hp.rows = append(hp.rows, helpRow{action: a, whyNot: m.whyNot(hp.page, &a)})
	}
	hp.find()
	return hp
}

func (hp *help) find() {
	hp.shown = hp.shown[:0]
	f := widget.ParseFilter(hp.input.Value())
	for i, r := range hp.rows {
		a := r.action
		switch {
		case r.head != "" && f.Empty():
		case r.head == "" && f.Match(strings.Join(a.Keys, " ")+" "+a.Title+" "+a.Help+" "+string(a.ID)):
		default:
			continue
		}
		hp.shown = append(hp.shown, i)
	}
	hp.at = -1
	hp.step(1)
}

func (hp *help) step(d int) {
	for i := hp.at + d; i >= 0 && i < len(hp.shown); i += d {
		if hp.rows[hp.shown[i]].head == "" {
			hp.at = i
			return
		}
	}
}

func (hp *help) key(m *root, key, text string) bool {
	switch key {
	case "esc":
		return true
	case "?":
		if hp.input.Value() == "" {
			return true
		}
		hp.input.Key(m.keys, key, text)
		hp.find()
	case "enter":
		if hp.at >= 0 && hp.at < len(hp.shown) {
			a := hp.rows[hp.shown[hp.at]].action
			m.pop(hp)
			m.act(&a)
		}
	case "down", "ctrl+n", "tab":
		hp.step(1)
	case "up", "ctrl+p", "shift+tab":
		hp.step(-1)
	case "pgdown":
		for range 10 {
			hp.step(1)
		}
	case "pgup":
		for range 10 {
			hp.step(-1)
		}
	default:
		was := hp.input.Value()
		hp.input.Key(m.keys, key, text)
		if hp.input.Value() != was {
			hp.find()
		}
	}
	return false
}

func (hp *help) paste(_ *root, text string) {
	hp.input.Insert(text)
	hp.find()
}

func (hp *help) width() int { return 92 }

func (hp *help) cursor() (x, line int, ok bool) {
	return len(searchFor) + hp.input.Cursor(), 0, hp.input.Cursor() >= 0
}

// searchFor stands before the line being typed.
const searchFor = " search "

func (hp *help) draw(m *root, w, h int) (string, []string) {
	st := m.styles
	rows := max(0, h-1)
	lines := []string{st.Dim.Render(searchFor) + hp.input.Render(st, max(1, w-9)) + " "}
	top := 0
	if hp.at >= rows {
		top = hp.at - rows + 1
	}
	for n := top; n < len(hp.shown) && n < top+rows; n++ {
		r := hp.rows[hp.shown[n]]
		if r.head != "" {
			lines = append(lines, widget.Styled(" "+r.head, st.Title).Render(w))
			continue
		}
		keys := make([]string, len(r.action.Keys))
		for i, k := range r.action.Keys {
			keys[i] = r.action.Label(k)
		}
		l := widget.Line{{Text: widget.Truncate(strings.Join(keys, " "), 17), Style: st.Key}}
		if pad := 18 - l.Width(); pad > 0 {
			l = l.Add(strings.Repeat(" ", pad), st.Text)
		}
		l = l.Add(r.action.Help, st.Text)
		if r.whyNot != "" {
			l = l.Add("  not now: "+r.whyNot, st.Dim)
		}
		if n == hp.at {
			lines = append(lines, widget.Join(widget.Plain(" ▸ "), l).RenderAs(w, st.Selection))
		} else {
			lines = append(lines, widget.Join(widget.Plain("   "), l).Render(w))
		}
	}
	if len(hp.shown) == 0 {
		lines = append(lines, widget.Styled("   no key does this here", st.Dim).Render(w))
	}
	return "keys on this page (⏎ runs, esc leaves)", lines
}
