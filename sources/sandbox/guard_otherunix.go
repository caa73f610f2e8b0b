//go:build unix && !linux

package sandbox

// NewGuard returns the watchdog.
func NewGuard() (Guard, error) { return NewWatchdog() }
