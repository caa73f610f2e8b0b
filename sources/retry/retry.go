package retry

import (
	"context"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Backoff is a row of waits that double from first up to most; each is at least half
// as long as that. Step gives the next one.
func Backoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: max(min(first, most)/2, 1), Cap: most / 2, Factor: 2, Jitter: 1, Steps: math.MaxInt}
}

// WaitAfter is the wait of Backoff that follows so many failures in a row, zero when
// there was none.
func WaitAfter(failures int, first, most time.Duration) (d time.Duration) {
	b := Backoff(first, most)
	for range min(failures, 64) { // 2⁶⁴ is beyond every longest wait
		d = b.Step()
	}
	return d
}

// Sleep waits; it says whether the time passed before ctx ended.
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
