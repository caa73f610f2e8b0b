package logs

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"rung/engine/logs"
)

// moving is a window that moves along many lines.
type moving struct {
	all         []*logs.Entry
	first, last uint64 // numbers of the lines that are kept
}

func (m *moving) EntriesAfter(seq uint64, _ int) []*logs.Entry {
	return m.all[max(seq, m.first-1):m.last]
}
func (m *moving) FirstNumber() uint64 { return m.first }
func (m *moving) LastNumber() uint64  { return m.last }

func diverse(n int) []*logs.Entry {
	out := mixed(rand.New(rand.NewPCG(1, 2)), n)
	for i, e := range out {
		e.Seq = uint64(i + 1)
		e.Line.DstPort = uint16(i % 5000)
		e.At = time.Unix(1_700_000_000, 0).Add(time.Duration(i) * 100 * time.Microsecond)
	}
	return out
}

// BenchmarkTick is what a page does ten times a second while 10,000 lines a second come and
// 20,000 are kept.
func BenchmarkTick(b *testing.B) {
	for _, mode := range []string{"lines", "groups", "around", "filter"} {
		b.Run(mode, func(b *testing.B) {
			x := newTicking(mode)
			for b.Loop() {
				x.tick()
			}
		})
	}
}

const ticked = 1_000 // lines that come between two ticks

// ticking is a feed into which lines come.
type ticking struct {
	mode string
	w    moving
	feed lineFeed
	list lineList
}

func newTicking(mode string) *ticking {
	x := &ticking{mode: mode, w: moving{all: diverse(200_000)}}
	x.begin()
	return x
}

func (x *ticking) begin() {
	x.w.first, x.w.last = 1, logs.DefaultLines
	x.feed = lineFeed{}
	x.list = lineList{feed: &x.feed, group: x.mode == "groups"}
	if x.mode == "around" {
		x.list.around.n, x.feed.query = 5, parse("port:1-200")
	}
	x.feed.pullNew(&x.w)
	x.show()
}

func (x *ticking) show() {
	x.feed.scanLines(time.Hour)
	x.list.updateTo(math.MaxUint64)
	x.feed.tally.countMatches(&x.feed, math.MaxUint64, x.feed.tally.addEntry)
}

func (x *ticking) tick() {
	if int(x.w.last)+ticked > len(x.w.all) {
		x.begin()
	}
	x.w.first, x.w.last = x.w.first+ticked, x.w.last+ticked
	x.feed.pullNew(&x.w)
	if x.mode == "filter" {
		x.feed.setScope(parse("12.*dropped"))
	}
	x.show()
}

// However many lines are kept, only those that come and those that go are looked at.
func TestTickLooksAtNewLinesOnly(t *testing.T) {
	x := newTicking("groups")
	for range 10 {
		groups, rules := x.feed.groups.seenLines, x.feed.tally.seenLines
		x.tick()
		if n := x.feed.groups.seenLines - groups; n > 2*ticked {
			t.Errorf("%d lines were grouped for %d that came and as many that went", n, ticked)
		}
		if n := x.feed.tally.seenLines - rules; n > 2*ticked {
			t.Errorf("%d lines were counted by rule for %d that came and as many that went", n, ticked)
		}
	}
	groups := x.feed.groups.seenLines
	x.list.marks = append(x.list.marks, userMark{after: x.feed.lastHeld()})
	x.show()
	if n := x.feed.groups.seenLines - groups; n > 0 {
		t.Errorf("%d lines were grouped anew for a mark behind all of them", n)
	}
	// A filter looks at lines from the newest back, in pieces; none is counted twice.
	x.feed.setScope(parse("not port:1-9"))
	groups, rules := x.feed.groups.seenLines, x.feed.tally.seenLines
	for x.feed.isPending() {
		x.feed.scanLines(time.Nanosecond)
		x.list.updateTo(math.MaxUint64)
		x.feed.tally.countMatches(&x.feed, math.MaxUint64, x.feed.tally.addEntry)
	}
	if n := x.feed.groups.seenLines - groups; n != len(x.feed.matches) {
		t.Errorf("%d lines were grouped to group %d", n, len(x.feed.matches))
	}
	if n := x.feed.tally.seenLines - rules; n != len(x.feed.matches) {
		t.Errorf("%d lines were counted by rule to count %d", n, len(x.feed.matches))
	}
}
