package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// queue lets one change through at a time, in the order in which they came. Waiting in
// it ends with a context, and nobody holds its mutex while a server is asked something.
// Its zero value is ready.
type queue struct {
	mu      sync.Mutex
	changes []*queued     // the first is being made, the others wait
	moved   chan struct{} // closed when one of them leaves
}

// queued is a change in the queue.
type queued struct{ title string }

// enter returns when a change may be made, and then leave must be called, or with an
// error when ctx ends before. While it has to wait, waits is called as Confirm.Waits.
func (q *queue) enter(ctx context.Context, title string, waits func(title string)) (leave func(), err error) {
	if waits == nil {
		waits = func(string) {}
	}
	mine := &queued{title: title}
	q.mu.Lock()
	q.changes = append(q.changes, mine)
	q.mu.Unlock()
	leave = func() { q.remove(mine) }
	var other *queued
	for {
		first, moved := q.front()
		if err := context.Cause(ctx); err != nil {
			leave()
			if other == nil {
				return nil, fmt.Errorf("%s: %w", title, err)
			}
			return nil, fmt.Errorf("%s: nothing was changed: it waited for another change, %q: %w",
				title, other.title, err)
		}
		if first == mine {
			return leave, nil
		}
		if other == nil {
			defer waits("")
		}
		if other != first {
			waits(first.title)
			other = first
		}
		select {
		case <-moved:
		case <-ctx.Done():
		}
	}
}

// front is the change that is being made, and what is closed when the queue moves.
func (q *queue) front() (*queued, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.moved == nil {
		q.moved = make(chan struct{})
	}
	return q.changes[0], q.moved
}

func (q *queue) remove(p *queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes = slices.DeleteFunc(q.changes, func(o *queued) bool { return o == p })
	if q.moved != nil {
		close(q.moved)
		q.moved = nil
	}
}
