package retry

import (
	"context"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Backoff returns waits that double from first up to most, each cut at random by up to half, for Step.
func Backoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: max(min(first, most)/2, 1), Cap: most / 2, Factor: 2, Jitter: 1, Steps: math.MaxInt}
}

// WaitAfter returns the wait of Backoff after a number of failures in a row; zero after none.
func WaitAfter(failures int, first, most time.Duration) (d time.Duration) {
	b := Backoff(first, most)
	for range min(failures, 64) { // 2⁶⁴ exceeds every longest wait
		d = b.Step()
	}
	return d
}

// Wake puts a token into a channel of capacity one, unless it has one.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Sleep waits for d and reports whether it passed before ctx ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
