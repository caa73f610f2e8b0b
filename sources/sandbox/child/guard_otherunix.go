//go:build unix && !linux

package child

// NewGuard is the watchdog.
func NewGuard() (Guard, error) { return NewWatchdog() }
