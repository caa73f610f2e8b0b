//go:build unix && !linux

package ovn

// NewGuard is the watchdog.
func NewGuard() (Guard, error) { return NewWatchdog() }
