package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// queue lets one change through at a time, in order of arrival. Waiting ends with a context, and the mutex is
// never held while a server answers. The zero value is ready.
type queue struct {
	mu      sync.Mutex
	changes []*queuedChange // the first is under way, the others wait
	moved   chan struct{}   // closed when a change leaves
}

// queuedChange is a change in the queue.
type queuedChange struct{ title string }

// enter waits until a change may be made; the caller must then call leave. It returns an error if ctx ends
// first. While waiting it calls waits as Confirm.OnWait.
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

// frontChange returns the change under way, and a channel closed when the queue moves.
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
