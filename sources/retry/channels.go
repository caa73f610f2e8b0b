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

// Wake signals on a channel of capacity 1, unless a signal waits there already.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
