package widget

import (
	"strings"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
)

// TextView shows long text, such as YAML or differences. It can search and wrap.
type TextView struct {
	Empty string

	lines        []Line
	plainLines   []string
	filter       LineFilter
	shownLines   []int
	find         LineFilter
	cursorAt     int // line of the cursor, an index into shownLines
	top          int
	skippedCells int
	wrap         bool
	height       int
	click        []int

	rows struct { // of the last frame
		version, w int
		wrap       bool
		of         []textRow
	}
	version int
}

type textRow struct {
	line         int // index into shownLines
	skippedCells int // cells skipped by wrapping
}

// SetLines replaces the text.
func (t *TextView) SetLines(lines []Line) {
	t.lines = lines
	t.plainLines = make([]string, len(lines))
	for i, l := range lines {
		t.plainLines[i] = l.String()
	}
	t.arrangeLines()
}

// AllText returns the text without styles.
func (t *TextView) AllText() string { return strings.Join(t.plainLines, "\n") + "\n" }

func (t *TextView) arrangeLines() {
	t.version++
	t.shownLines = t.shownLines[:0]
	for i, s := range t.plainLines {
		if t.filter.MatchesText(s) {
			t.shownLines = append(t.shownLines, i)
		}
	}
	t.cursorAt = min(max(0, t.cursorAt), max(0, len(t.shownLines)-1))
}

// SetFilter shows only lines that match.
func (t *TextView) SetFilter(f LineFilter) {
	if f.Text != t.filter.Text {
		t.filter = f
		t.arrangeLines()
	}
}

// CountLines returns the numbers of shown and of all lines.
func (t *TextView) CountLines() (shown, all int) { return len(t.shownLines), len(t.lines) }

// Do scrolls, searches and wraps.
func (t *TextView) Do(id action.ID) bool {
	if d := CursorStride(id, t.height); d != 0 {
		t.moveBy(d)
		return true
	}
	switch id {
	case action.Top:
		t.cursorAt, t.top = 0, 0
	case action.Bottom:
		t.cursorAt = max(0, len(t.shownLines)-1)
	case action.Left, action.Right:
		if !t.wrap {
			t.skippedCells = SidewaysOffset(id, t.skippedCells)
		}
	case action.Wrap:
		t.wrap = !t.wrap
		t.skippedCells = 0
	case action.FindNext:
		t.seekMatch(1)
	case action.FindPrev:
		t.seekMatch(-1)
	default:
		return false
	}
	return true
}

func (t *TextView) moveBy(d int) { t.cursorAt = min(max(0, t.cursorAt+d), max(0, len(t.shownLines)-1)) }

// Wheel scrolls.
func (t *TextView) Wheel(lines int) { t.moveBy(lines) }

// Click puts the cursor on the line at y.
func (t *TextView) Click(y int) bool {
	if y < 0 || y >= len(t.click) {
		return false
	}
	t.cursorAt = t.click[y]
	return true
}

// FindMatch highlights matches and goes to the next one; false if there is none.
func (t *TextView) FindMatch(f LineFilter) bool {
	t.find = f
	if f.IsEmpty() {
		return false
	}
	if t.cursorAt < len(t.shownLines) && f.MatchesText(t.plainLines[t.shownLines[t.cursorAt]]) {
		return true
	}
	return t.seekMatch(1)
}

// seekMatch goes to the next match in direction d, wrapping around.
func (t *TextView) seekMatch(d int) bool {
	n := len(t.shownLines)
	if t.find.IsEmpty() || n == 0 {
		return false
	}
	for i := 1; i <= n; i++ {
		if j := ((t.cursorAt+i*d)%n + n) % n; t.find.MatchesText(t.plainLines[t.shownLines[j]]) {
			t.cursorAt = j
			return true
		}
	}
	return false
}

// layRows breaks the shown lines into rows of at most w cells.
func (t *TextView) layRows(w int) []textRow {
	r := &t.rows
	if r.version == t.version && r.w == w && r.wrap == t.wrap && r.of != nil {
		return r.of
	}
	r.version, r.w, r.wrap = t.version, w, t.wrap
	r.of = r.of[:0]
	for i, n := range t.shownLines {
		r.of = append(r.of, textRow{i, 0})
		if !t.wrap {
			continue
		}
		for from, width := w, TextWidth(t.plainLines[n]); from < width; from += w {
			r.of = append(r.of, textRow{i, from})
		}
	}
	return r.of
}

// Render draws h lines of w cells.
func (t *TextView) Render(st *themes.StyleSet, w, h int) string {
	if w <= 0 || h <= 0 {
		return PadBlock(nil, h)
	}
	t.height = h
	in := max(1, w-2)
	rows := t.layRows(in)
	first, last := 0, 0 // rows of the cursor's line
	for i, r := range rows {
		if r.line == t.cursorAt {
			last = i
			if r.skippedCells == 0 {
				first = i
			}
		}
	}
	t.top = max(min(t.top, first, len(rows)-h), last-h+1, 0)
	if t.skippedCells > 0 {
		widest := 0
		for i := t.top; i < len(rows) && i < t.top+h; i++ {
			widest = max(widest, TextWidth(t.plainLines[t.shownLines[rows[i].line]]))
		}
		t.skippedCells = min(t.skippedCells, max(0, widest-in))
	}
	lines := make([]string, 0, h)
	t.click = t.click[:0]
	for i := t.top; i < len(rows) && len(lines) < h; i++ {
		r := rows[i]
		l := t.lines[t.shownLines[r.line]]
		if !t.find.IsEmpty() {
			l = HighlightMatches(l, t.find, st)
		}
		l = l.SkipCells(r.skippedCells + t.skippedCells)
		mark := PlainLine("  ")
		if r.line == t.cursorAt {
			mark = StyledLine(words.Cursor+" ", st.Key)
		}
		if t.wrap {
			lines = append(lines, mark.Render(min(2, w))+l.clipString(max(0, w-2)))
		} else {
			lines = append(lines, JoinLines(mark, l).Render(w))
		}
		t.click = append(t.click, r.line)
	}
	if len(lines) == 0 {
		text := t.Empty
		if len(t.lines) > 0 {
			text = "nothing matches the filter (esc clears it)"
		}
		lines = append(lines, StyledLine("  "+text, st.Dim).Render(w))
	}
	return PadBlock(lines, h)
}
