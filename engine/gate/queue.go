package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// turnstile lets one change through at a time, in the order in which they came.
// Waiting for it ends with a context, and nobody holds its mutex while a server is
// asked something. Its zero value is ready.
type turnstile struct {
	mu     sync.Mutex
	busy   bool
	making string // the change that is being made, where busy
	queue  []queued
}

// queued is a change that waits; turn is closed when it may begin.
type queued struct {
	title string
	turn  chan struct{}
}

// enter returns when it is the turn of a change, and then leave must be called, or
// with an error when ctx ends before. Whoever has to wait is told for which change
// that is, and gets an empty text once the waiting is over.
func (t *turnstile) enter(ctx context.Context, title string, waits func(title string)) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	t.mu.Lock()
	if !t.busy {
		t.busy, t.making = true, title
		t.mu.Unlock()
		return nil
	}
	mine, other := queued{title, make(chan struct{})}, t.making
	t.queue = append(t.queue, mine)
	t.mu.Unlock()
	if waits != nil {
		waits(other)
		defer waits("")
	}
	select {
	case <-mine.turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.queue, mine); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		other = t.making
	} else {
		t.pass() // its turn came in that moment
	}
	return fmt.Errorf("%s: nothing was changed: it waited for another change, %q: %w", title, other, context.Cause(ctx))
}

// leave lets the next one in.
func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass hands the turn on; mu is held.
func (t *turnstile) pass() {
	if t.busy = len(t.queue) > 0; t.busy {
		t.making = t.queue[0].title
		close(t.queue[0].turn)
		t.queue = slices.Delete(t.queue, 0, 1)
	}
}
