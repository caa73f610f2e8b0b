package ui

import (
	"strings"

	"rung/engine/trace"
	"rung/ui/nav"
	"rung/ui/view"
)

// traceWord begins a question typed into the palette: "trace blue/api-0 web-0 80".
const traceWord = "trace "

// trace is the item for a question that is typed out: its ends are completed to those that
// there are, and what is missing is asked for. ok is false where none is typed.
func (p *palette) trace(typed string) (it paletteItem, ok bool) {
	text, ok := strings.CutPrefix(typed, traceWord)
	if !ok || strings.TrimSpace(text) == "" {
		return it, false
	}
	q, err := trace.Parse(text)
	if err != nil {
		return paletteItem{text: strings.TrimSpace(typed), whyNot: err.Error()}, true
	}
	if p.ends == nil {
		p.ends = trace.Choices(p.rev)
	}
	q = trace.Complete(p.ends, q)
	it = paletteItem{text: traceWord + q.String(), help: "whether it is let through, and who decides",
		do: func(m *root) { m.open(nav.ToTrace(q.String()), false) }}
	if q.Check() != "" {
		it.help = "asks for what is missing: " + q.Check()
		it.do = func(m *root) {
			e := m.top()
			env := m.sync(e)
			view.AskTrace(env, q)
			m.asks(e, env)
		}
	}
	return it, true
}
