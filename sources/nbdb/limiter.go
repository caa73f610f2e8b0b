package nbdb

import (
	"context"
	"math/rand/v2"
	"time"

	"rung/sources/retry"
)

// DefaultDials is how many databases are dialled at once when nobody says
// otherwise (ovn-kubernetes.md#zones-and-their-pods).
const DefaultDials = 20

// Limiter caps how many connections are being made at once, from dialling to
// the end of the snapshot. One Limiter is given to all that share a cluster.
type Limiter struct{ slots chan struct{} }

// NewLimiter lets n connections be made at once, DefaultDials when n is not
// positive.
func NewLimiter(n int) *Limiter {
	if n <= 0 {
		n = DefaultDials
	}
	return &Limiter{slots: make(chan struct{}, n)}
}

// dialSpread is the most that a connection which had to wait for a slot waits
// longer, so that those set free together do not dial together.
const dialSpread = 50 * time.Millisecond

// Take waits for a slot; release has to be called when it is over. A nil
// Limiter caps nothing.
func (l *Limiter) Take(ctx context.Context) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	release = func() { <-l.slots }
	select {
	case l.slots <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !retry.Sleep(ctx, rand.N(dialSpread)) {
		release()
		return nil, ctx.Err()
	}
	return release, nil
}
