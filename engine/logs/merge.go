package logs

import (
	"cmp"
	"container/heap"
	"context"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/retry"
)

const (
	// mergeWindow is how long a line waits for earlier lines of other nodes.
	mergeWindow = 250 * time.Millisecond
	// pastWindow is how long a line waits that is already old when it comes: logs read from the past come at
	// different speeds.
	pastWindow = 1500 * time.Millisecond
	// pastAge is the age from which a line is old.
	pastAge = 5 * time.Second
	// mergeMost bounds the waiting lines.
	mergeMost = 16 << 10
)

// merger orders the lines of several nodes by time, according to the nodes' clocks. A line that comes after
// its window is still handed on, marked as late.
type merger struct {
	passOn func(context.Context, arrival)
	wake   chan struct{}

	mu         sync.Mutex
	spaceFreed chan struct{} // closed and replaced when there is room
	heap       lineHeap[waitingArrival]
	n          uint64    // number of arrivals; keeps the order of equal times
	newestTime time.Time // newest time handed on
}

func newMerger(give func(context.Context, arrival)) *merger {
	return &merger{passOn: give, wake: make(chan struct{}, 1), spaceFreed: make(chan struct{}),
		heap: lineHeap[waitingArrival]{isBefore: (*waitingArrival).isBefore}}
}

// waitingArrival is an arrival in its place: by its own time, or by its time of arrival if the node's clock is
// ahead, since lines with earlier times would never end.
type waitingArrival struct {
	arrival
	place time.Time
	n     uint64
	dueAt time.Time
}

func (a *waitingArrival) isBefore(b *waitingArrival) bool {
	return cmp.Or(a.place.Compare(b.place), cmp.Compare(a.n, b.n)) < 0
}

// lineHeap is a heap for container/heap whose first item is the earliest.
type lineHeap[T any] struct {
	items    []T
	isBefore func(a, b *T) bool
}

func (h *lineHeap[T]) Len() int           { return len(h.items) }
func (h *lineHeap[T]) Less(i, j int) bool { return h.isBefore(&h.items[i], &h.items[j]) }
func (h *lineHeap[T]) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *lineHeap[T]) Push(x any)         { h.items = append(h.items, x.(T)) }
func (h *lineHeap[T]) Pop() any {
	last := len(h.items) - 1
	x := h.items[last]
	clear(h.items[last:])
	h.items = h.items[:last]
	return x
}

// putLine takes a node's line. Old lines, gaps and lines of files wait for room. A new line without room is
// lost, and putLine returns false: otherwise lines written faster than read would come ever later.
func (m *merger) putLine(ctx context.Context, a arrival) bool {
	for {
		now := time.Now()
		past := now.Sub(a.line.At) > pastAge
		m.mu.Lock()
		if m.heap.Len() < mergeMost {
			w := words.Choose(past, pastWindow, mergeWindow)
			place := words.Choose(a.line.At.After(now), now, a.line.At)
			m.n++
			heap.Push(&m.heap, waitingArrival{arrival: a, place: place, n: m.n, dueAt: now.Add(w)})
			m.mu.Unlock()
			retry.Wake(m.wake)
			return true
		}
		room := m.spaceFreed
		m.mu.Unlock()
		if !past && a.gap == nil && !a.stored && !a.end || !retry.Await(ctx, room) {
			return false
		}
	}
}

// runMerge hands on arrivals that waited long enough, until ctx ends.
func (m *merger) runMerge(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		a, wait, ok := m.nextArrival(time.Now())
		if ok {
			m.passOn(ctx, a)
			continue
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		case <-timer.C:
		}
	}
}

// nextArrival takes the earliest line if it is due or the heap is full; otherwise it returns how long to wait.
func (m *merger) nextArrival(now time.Time) (a arrival, wait time.Duration, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heap.Len() == 0 {
		return a, time.Hour, false
	}
	full := m.heap.Len() >= mergeMost
	if d := m.heap.items[0].dueAt.Sub(now); d > 0 && !full {
		return a, d, false
	}
	a = heap.Pop(&m.heap).(waitingArrival).arrival
	if full {
		close(m.spaceFreed)
		m.spaceFreed = make(chan struct{})
	}
	if m.newestTime.After(now.Add(time.Second)) {
		m.newestTime = time.Time{} // our clock was set back: that makes no line late
	}
	switch at := a.line.At; {
	case a.gap != nil, a.end:
	case at.Before(m.newestTime):
		a.late = true
	case at.Before(now.Add(time.Second)): // one clock ahead makes no other line late
		m.newestTime = at
	}
	return a, 0, true
}
