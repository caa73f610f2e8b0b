package logs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The lines of the last seconds are those of the lines that are there.
func TestSecondsOfAWindow(t *testing.T) {
	var w Window
	for _, x := range []struct {
		second int64
		d      int
	}{{100, 1}, {100, 1}, {101, 1}, {99, 1}, {80, 1}, {109, 5}, {100, -1}, {111, 1}, {101, -1}} {
		w.Add(x.second, x.d)
	}
	for now, want := range map[int64]RecentSeconds{
		111: {0, 0, 0, 0, 0, 0, 0, 5, 0, 1},
		113: {0, 0, 0, 0, 0, 5, 0, 1, 0, 0},
		110: {8: 5}, // of a page that stands still
		150: {},
	} {
		if diff := cmp.Diff(want, w.LastSeconds(now)); diff != "" {
			t.Errorf("at %d: %s", now, diff)
		}
	}
}
