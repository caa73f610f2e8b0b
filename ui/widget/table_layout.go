package widget

import (
	"strings"
)

// layout chooses the columns that fit, their widths, and the space between
// them: two cells, or one where room is short.
func (t *Table[T]) layout(w, rows int) (cols, widths []int, apart int) {
	natural := t.natural(rows)
	room := w - gutter
	for i, c := range t.Columns {
		if !c.Wide || t.Wide {
			cols = append(cols, i)
		}
	}
	apart = 2
	full := func(i int) int { return natural[i] }
	if t.Wide || t.left > 0 || t.sum(cols, apart, full) <= room {
		return cols, t.widthsOf(cols, full, room-t.sum(cols, apart, full)), apart
	}
	apart = 1
	least := func(i int) int {
		if c := t.Columns[i]; c.Min > 0 {
			return min(c.Min, natural[i])
		}
		return natural[i]
	}
	for len(cols) > 1 && t.sum(cols, apart, least) > room {
		worst := -1
		for n, i := range cols {
			if d := t.Columns[i].Drop; d > 0 && (worst < 0 || d >= t.Columns[cols[worst]].Drop) {
				worst = n
			}
		}
		if worst < 0 {
			break
		}
		cols = append(cols[:worst:worst], cols[worst+1:]...)
	}
	widths = t.widthsOf(cols, full, 0)
	t.shrink(cols, widths, t.sum(cols, apart, full)-room, least)
	if left := room - t.sum(cols, apart, full); left > 0 {
		widths = t.widthsOf(cols, full, left)
	}
	return cols, widths, apart
}

// widest is the width of the widest row in sight: how far one can scroll
// sideways.
func (t *Table[T]) widest(cols, widths []int, apart, rows int) int {
	n := t.sum(cols, apart, func(int) int { return 0 })
	for _, w := range widths {
		n += w
	}
	for i := t.top; i < len(t.shown) && i < t.top+rows; i++ {
		if l := t.full(t.items[t.shown[i]]); l != nil {
			n = max(n, l.Width())
		}
	}
	return n
}

// sum is the width of a row.
func (t *Table[T]) sum(cols []int, apart int, width func(int) int) int {
	n := apart * max(0, len(cols)-1)
	for _, i := range cols {
		n += width(i)
	}
	return n
}

// widthsOf are the widths of the columns; the first flexible one takes what is
// left.
func (t *Table[T]) widthsOf(cols []int, width func(int) int, left int) []int {
	widths := make([]int, len(cols))
	for n, i := range cols {
		widths[n] = width(i)
		if t.Columns[i].Flex && left > 0 {
			widths[n] += left
			left = 0
		}
	}
	return widths
}

// soft is how far a flexible column is shrunk before the others.
const soft = 16

// shrink takes cells away: from the flexible columns what is above soft, then
// always from the widest that can give, at last from the flexible ones again.
func (t *Table[T]) shrink(cols, widths []int, over int, least func(int) int) {
	flex := func(keep int) {
		for n, i := range cols {
			if d := min(over, widths[n]-max(keep, least(i))); t.Columns[i].Flex && d > 0 {
				widths[n] -= d
				over -= d
			}
		}
	}
	flex(soft)
	defer func() { flex(0) }()
	for ; over > 0; over-- {
		big := -1
		for n, i := range cols {
			if !t.Columns[i].Flex && widths[n] > least(i) && (big < 0 || widths[n] > widths[big]) {
				big = n
			}
		}
		if big < 0 {
			return
		}
		widths[big]--
	}
}

// AllText is every shown row at full width, as plain text.
func (t *Table[T]) AllText() string {
	wide := t.Wide
	t.Wide = true
	t.widths.natural = nil
	cols, widths, apart := t.layout(1, len(t.shown))
	t.Wide = wide
	t.widths.natural = nil
	var b strings.Builder
	add := func(l Line) { b.WriteString(strings.TrimRight(l.String(), " ") + "\n") }
	if !t.NoHeader {
		var head Line
		for n, i := range cols {
			head = appendCell(head, Plain(t.Columns[i].Title), widths[n], apart, t.Columns[i].Right, n == len(cols)-1)
		}
		add(head)
	}
	for _, i := range t.shown {
		l := t.full(t.items[i])
		if l == nil {
			l = t.row(t.items[i], cols, widths, apart)
		}
		add(l)
	}
	return b.String()
}

// natural measures the columns: the title and the cells, within Max.
func (t *Table[T]) natural(rows int) []int {
	sampled := len(t.items) > measure
	if t.widths.version == t.version && t.widths.wide == t.Wide && len(t.widths.natural) == len(t.Columns) && !sampled {
		return t.widths.natural
	}
	if len(t.widths.natural) != len(t.Columns) || !sampled {
		// A sampled width only grows, so that columns do not dance while one
		// scrolls.
		t.widths.natural = make([]int, len(t.Columns))
		for i, c := range t.Columns {
			t.widths.natural[i] = Width(c.Title) + 2*b2i(i == t.sort)
		}
	}
	from, to := 0, len(t.shown)
	if sampled {
		from, to = t.top, min(t.top+rows, len(t.shown))
	}
	for i, c := range t.Columns {
		n := t.widths.natural[i]
		for _, j := range t.shown[from:to] {
			if t.full(t.items[j]) == nil {
				n = max(n, c.Cell(t.items[j]).Width())
			}
		}
		if c.Max > 0 && !t.Wide {
			n = min(n, max(c.Max, c.Min))
		}
		t.widths.natural[i] = n
	}
	t.widths.version, t.widths.wide = t.version, t.Wide
	return t.widths.natural
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
