package ui

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/ui/nav"
)

// Every page that needs nothing but its kind has an action that goes there, so that its name in
// the palette finds it.
func TestEveryPageIsGoneTo(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(slices.Values(nav.Alone)), slices.Sorted(maps.Values(places))); diff != "" {
		t.Errorf("pages alone, and pages with an action of their own (-alone +places):\n%s", diff)
	}
}
