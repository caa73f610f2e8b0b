package ui

import (
	"strings"

	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// filterKey edits the filter line; lists still move under it.
func (m *root) filterKey(key, text string) {
	e := m.top()
	switch key {
	case "enter":
		m.filtering = false
		return
	case "esc":
		m.filtering = false
		m.filter.Set("")
	case "up", "down", "pgup", "pgdown":
		if a := m.keys.Lookup([]action.Scope{action.List}, key); a != nil {
			env := m.sync(e)
			e.view.Do(env, a.ID)
			m.asks(e, env)
		}
		return
	default:
		m.filter.Key(m.keys, key, text)
	}
	m.setFilter(e, m.filter.Value())
	m.offer()
}

// offer suggests how the word being typed into the filter goes on.
func (m *root) offer() {
	value, whole := m.filter.Value(), ""
	begin := widget.LastWord(value)
	if x, ok := m.top().view.(view.Expression); ok {
		whole = x.CompleteFilter(value)
	} else if c, ok := m.top().view.(view.Completer); ok && begin != "" && !strings.HasPrefix(strings.TrimPrefix(value, "!"), "-f") {
		if word := c.Complete(begin); strings.HasPrefix(word, begin) {
			whole = strings.TrimSuffix(value, begin) + word
		}
	}
	m.filter.Offer(whole)
}

// filterHints are what can be done while a filter is typed, the first the last to go.
func (m *root) filterHints() []piece {
	var hints []piece
	if l := m.completes(&m.filter); l != nil {
		hints = append(hints, piece{line: l})
	}
	can := []string{"!inverse", "-f fuzzy"}
	if x, ok := m.top().view.(view.Expression); ok {
		can = x.FilterHints()
	}
	for i, text := range append([]string{m.keys.Action(action.Open).Label("enter") + " keep", "esc clear"}, can...) {
		hints = append(hints, piece{widget.Styled(text, m.styles.Dim), i + 1})
	}
	return hints
}

// completes says which key takes the suggestion of a line, where it has one.
func (m *root) completes(in *widget.Input) widget.Line {
	key := m.keys.Action(action.InputComplete).Shown()
	if key == "" || in.Suggested() == "" {
		return nil
	}
	return widget.Styled(key+" completes", m.styles.Dim)
}

// filterWrong says what is wrong with the filter that is typed, nil when nothing is; what
// is only not typed to its end is said softly.
func (m *root) filterWrong() widget.Line {
	st := m.styles
	if x, ok := m.top().view.(view.Expression); ok {
		wrong, unfinished := x.JudgeFilter(m.filter.Value())
		switch {
		case wrong == "":
			return nil
		case unfinished:
			return widget.Styled("  "+widget.Clean(wrong), st.Dim)
		}
		return widget.Styled("  ● "+widget.Clean(wrong), st.Error)
	}
	if f := widget.ParseFilter(m.filter.Value()); f.Err != "" {
		return widget.Styled("  ● "+f.Err+", taken literally", st.Error)
	}
	return nil
}
