package widget

import (
	"slices"
	"strings"
)

// leastName is the least width of a cut name in a column without Min.
const leastName = 12

// chooseLayout chooses the columns that fit, their widths, and the space between them: two cells, or one if
// room is short. The result is cached by its inputs.
func (t *Table[T]) chooseLayout(w, rows int) tableLayout {
	key := t.layoutKey(w)
	if len(t.items) > measure {
		key.rows, key.top = rows, t.top
	}
	if t.plan.layout.widths == nil || t.plan.key != key {
		t.plan = layoutMemo{key, t.layColumns(w, rows)}
	}
	return t.plan.layout
}

func (t *Table[T]) layoutKey(w int) layoutKey {
	return layoutKey{version: t.version, w: w, columns: len(t.Columns), sort: t.sort, wide: t.Wide, aside: t.skippedCells > 0}
}

func (t *Table[T]) layColumns(w, rows int) tableLayout {
	natural := t.naturalWidths(rows)
	room := w - gutter
	var out tableLayout
	for i, c := range t.Columns {
		if i == t.sort || c.From <= w && (!c.Wide || t.Wide) && t.widths.holds[i] != noValues && (!c.Sparse || t.widths.holds[i] == values) {
			out.cols = append(out.cols, i)
		}
	}
	full := func(i int) int { return natural[i] }
	out.columnGap = 2
	if t.Wide || t.skippedCells > 0 || sumWidths(out.cols, 2, full) <= room {
		out.widths = columnWidths(t.Columns, out.cols, full, room-sumWidths(out.cols, 2, full))
		t.holdColumns(&out, room)
		out.cut = sumWidths(out.cols, 2, full) > room
		return out
	}
	out.columnGap, out.cut = 1, true
	least := func(i int) int {
		c := &t.Columns[i]
		switch {
		case c.Name:
			return natural[i]
		case i == t.sort && (c.Min > 0 || c.Drop > 0):
			return min(max(c.Min, t.titleWidth(i)), natural[i])
		case c.Min > 0:
			return min(c.Min, natural[i])
		}
		return natural[i]
	}
	dropped := t.dropColumns(&out, room, least, func(c *TableColumn[T]) bool { return c.Short == 0 })
	if sumWidths(out.cols, 1, least) > room {
		t.cutNames(&out, room, natural, least)
		t.holdColumns(&out, room)
		return out
	}
	// Columns dropped before a wider one return if they fit beside the rest.
	for _, back := range slices.Backward(dropped) {
		if all := slices.Sorted(slices.Values(slices.Concat(out.cols, back))); sumWidths(all, 1, least) <= room {
			out.cols = all
		}
	}
	out.widths = columnWidths(t.Columns, out.cols, full, 0)
	shrinkColumns(t.Columns, out.cols, out.widths, sumWidths(out.cols, 1, full)-room, least)
	if left := room - sumWidths(out.cols, 1, full); left > 0 {
		out.widths = columnWidths(t.Columns, out.cols, full, left)
	}
	t.holdColumns(&out, room)
	return out
}

// titleWidth returns the width of a column's title, with the arrow if the rows are sorted by it.
func (t *Table[T]) titleWidth(i int) int { return TextWidth(t.Columns[i].Title) + 2*b2i(i == t.sort) }

// dropRank orders columns for dropping: columns with only "–" go first. The sort column stays, since it
// explains the order.
func (t *Table[T]) dropRank(i int) int {
	if i == t.sort {
		return 0
	}
	if d := t.Columns[i].Drop; d == 0 || t.widths.holds[i] == values {
		return d
	}
	return 1000 + t.Columns[i].Drop
}

