package view

import (
	"context"
	"time"
)

// LatestWork is work that a page has done away from the screen, and of which only the newest
// piece counts: what comes of an older one, or of one that was stopped, is left out.
type LatestWork struct {
	n       int // of the newest
	beganAt time.Time
	cancel  context.CancelFunc
}

// workResult is the message with the result of a piece of work.
type workResult[T any] struct {
	work  *LatestWork
	n     int
	value T
	err   error
}

// BeginWork begins a piece of work, and stops the one before. It ends with the page, too. what
// says what is being done.
func BeginWork[T any](o *LatestWork, env *Env, what string, work func(context.Context) (T, error)) {
	o.StopWork()
	own, cancel := context.WithCancel(context.Background())
	o.beganAt, o.cancel = env.Now, cancel
	n := o.n
	env.Run(what, func(ctx context.Context) any {
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(own, end)()
		value, err := work(ctx)
		return workResult[T]{o, n, value, err}
	})
}

// TakeResult takes what came of the newest piece of work; ok is false for all else.
func TakeResult[T any](o *LatestWork, msg any) (value T, err error, ok bool) {
	c, is := msg.(workResult[T])
	if !is || c.work != o || c.n != o.n {
		return value, nil, false
	}
	o.StopWork()
	return c.value, c.err, true
}

// StopWork ends the work under way, if there is any; nothing comes of it.
func (o *LatestWork) StopWork() {
	if o.cancel != nil {
		o.cancel()
	}
	o.n, o.beganAt, o.cancel = o.n+1, time.Time{}, nil
}

// BeganAt is when the work under way began, zero where there is none.
func (o *LatestWork) BeganAt() time.Time { return o.beganAt }

// IsUnderWay says whether work is under way.
func (o *LatestWork) IsUnderWay() bool { return o.cancel != nil }

// WasBegun says whether a piece of work was ever begun.
func (o *LatestWork) WasBegun() bool { return o.n > 0 }
