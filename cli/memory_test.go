package cli

import "testing"

// The limit holds while there is room in it, and gives way before the collector
// runs all the time.
func TestLimitFor(t *testing.T) {
	for live, want := range map[uint64]int64{0: memoryLimit, 250 << 20: memoryLimit, 300 << 20: memoryLimit + 30<<20,
		1 << 30: 1536 << 20} {
		if got := limitFor(live); got != want {
			t.Errorf("%d MiB in use: %d MiB, want %d", live>>20, got>>20, want>>20)
		}
	}
}
