package widget

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rung/ui/action"
)

// wide is a row of a table with a name, a state, notes and columns of lesser worth.
type wide struct{ name, state, note, more, rest string }

func wideTable() *Table[wide] {
	cell := func(f func(wide) string) func(wide) Line { return func(r wide) Line { return PlainLine(f(r)) } }
	t := &Table[wide]{ID: func(r wide) string { return r.name }}
	t.Columns = []TableColumn[wide]{
		{Title: "NAME", Name: true, Min: 10, Cell: cell(func(r wide) string { return r.name })},
		{Title: "MORE", Drop: 4, Min: 6, Cell: cell(func(r wide) string { return r.more })},
		{Title: "REST", Drop: 5, Cell: cell(func(r wide) string { return r.rest })},
		{Title: "STATE", Drop: 1, Min: 7, Short: 1, Cell: cell(func(r wide) string { return r.state })},
		{Title: "NOTE", Drop: 2, Min: 8, Short: 2, Flex: true, Cell: cell(func(r wide) string { return r.note })},
	}
	return t
}

func header(frame string) string {
	head, _, _ := strings.Cut(ansi.Strip(frame), "\n")
	return strings.Join(strings.Fields(head), " ")
}

// At any width a name is whole, or nothing is left that could give way for it: columns
// that may go are gone, the others are as narrow as they can be.
func TestNamesAreCutLast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	text := func(most int) string { return strings.Repeat("abcdefghij-", 9)[:r.IntN(most)] }
	cutOnce := false
	for range 3000 {
		tb := wideTable()
		var rows []wide
		for i := range 1 + r.IntN(5) {
			rows = append(rows, wide{fmt.Sprint(i, text(60), "."), text(20), text(50), text(30), text(12)})
		}
		tb.SetItems(rows)
		w := 12 + r.IntN(110)
		frame := ansi.Strip(tb.Render(st, w, 12))
		whole := true
		for _, row := range rows {
			whole = whole && strings.Contains(frame, row.name)
		}
		if whole {
			continue
		}
		cutOnce = true
		lay := tb.chooseLayout(w, 11)
		for n, i := range lay.cols {
			c := tb.Columns[i]
			switch {
			case c.Name:
			case c.Drop > 0 && c.Short == 0:
				t.Fatalf("at %d cells %s is there, and a name is cut:\n%s", w, c.Title, frame)
			case lay.widths[n] > c.Short:
				t.Fatalf("at %d cells %s has %d cells, and a name is cut:\n%s", w, c.Title, lay.widths[n], frame)
			}
		}
	}
	if !cutOnce {
		t.Error("no name was cut at any width")
	}
}

func TestEmptyColumnsGiveWay(t *testing.T) {
	tb := wideTable()
	tb.SetItems([]wide{{"one", "in sync", "", "–", "r"}, {"two", "in sync", "", "", "r"}})
	if got := header(tb.Render(st, 80, 6)); got != "NAME MORE REST STATE" {
		t.Errorf("with room: %q", got)
	}
	// What only says that there is nothing goes before what is worth less.
	if got := header(tb.Render(st, 20, 6)); got != "NAME REST STATE" {
		t.Errorf("without room: %q", got)
	}
	tb.SetItems(nil)
	if got := header(tb.Render(st, 80, 6)); got != "NAME MORE REST STATE NOTE" {
		t.Errorf("without rows: %q", got)
	}
}

// What of the cursor's row is cut stands below the table, only where something is.
func TestCutIsToldBelow(t *testing.T) {
	tb := wideTable()
	rows := []wide{{"one", "in sync", "the note of the first", "more than there is room for", "r1"}, {"two", "in sync", "n", "m", "r2"}}
	tb.SetItems(rows)
	lines := func(w, h int) []string { return strings.Split(ansi.Strip(tb.Render(st, w, h)), "\n") }
	if got := lines(100, 8); strings.TrimSpace(got[7]) != "" {
		t.Errorf("nothing is cut: %q", got[7])
	}
	got := lines(30, 8)
	below := strings.Join(got[6:], " ")
	for _, want := range []string{"NOTE the note of the first", "REST r1"} {
		if !strings.Contains(strings.Join(strings.Fields(below), " "), want) {
			t.Errorf("below the table %q lacks %q", below, want)
		}
	}
	tb.Do(action.Down)
	if below := strings.Join(lines(30, 8)[6:], " "); strings.Contains(below, "first") || !strings.Contains(below, "r2") {
		t.Errorf("of the second row: %q", below)
	}
	if low := lines(30, 4); strings.TrimSpace(low[2]) == "" {
		t.Errorf("a low table gives no line away: %q", low)
	}
	// The notes of a table stand below it at any width, the worst first.
	tb.Note = func(r wide) ([]Line, []Line) { return []Line{PlainLine("▲ " + r.note)}, nil }
	if got := lines(100, 8); !strings.Contains(strings.Join(got[5:], ""), "▲ n") {
		t.Errorf("no note below: %q", got)
	}
	if got := strings.Split(ansi.Strip(tb.RenderFocus(st, 100, 8, false)), "\n"); strings.Contains(strings.Join(got, ""), "▲ n") {
		t.Errorf("a pane without the cursor tells: %q", got)
	}
}

// Scrolling sideways moves what is cut; the names stay.
func TestNamesStayAside(t *testing.T) {
	tb := wideTable()
	tb.SetItems([]wide{{"a-policy", "in sync", "the note of the first that is long", "more than there is room for", "r1"}})
	frame := ""
	for range 9 {
		tb.Do(action.Right)
		frame = ansi.Strip(tb.Render(st, 30, 8))
		if !strings.Contains(frame, "▸ a-policy") || !strings.Contains(frame, "NAME") {
			t.Fatalf("the name is gone:\n%s", frame)
		}
	}
	if !strings.Contains(frame, "that is long") {
		t.Errorf("the end is not in sight:\n%s", frame)
	}
	for range 9 {
		tb.Do(action.Left)
	}
	if got := header(tb.Render(st, 30, 8)); got != header(func() string { t := wideTable(); t.SetItems(tb.AllItems()); return t.Render(st, 30, 8) }()) {
		t.Errorf("not back: %q", got)
	}
}
