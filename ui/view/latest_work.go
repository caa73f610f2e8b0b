package view

import (
	"context"
	"time"
)

// LatestWork runs work of a page in a goroutine. Only the newest run counts: results of older or stopped runs
// are ignored.
type LatestWork struct {
	n       int // number of the newest run
	beganAt time.Time
	cancel  context.CancelFunc
}

// workResult is the message with the result of a run.
type workResult[T any] struct {
	work  *LatestWork
	n     int
	value T
	err   error
}

// BeginWork starts a run and stops the one before. It also ends with the page. what names the work.
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

// TakeResult takes the result of the newest run; ok is false for any other message.
func TakeResult[T any](o *LatestWork, msg any) (value T, err error, ok bool) {
	c, is := msg.(workResult[T])
	if !is || c.work != o || c.n != o.n {
		return value, nil, false
	}
	o.StopWork()
	return c.value, c.err, true
}

// StopWork stops the current run, if any; its result is ignored.
func (o *LatestWork) StopWork() {
	if o.cancel != nil {
		o.cancel()
	}
	o.n, o.beganAt, o.cancel = o.n+1, time.Time{}, nil
}

// BeganAt returns when the current run began, zero if none.
func (o *LatestWork) BeganAt() time.Time { return o.beganAt }

// IsUnderWay reports whether a run is under way.
func (o *LatestWork) IsUnderWay() bool { return o.cancel != nil }

// WasBegun reports whether any run ever began.
func (o *LatestWork) WasBegun() bool { return o.n > 0 }
