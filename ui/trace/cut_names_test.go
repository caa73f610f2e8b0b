package trace

import (
	"fmt"
	"slices"
	"testing"

	"rung/ui/widget"
)

// Names that differ in the middle differ when they are cut, and keep both ends.
func TestCutApart(t *testing.T) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("team-payments-and-settlement-service-%02d-integration-environment", i))
	}
	names = append(names, "blue", "a-name-of-its-own-that-is-much-too-long-for-this")
	for _, w := range []int{14, 20, 33, 60} {
		got := cutDistinct(names, w)
		for i, n := range got {
			if widget.TextWidth(n) > w {
				t.Errorf("at %d: %q is %d wide", w, n, widget.TextWidth(n))
			}
			if slices.Index(got, n) != i {
				t.Errorf("at %d: two are %q", w, n)
			}
		}
		if got[12] != "blue" {
			t.Errorf("at %d: blue is %q", w, got[12])
		}
	}
	if got, want := cutDistinct(names, 20)[3], "tea…rvice-03-int…ent"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, w := range []int{0, 1, 5} {
		cutDistinct(names, w) // no size panics
	}
	cutDistinct([]string{"全角の名前がとても長い環境その一番目です", "全角の名前がとても長い環境その二番目です"}, 16)
}
