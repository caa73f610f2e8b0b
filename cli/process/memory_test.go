package process

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

// A long collection is not taken for more that lives; a page that needs much more gets it
// with the next look.
func TestLiveOf(t *testing.T) {
	for _, c := range []struct {
		now  uint64
		last []uint64
		want uint64
	}{
		{47, []uint64{40, 42, 45, 47}, 40},
		{150, []uint64{40, 42, 41, 150}, 150},
		{40, []uint64{150, 150, 150, 40}, 40},
	} {
		if got := liveBytesOf(c.now<<20, []uint64{c.last[0] << 20, c.last[1] << 20, c.last[2] << 20, c.last[3] << 20}); got != c.want<<20 {
			t.Errorf("%d now, %v: %d MiB, want %d", c.now, c.last, got>>20, c.want)
		}
	}
}

// What is kept is what lives with some room, and what the runtime needs besides.
func TestKeptFor(t *testing.T) {
	if got, want := memoryLimitFor(memoryUsage{live: 40 << 20, rest: 20 << 20}), int64(78<<20); got != want {
		t.Errorf("%d MiB, want %d", got>>20, want>>20)
	}
	if gcPercent+100 >= keptPercent {
		t.Error("the limit is below what the heap grows to: the collector would run all the time")
	}
}

// A command that answers keeps to its limit, and a cluster that needs more gets more.
func TestAnswerLimitFor(t *testing.T) {
	for _, c := range []struct{ live, rest, want int64 }{
		{0, 0, answerLimit >> 20},
		{80, 20, answerLimit >> 20},
		{100, 20, 176},
		{400, 50, 656},
	} {
		if got := answerLimitFor(memoryUsage{live: uint64(c.live) << 20, rest: uint64(c.rest) << 20}) >> 20; got != c.want {
			t.Errorf("%d MiB live, %d besides: %d MiB, want %d", c.live, c.rest, got, c.want)
		}
	}
}