// dropColumns drops columns until the others fit, the least important first; only selects the candidates.
// Columns of equal rank go together.
func (t *Table[T]) dropColumns(out *tableLayout, room int, least func(int) int, only func(*TableColumn[T]) bool) (dropped [][]int) {
	for sumWidths(out.cols, 1, least) > room {
		worst := 0
		for _, i := range out.cols {
			if i != t.sort && only(&t.Columns[i]) {
				worst = max(worst, t.dropRank(i))
			}
		}
		if worst == 0 {
			break
		}
		var keep, gone []int
		for _, i := range out.cols {
			if i != t.sort && t.dropRank(i) == worst && only(&t.Columns[i]) {
				gone = append(gone, i)
			} else {
				keep = append(keep, i)
			}
		}
		if len(keep) == 0 {
			break
		}
		out.cols = keep
		dropped = append(dropped, gone)
	}
	return dropped
}

// cutNames makes the layout if no column can be dropped for the names: columns with a short form shrink to it,
// then names share the rest. If that is too little, the other columns are dropped after all.
func (t *Table[T]) cutNames(out *tableLayout, room int, natural []int, least func(int) int) {
	short := func(i int) int {
		if c := &t.Columns[i]; c.Short > 0 && i != t.sort {
			return min(c.Short, natural[i])
		}
		return least(i)
	}
	shortest := func(i int) int {
		c := &t.Columns[i]
		switch {
		case !c.Name:
			return short(i)
		case c.Min > 0:
			return min(c.Min, natural[i])
		}
		return min(leastName, natural[i])
	}
	t.dropColumns(out, room, shortest, func(*TableColumn[T]) bool { return true })
	full := func(i int) int { return natural[i] }
	out.widths = columnWidths(t.Columns, out.cols, full, 0)
	over := sumWidths(out.cols, 1, full) - room
	byWorth := make([]int, len(out.cols))
	for n := range byWorth {
		byWorth[n] = n
	}
	slices.SortStableFunc(byWorth, func(a, b int) int { return t.dropRank(out.cols[b]) - t.dropRank(out.cols[a]) })
	for _, n := range byWorth {
		if i := out.cols[n]; !t.Columns[i].Name {
			d := max(0, min(over, out.widths[n]-short(i)))
			out.widths[n], over = out.widths[n]-d, over-d
		}
	}
	shrinkColumns(t.Columns, out.cols, out.widths, over, shortest)
}

// holdColumns sets how many columns stay when scrolling sideways: those up to the first name, which then
// shrinks.
func (t *Table[T]) holdColumns(out *tableLayout, room int) {
	before := 0
	for n, i := range out.cols {
		if t.Columns[i].Name {
			out.held = n + 1
			if t.skippedCells > 0 {
				out.widths[n] = min(out.widths[n], max(leastName, room*2/3-before))
			}
			return
		}
		before += out.widths[n] + out.columnGap
	}
}

// widestRow returns the width of the widest visible row: the limit of scrolling sideways.
func (t *Table[T]) widestRow(lay tableLayout, rows int) int {
	n := sumWidths(lay.cols, lay.columnGap, func(int) int { return 0 })
	for _, w := range lay.widths {
		n += w
	}
	for i := t.top; i < len(t.shownItems) && i < t.top+rows; i++ {
		if l := t.fullLine(t.items[t.shownItems[i]]); l != nil && !isFixedLine(t, t.items[t.shownItems[i]]) {
			n = max(n, l.LineWidth())
		}
	}
	return n
}

// isFixedLine reports whether a line without columns does not scroll sideways, such as headings of a table.
func isFixedLine[T any](t *Table[T], it T) bool { return len(t.Columns) > 0 && t.isFixed(it) }

// sumWidths returns the width of a row.
func sumWidths(cols []int, apart int, width func(int) int) int {
	n := apart * max(0, len(cols)-1)
	for _, i := range cols {
		n += width(i)
	}
	return n
}

// columnWidths returns the widths of the columns; the first flexible one gets the rest.
func columnWidths[T any](columns []TableColumn[T], cols []int, width func(int) int, left int) []int {
	widths := make([]int, len(cols))
	for n, i := range cols {
		widths[n] = width(i)
		if columns[i].Flex && left > 0 {
			widths[n] += left
			left = 0
		}
	}
	return widths
}

