package widget

import (
	"strings"
	"testing"

	"rung/ui/action"
)

// The column the rows are sorted by is seen at any width, with the arrow that says so: no
// order without its reason.
func TestSortedColumnIsSeen(t *testing.T) {
	long := strings.Repeat("name-", 5)
	for n := range 5 {
		for _, down := range []bool{false, true} {
			tb := wideTable()
			tb.SetItems([]wide{{long + "1", "in sync", "a note", "more", "the rest"}, {long + "2", "behind by 3", "another", "moremore", "nothing"}})
			for range n + 1 {
				tb.Do(action.SortNext)
			}
			arrow := "↑"
			if down {
				tb.Do(action.SortFlip)
				arrow = "↓"
			}
			for w := 40; w < 120; w++ {
				if head := header(tb.Render(st, w, 12)); !strings.Contains(head, tb.Arrangement().Sort+" "+arrow) {
					t.Errorf("sorted by %s at %d cells: %q", tb.Arrangement().Sort, w, head)
					break
				}
			}
		}
	}
}

// A column of wide mode stays when that is left sorted by it.
func TestSortedWideColumnStays(t *testing.T) {
	tb := wideTable()
	tb.Columns[2].Wide = true
	tb.SetItems([]wide{{"a", "in sync", "n", "m", "2"}, {"b", "in sync", "n", "m", "1"}})
	tb.Do(action.Wide)
	for range 3 {
		tb.Do(action.SortNext)
	}
	tb.Do(action.Wide)
	if head := header(tb.Render(st, 60, 12)); !strings.Contains(head, "REST ↑") {
		t.Errorf("sorted by %s: %q", tb.Arrangement().Sort, head)
	}
	tb.Do(action.SortPrev)
	if head := header(tb.Render(st, 60, 12)); strings.Contains(head, "REST") {
		t.Errorf("not sorted by it any more: %q", head)
	}
}

// Rows without a value stand last, however one sorts.
func TestSortNothingLast(t *testing.T) {
	tb := wideTable()
	tb.SetItems([]wide{{"none", "", "", "", ""}, {"two", "2", "", "", ""}, {"dash", "–", "", "", ""}, {"ten", "10", "", "", ""}})
	for range 4 {
		tb.Do(action.SortNext)
	}
	order := func() (out string) {
		for r := range tb.ShownItems() {
			out += r.name + " "
		}
		return out
	}
	if got := order(); got != "two ten none dash " {
		t.Errorf("upwards: %s", got)
	}
	tb.Do(action.SortFlip)
	if got := order(); got != "ten two none dash " {
		t.Errorf("downwards: %s", got)
	}
}
