package retry

import "context"

// Await waits for a value of a channel; false if ctx ended first.
func Await[T any](ctx context.Context, from <-chan T) bool {
	select {
	case <-from:
		return true
	case <-ctx.Done():
		return false
	}
}
