package widget

import (
	"fmt"
	"testing"
	"time"

	btable "charm.land/bubbles/v2/table"
	"charm.land/bubbles/v2/viewport"

	"rung/ui/action"
)

// These compare Rung's own table and text with those of bubbles, in one run, on lists of
// the ladder's size: docs/architecture.md has what they said, and why both are Rung's.
//
//	go test ./ui/widget -run '^$' -bench AgainstBubbles

const (
	manyLines           = 2000
	wideCells, highRows = 200, 60
)

// against runs both ways in turn and reports what each takes and the ratio.
func against(b *testing.B, own, bubbles func()) {
	b.Helper()
	var took [2]time.Duration
	n := 0
	for b.Loop() {
		for i, f := range []func(){own, bubbles} {
			began := time.Now()
			f()
			took[i] += time.Since(began)
		}
		n++
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(n), "own-ns/op")
	b.ReportMetric(float64(took[1].Nanoseconds())/float64(n), "bubbles-ns/op")
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
}

// row is a line of the ladder: what its columns have.
var ladderColumns = []struct {
	title string
	w     int
}{{"PRIO", 5}, {"POLICY", 34}, {"SUBJECT", 40}, {"INGRESS", 10}, {"EGRESS", 10}, {"PODS", 6}, {"ACLS", 6}, {"ZONES", 7}, {"LOG", 8}, {"STATE", 50}}

func ladderCells(n int) []string {
	return []string{fmt.Sprint(n % 100), fmt.Sprintf("policy-%d", n), fmt.Sprintf("ns: team in (blue,green,%d)", n%7), "3A 1P 1D", "4A 1D",
		fmt.Sprint(n * 3 % 997), fmt.Sprint(n % 41), "3/3", "alert", "in sync"}
}

func ownTable() *Table[int] {
	cells := make([][]string, manyLines)
	items := make([]int, manyLines)
	for i := range cells {
		cells[i], items[i] = ladderCells(i), i
	}
	t := &Table[int]{ID: func(n int) string { return cells[n][1] }}
	for c, col := range ladderColumns {
		look := st.Text
		if c == 1 {
			look = st.Accent
		} else if c == 9 {
			look = st.OK
		}
		t.Columns = append(t.Columns, TableColumn[int]{Title: col.title, Min: col.w / 2, Max: col.w, Drop: c, Flex: c == 9,
			Cell: func(n int) Line { return StyledLine(cells[n][c], look) }})
	}
	t.SetItems(items)
	return t
}

func bubblesTable() *btable.Model {
	var cols []btable.Column
	for _, c := range ladderColumns {
		cols = append(cols, btable.Column{Title: c.title, Width: c.w})
	}
	t := btable.New(btable.WithColumns(cols), btable.WithRows(bubblesRows()), btable.WithFocused(true), btable.WithWidth(wideCells), btable.WithHeight(highRows))
	return &t
}

func bubblesRows() []btable.Row {
	rows := make([]btable.Row, manyLines)
	for i := range rows {
		rows[i] = ladderCells(i)
	}
	return rows
}

// A key that goes a line down, to the drawn table.
func BenchmarkAgainstBubblesTableKey(b *testing.B) {
	own, theirs := ownTable(), bubblesTable()
	own.Do(action.HalfDown)
	own.Render(st, wideCells, highRows)
	n := 0
	against(b, func() {
		n++
		if n%1000 < 500 {
			own.Do(action.Down)
		} else {
			own.Do(action.Up)
		}
		own.Render(st, wideCells, highRows)
	}, func() {
		if n%1000 < 500 {
			theirs.MoveDown(1)
		} else {
			theirs.MoveUp(1)
		}
		theirs.View()
	})
}

// New rows, to the drawn table: a revision.
func BenchmarkAgainstBubblesTableRows(b *testing.B) {
	own, theirs := ownTable(), bubblesTable()
	items, rows := own.AllItems(), bubblesRows()
	against(b, func() {
		own.SetItems(items)
		own.Render(st, wideCells, highRows)
	}, func() {
		theirs.SetRows(rows)
		theirs.View()
	})
}

func longText() (lines []Line, plain []string) {
	for i := range manyLines {
		l := Line{{fmt.Sprintf("03:31:%02d.%03d ", i/40%60, i%1000), st.Dim}, {"ovn-worker ", st.Text}, {"blue/web-0 > red/db-1 ", st.Accent},
			{"TCP 5432 ", st.Text}, {"dropped", st.Deny}, {fmt.Sprintf(" by multi-tenant-isolation egress %d", i%20), st.Text}}
		lines = append(lines, l)
		plain = append(plain, l.Render(l.LineWidth())) // with its looks: what a viewport is given
	}
	return lines, plain
}

// A key that goes a line down, to the drawn text.
func BenchmarkAgainstBubblesViewportKey(b *testing.B) { benchmarkTextKey(b, wideCells, false) }

// The same with long lines wrapped.
func BenchmarkAgainstBubblesViewportWrapped(b *testing.B) { benchmarkTextKey(b, wideCells/4, true) }

func benchmarkTextKey(b *testing.B, w int, wrap bool) {
	lines, plain := longText()
	own := &TextView{}
	own.SetLines(lines)
	theirs := viewport.New(viewport.WithWidth(w), viewport.WithHeight(highRows))
	theirs.SoftWrap = wrap
	theirs.SetContentLines(plain)
	if wrap {
		own.Do(action.Wrap)
	}
	n := 0
	against(b, func() {
		n++
		if n%1000 < 500 {
			own.Do(action.Down)
		} else {
			own.Do(action.Up)
		}
		own.Render(st, w, highRows)
	}, func() {
		if n%1000 < 500 {
			theirs.ScrollDown(1)
		} else {
			theirs.ScrollUp(1)
		}
		theirs.View()
	})
}

// One line more at the end, followed: a log.
func BenchmarkAgainstBubblesViewportFollow(b *testing.B) {
	lines, plain := longText()
	own := &TextView{}
	theirs := viewport.New(viewport.WithWidth(wideCells), viewport.WithHeight(highRows))
	n := 0
	against(b, func() {
		n = n%manyLines + 1
		own.SetLines(lines[:n])
		own.Do(action.Bottom)
		own.Render(st, wideCells, highRows)
	}, func() {
		theirs.SetContentLines(plain[:n])
		theirs.GotoBottom()
		theirs.View()
	})
}
