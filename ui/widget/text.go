package widget

import (
	"strings"

	"rung/themes"
	"rung/ui/action"
)

// Text shows long text: YAML with colours, differences, anything. It has a
// search and can wrap.
type Text struct {
	Empty string

	lines  []Line
	plain  []string
	filter Filter
	shown  []int
	find   Filter
	at     int // line of the cursor, index into shown
	top    int
	left   int
	wrap   bool
	height int
	click  []int

	rows struct { // of the last frame
		version, w int
		wrap       bool
		of         []textRow
	}
	version int
}

type textRow struct {
	line int // index into shown
	from int // cells skipped by wrapping
}

// SetLines replaces the text.
func (t *Text) SetLines(lines []Line) {
	t.lines = lines
	t.plain = make([]string, len(lines))
	for i, l := range lines {
		t.plain[i] = l.String()
	}
	t.arrange()
}

// Lines is how many lines there are.
func (t *Text) Lines() int { return len(t.lines) }

// AllText is the text without looks.
func (t *Text) AllText() string { return strings.Join(t.plain, "\n") + "\n" }

func (t *Text) arrange() {
	t.version++
	t.shown = t.shown[:0]
	for i, s := range t.plain {
		if t.filter.Match(s) {
			t.shown = append(t.shown, i)
		}
	}
	t.at = min(max(0, t.at), max(0, len(t.shown)-1))
}

// SetFilter shows only lines that match.
func (t *Text) SetFilter(f Filter) {
	if f.Text != t.filter.Text {
		t.filter = f
		t.arrange()
	}
}

// CountLines are the lines shown and all.
func (t *Text) CountLines() (shown, all int) { return len(t.shown), len(t.lines) }

// At is the number of the line under the cursor from 0, -1 for none; Go puts
// the cursor on a line.
func (t *Text) At() int {
	if t.at >= len(t.shown) {
		return -1
	}
	return t.shown[t.at]
}

// Go puts the cursor on a line, counted from 0.
func (t *Text) Go(line int) {
	for i, n := range t.shown {
		if n >= line {
			t.at = i
			return
		}
	}
	t.at = max(0, len(t.shown)-1)
}

// Do scrolls, searches and wraps.
func (t *Text) Do(id action.ID) bool {
	if d := Stride(id, t.height); d != 0 {
		t.move(d)
		return true
	}
	switch id {
	case action.Top:
		t.at, t.top = 0, 0
	case action.Bottom:
		t.at = max(0, len(t.shown)-1)
	case action.Left, action.Right:
		if !t.wrap {
			t.left = Aside(id, t.left)
		}
	case action.Wrap:
		t.wrap = !t.wrap
		t.left = 0
	case action.FindNext:
		t.seek(1)
	case action.FindPrev:
		t.seek(-1)
	default:
		return false
	}
	return true
}

func (t *Text) move(d int) { t.at = min(max(0, t.at+d), max(0, len(t.shown)-1)) }

// Wheel scrolls.
func (t *Text) Wheel(lines int) { t.move(lines) }

// Click puts the cursor on the line at y.
func (t *Text) Click(y int) bool {
	if y < 0 || y >= len(t.click) {
		return false
	}
	t.at = t.click[y]
	return true
}

// Find marks what matches and goes to the next match; false when there is none.
func (t *Text) Find(f Filter) bool {
	t.find = f
	if f.Empty() {
		return false
	}
	if t.at < len(t.shown) && f.Match(t.plain[t.shown[t.at]]) {
		return true
	}
	return t.seek(1)
}

// seek goes to the next match, round the end.
func (t *Text) seek(d int) bool {
	n := len(t.shown)
	if t.find.Empty() || n == 0 {
		return false
	}
	for i := 1; i <= n; i++ {
		if j := ((t.at+i*d)%n + n) % n; t.find.Match(t.plain[t.shown[j]]) {
			t.at = j
			return true
		}
	}
	return false
}

// layout breaks the shown lines into rows of at most w cells.
func (t *Text) layout(w int) []textRow {
	r := &t.rows
	if r.version == t.version && r.w == w && r.wrap == t.wrap && r.of != nil {
		return r.of
	}
	r.version, r.w, r.wrap = t.version, w, t.wrap
	r.of = r.of[:0]
	for i, n := range t.shown {
		r.of = append(r.of, textRow{i, 0})
		if !t.wrap {
			continue
		}
		for from, width := w, Width(t.plain[n]); from < width; from += w {
			r.of = append(r.of, textRow{i, from})
		}
	}
	return r.of
}

// Render draws h lines of w cells.
func (t *Text) Render(st *themes.StyleSet, w, h int) string {
	if w <= 0 || h <= 0 {
		return Pad(nil, h)
	}
	t.height = h
	in := max(1, w-2)
	rows := t.layout(in)
	first, last := 0, 0 // rows of the cursor's line
	for i, r := range rows {
		if r.line == t.at {
			last = i
			if r.from == 0 {
				first = i
			}
		}
	}
	t.top = max(min(t.top, first, len(rows)-h), last-h+1, 0)
	if t.left > 0 {
		widest := 0
		for i := t.top; i < len(rows) && i < t.top+h; i++ {
			widest = max(widest, Width(t.plain[t.shown[rows[i].line]]))
		}
		t.left = min(t.left, max(0, widest-in))
	}
	lines := make([]string, 0, h)
	t.click = t.click[:0]
	for i := t.top; i < len(rows) && len(lines) < h; i++ {
		r := rows[i]
		l := t.lines[t.shown[r.line]]
		if !t.find.Empty() {
			l = Highlight(l, t.find, st)
		}
		l = l.Skip(r.from + t.left)
		mark := Plain("  ")
		if r.line == t.at {
			mark = Styled("▸ ", st.Key)
		}
		if t.wrap {
			lines = append(lines, mark.Render(min(2, w))+l.clip(max(0, w-2)))
		} else {
			lines = append(lines, Join(mark, l).Render(w))
		}
		t.click = append(t.click, r.line)
	}
	if len(lines) == 0 {
		text := t.Empty
		if len(t.lines) > 0 {
			text = "nothing matches the filter (esc clears it)"
		}
		lines = append(lines, Styled("  "+text, st.Dim).Render(w))
	}
	return Pad(lines, h)
}
