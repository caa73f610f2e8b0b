package logs

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/logline"
	"rung/test/wait"
)

// merged runs a merger and keeps what it hands on.
type merged struct {
	*merger
	mu  sync.Mutex
	got []string
}

func newMerged(t *testing.T) *merged {
	t.Helper()
	m := &merged{}
	m.merger = newMerger(func(_ context.Context, a arrival) {
		s := a.line.Zone + " " + a.line.At.Format("05.000")
		if a.late {
			s += " late"
		}
		if a.gap != nil {
			s += " gap"
		}
		m.mu.Lock()
		m.got = append(m.got, s)
		m.mu.Unlock()
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); m.runMerge(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return m
}

func (m *merged) want(t *testing.T, lines ...string) {
	t.Helper()
	for deadline := time.Now().Add(wait.Patience); ; time.Sleep(time.Millisecond) {
		m.mu.Lock()
		n := len(m.got)
		m.mu.Unlock()
		if n >= len(lines) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q", m.got)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if diff := cmp.Diff(lines, m.got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeByTime(t *testing.T) {
	m := newMerged(t)
	now := time.Now()
	put := func(zone string, ms int, gap *logline.LogGap) string {
		at := now.Add(time.Duration(ms) * time.Millisecond)
		m.putLine(context.Background(), arrival{line: logline.Line{Zone: zone, At: at}, gap: gap})
		return zone + " " + at.Format("05.000")
	}
	a1, a2 := put("a", -40, nil), put("a", -10, nil)
	b1, b2 := put("b", -50, nil), put("b", -20, nil)
	g := put("b", -15, &logline.LogGap{})
	m.want(t, b1, a1, b2, g+" gap", a2)
	// One that comes when later ones went out already is shown, and marked.
	late := put("b", -30, nil)
	after := put("a", 5, nil)
	m.want(t, b1, a1, b2, g+" gap", a2, late+" late", after)
}

// A clock that is far ahead makes no line of the other nodes late.
func TestMergeClockAhead(t *testing.T) {
	m := newMerged(t)
	now := time.Now()
	ahead := now.Add(time.Hour)
	m.putLine(context.Background(), arrival{line: logline.Line{Zone: "ahead", At: ahead}})
	m.want(t, "ahead "+ahead.Format("05.000"))
	m.putLine(context.Background(), arrival{line: logline.Line{Zone: "a", At: now}})
	m.want(t, "ahead "+ahead.Format("05.000"), "a "+now.Format("05.000"))
}

// New lines that find no room are lost and said to be; old ones wait for room.
func TestMergeFull(t *testing.T) {
	var got []arrival
	m := newMerger(func(_ context.Context, a arrival) { got = append(got, a) })
	now := time.Now()
	for i := range mergeMost {
		if !m.putLine(context.Background(), arrival{line: logline.Line{At: now, Seq: uint64(i)}}) {
			t.Fatalf("no room for line %d", i)
		}
	}
	if m.putLine(context.Background(), arrival{line: logline.Line{At: now}}) {
		t.Error("room beyond the bound")
	}
	took := make(chan bool)
	go func() {
		took <- m.putLine(context.Background(), arrival{line: logline.Line{At: now.Add(-time.Minute), Raw: "old"}})
	}()
	select {
	case <-took:
		t.Fatal("an old line found room beyond the bound")
	case <-time.After(20 * time.Millisecond):
	}
	if _, _, ok := m.nextArrival(now); !ok {
		t.Fatal("a full merger keeps its lines")
	}
	if !<-took {
		t.Error("the old line was lost")
	}
	if a, _, ok := m.nextArrival(now); !ok || a.line.Raw != "old" || !a.late {
		t.Errorf("%+v, %v", a, ok)
	}
	if len(got) != 0 {
		t.Error(fmt.Sprint(len(got)) + " lines were handed on by themselves")
	}
}

// A clock that is set back makes no line late.
func TestMergeClockSetBack(t *testing.T) {
	m := newMerger(nil)
	now := time.Now()
	m.newestTime = now.Add(time.Hour)
	m.putLine(t.Context(), arrival{line: logline.Line{At: now}})
	if a, _, ok := m.nextArrival(now.Add(2 * mergeWindow)); !ok || a.late {
		t.Errorf("handed on %v, late %v", ok, a.late)
	}
}

// Lines of a clock that is ahead come like the others, however busy those are.
func TestMergeClockAheadOfBusyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMerged(t)
		ahead := time.Now().Add(time.Hour)
		m.putLine(t.Context(), arrival{line: logline.Line{Zone: "ahead", At: ahead}})
		for range 100 {
			m.putLine(t.Context(), arrival{line: logline.Line{Zone: "a", At: time.Now()}})
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.got) == 0 || m.got[0] != "ahead "+ahead.Format("05.000") {
			t.Errorf("%d lines came before it", len(m.got))
		}
	})
}
