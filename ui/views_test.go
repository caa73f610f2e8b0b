package ui

import (
	"testing"

	"rung/ui/nav"
)

func TestEveryPageHasAView(t *testing.T) {
	for _, k := range nav.Kinds {
		if k == nav.Preview { // it shows a change, not a place
			continue
		}
		if viewMakers[k] == nil {
			t.Errorf("no view shows %s", k)
		}
	}
}
