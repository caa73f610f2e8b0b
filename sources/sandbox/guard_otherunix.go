//go:build unix && !linux

package sandbox

// NewGuard is the watchdog.
func NewGuard() (Guard, error) { return NewWatchdog() }
