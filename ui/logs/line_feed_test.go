package logs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/revision"
	"rung/ui/widget"
)

// store is a log store with a goroutine that takes lines in.
func store(t testing.TB, limit int) *logs.Store {
	rev := revision.New(revision.Facts{}, nil)
	l := logs.New(func() *revision.Revision { return rev }, time.Now, limit)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { l.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return l
}

func offer(l *logs.Store, n int, port uint16) {
	want := l.LastNumber() + uint64(n)
	for range n {
		line := logline.Line{Zone: "zone", Name: "ANP:one:Ingress:0", Verdict: "drop", Proto: "tcp", DstPort: port,
			Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2")}
		for !l.Offer(line) {
			time.Sleep(50 * time.Microsecond)
		}
	}
	for l.LastNumber() < want {
		time.Sleep(50 * time.Microsecond)
	}
}

// naive is what the index must hold, worked out anew.
func naive(f *lineFeed) (out []uint64) {
	for _, e := range f.held {
		if e.Seq > f.hidden && (f.scope == nil || f.scope(e)) && e.Matches(&f.query, nil) {
			out = append(out, e.Seq)
		}
	}
	return out
}

func index(f *lineFeed) (out []uint64) {
	for i := range len(f.matches) {
		out = append(out, f.matches[i])
	}
	return out
}

// TestFeed does random things and compares with the naive index whenever
// nothing is pending.
func TestFeed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := store(t, 300)
	f := &lineFeed{}
	ls := lineList{feed: f, group: true}
	filters := []string{"", "port:80", "tcp 44", "!port:80", "ni[lx]", "10.0.0.1 → 10.0.0.2"}
	for step := range 400 {
		switch rng.IntN(8) {
		case 0:
			f.setScope(parse(filters[rng.IntN(len(filters))]))
		case 1:
			f.hideAll()
			ls.marks = nil
		case 2:
			ls.marks = append(ls.marks, userMark{after: f.lastHeld()})
		case 3:
			offer(l, rng.IntN(400), 80) // the ring may go round
		default:
			offer(l, rng.IntN(20), []uint16{80, 443, 22}[rng.IntN(3)])
		}
		f.pullNew(l)
		f.scanLines(time.Duration(rng.IntN(2)) * time.Hour)
		if f.isPending() {
			continue
		}
		if diff := cmp.Diff(naive(f), index(f)); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
		ls.updateTo(math.MaxUint64)
		total := 0
		for i := range ls.n {
			it := ls.lineAt(i)
			total += it.n
			if i > 0 && ls.lineAt(i-1).seq >= it.seq {
				t.Fatalf("step %d: groups do not stand in the order of their last line", step)
			}
			if f.findEntry(it.seq) == nil {
				t.Fatalf("step %d: a group shows line %d, which is not held", step, it.seq)
			}
		}
		if total != len(f.matches) {
			t.Fatalf("step %d: groups count %d lines, %d match", step, total, len(f.matches))
		}
		for row := range ls.countRows() {
			if it := ls.itemAtRow(row); it.mark == nil && ls.rowIndex(ls.findID(it.id)) != row {
				t.Fatalf("step %d: the line of row %d is found in row %d", step, row, ls.rowIndex(ls.findID(it.id)))
			}
		}
	}
}

// parse reads a filter that a test knows to be right, or takes it literally.
func parse(text string) logline.Query {
	q, _ := logline.Parse(text, time.Now())
	return q
}

func TestWrapped(t *testing.T) {
	l := widget.Line{{Text: "one two three "}, {Text: "四四四四四四四四四"}, {Text: " end"}}
	for w := 1; w < 40; w++ {
		for _, s := range wrapLine(l, w, "▸ ", nil) {
			if n := widget.TextWidth(s); n > w && w > 1 {
				t.Errorf("at %d a line is %d wide: %q", w, n, s)
			}
		}
	}
}

// TestScanStops says that a filter which is slow on every line looks at a part
// of them in one go, the newest first, and at the rest later.
func TestScanStops(t *testing.T) {
	l := store(t, 3000)
	offer(l, 3000, 80)
	f := &lineFeed{}
	f.pullNew(l)
	f.setScope(parse("dst:10.0.0.2 (?i)10\\.0.*dropped by"))
	f.scanLines(time.Nanosecond)
	if n := len(f.matches); n == 0 || n == 3000 || !f.isPending() || f.matches[n-1] != f.lastHeld() {
		t.Errorf("%d of 3000 lines were looked at in no time, the newest %d", n, f.matches[max(0, n-1)])
	}
	for f.isPending() {
		f.scanLines(time.Hour)
	}
	if len(f.matches) != 3000 {
		t.Errorf("%d lines match in the end", len(f.matches))
	}
}

func BenchmarkFilter(b *testing.B) {
	l := store(b, 20000)
	for i := range 40 {
		offer(l, 500, uint16(i+1))
	}
	for _, text := range []string{"", "tcp 12", "tcp.*by", "policy:one"} {
		b.Run(fmt.Sprintf("%q", text), func(b *testing.B) {
			f := &lineFeed{}
			f.pullNew(l)
			b.ReportAllocs()
			for b.Loop() {
				f.setScope(parse(text))
				f.scanLines(time.Hour)
			}
		})
	}
	b.Run("groups", func(b *testing.B) {
		f := &lineFeed{}
		f.pullNew(l)
		f.scanLines(time.Hour)
		ls := lineList{feed: f, group: true}
		for b.Loop() {
			f.groups.resetGroups()
			ls.updateTo(math.MaxUint64)
		}
	})
}