// soft is the width to which flexible columns shrink before others do.
const soft = 16

// shrinkColumns takes cells away: from flexible columns down to soft, then from the widest other column that
// can shrink, last from flexible ones again.
func shrinkColumns[T any](columns []TableColumn[T], cols, widths []int, over int, least func(int) int) {
	flex := func(keep int) {
		for n, i := range cols {
			if d := min(over, widths[n]-max(keep, least(i))); columns[i].Flex && d > 0 {
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
			if !columns[i].Flex && widths[n] > least(i) && (big < 0 || widths[n] > widths[big]) {
				big = n
			}
		}
		if big < 0 {
			return
		}
		widths[big]--
	}
}

// AllText returns every shown row at full width, as plain text.
func (t *Table[T]) AllText() string {
	wide, left := t.Wide, t.skippedCells
	t.Wide, t.skippedCells = true, 0
	t.widths.natural, t.plan = nil, layoutMemo{}
	lay := t.chooseLayout(1, len(t.shownItems))
	t.Wide, t.skippedCells = wide, left
	t.widths.natural, t.plan = nil, layoutMemo{}
	var b strings.Builder
	add := func(l Line) { b.WriteString(strings.TrimRight(l.String(), " ") + "\n") }
	if !t.NoHeader {
		var head Line
		for n, i := range lay.cols {
			head = appendCell(head, PlainLine(t.Columns[i].Title), lay.widths[n], lay.columnGap, t.Columns[i].Right, n == len(lay.cols)-1)
		}
		add(head)
	}
	for _, i := range t.shownItems {
		l := t.fullLine(t.items[i])
		if l == nil {
			l = t.addCells(nil, t.items[i], lay, 0, len(lay.cols))
		}
		add(l)
	}
	return b.String()
}

// naturalWidths measures titles and cells of the columns, within Max.
func (t *Table[T]) naturalWidths(rows int) []int {
	sampled := len(t.items) > measure
	if t.widths.version == t.version && t.widths.wide == t.Wide && len(t.widths.natural) == len(t.Columns) && !sampled {
		return t.widths.natural
	}
	if len(t.widths.natural) != len(t.Columns) || !sampled {
		// A sampled width only grows, so that columns do not jump while scrolling.
		t.widths.natural = make([]int, len(t.Columns))
		for i := range t.Columns {
			t.widths.natural[i] = t.titleWidth(i)
		}
	}
	from, to := 0, len(t.shownItems)
	if sampled {
		from, to = t.top, min(t.top+rows, len(t.shownItems))
	}
	t.widths.holds = make([]columnValue, len(t.Columns))
	cells := false
	for i, c := range t.Columns {
		if c.Wide && !t.Wide && i != t.sort {
			continue // not drawn
		}
		n, holds := t.widths.natural[i], noValues
		for _, j := range t.shownItems[from:to] {
			if t.fullLine(t.items[j]) != nil {
				continue
			}
			cells = true
			l := c.Cell(t.items[j])
			w := l.LineWidth()
			if holds < values && w > 0 {
				holds = max(holds, classifyCell(l))
			}
			n = max(n, w)
		}
		if c.Max > 0 && !c.Name && !t.Wide {
			n = min(n, max(c.Max, c.Min, t.titleWidth(i)))
		}
		t.widths.natural[i], t.widths.holds[i] = n, holds
	}
	if sampled || !cells {
		// The values of invisible rows are unknown; a table without rows shows every column that could hold a
		// value.
		for i := range t.widths.holds {
			if sampled || !t.Columns[i].Sparse {
				t.widths.holds[i] = values
			}
		}
	}
	t.widths.version, t.widths.wide = t.version, t.Wide
	return t.widths.natural
}

// classifyCell classifies a non-empty cell.
func classifyCell(l Line) columnValue {
	if l.String() == "–" {
		return dashes
	}
	return values
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
