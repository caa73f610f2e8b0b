package view

import (
	"context"
	"time"
)

// Once is work that a page has done away from the screen, and of which only the newest
// piece counts: what comes of an older one, or of one that was stopped, is left out.
type Once struct {
	n      int // of the newest
	since  time.Time
	cancel context.CancelFunc
}

// came is the message with the result of a piece of work.
type came[T any] struct {
	of    *Once
	n     int
	value T
	err   error
}

// Begin begins a piece of work, and stops the one before. It ends with the page, too. what
// says what is being done.
func Begin[T any](o *Once, env *Env, what string, work func(context.Context) (T, error)) {
	o.Stop()
	own, cancel := context.WithCancel(context.Background())
	o.since, o.cancel = env.Now, cancel
	n := o.n
	env.Run(what, func(ctx context.Context) any {
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(own, end)()
		value, err := work(ctx)
		return came[T]{o, n, value, err}
	})
}

// Come takes what came of the newest piece of work; ok is false for all else.
func Come[T any](o *Once, msg any) (value T, err error, ok bool) {
	c, is := msg.(came[T])
	if !is || c.of != o || c.n != o.n {
		return value, nil, false
	}
	o.Stop()
	return c.value, c.err, true
}

// Stop ends the work under way, if there is any; nothing comes of it.
func (o *Once) Stop() {
	if o.cancel != nil {
		o.cancel()
	}
	o.n, o.since, o.cancel = o.n+1, time.Time{}, nil
}

// Since is when the work under way began, zero where there is none.
func (o *Once) Since() time.Time { return o.since }

// Under says whether work is under way.
func (o *Once) Under() bool { return o.cancel != nil }

// Begun says whether a piece of work was ever begun.
func (o *Once) Begun() bool { return o.n > 0 }
