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
	changes []*queuedChange // the first is being made, the others wait
	moved   chan struct{}   // closed when one of them leaves
}

// queuedChange is a change in the queue.
type queuedChange struct{ title string }

// enter returns when a change may be made, and then leave must be called, or with an
// error when ctx ends before. While it has to wait, waits is called as Confirm.OnWait.
func (q *queue) enter(ctx context.Context, title string, waits func(title string)) (leave func(), err error) {
	if waits == nil {
		waits = func(string) {}
	}
	mine := &queuedChange{title: title}
	q.mu.Lock()
	q.changes = append(q.changes, mine)
	q.mu.Unlock()
	leave = func() { q.remove(mine) }
	var other *queuedChange
	for {
		first, moved := q.frontChange()
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

// frontChange is the change that is being made, and what is closed when the queue moves.
func (q *queue) frontChange() (*queuedChange, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.moved == nil {
		q.moved = make(chan struct{})
	}
	return q.changes[0], q.moved
}

func (q *queue) remove(p *queuedChange) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes = slices.DeleteFunc(q.changes, func(o *queuedChange) bool { return o == p })
	if q.moved != nil {
		close(q.moved)
		q.moved = nil
	}
}
