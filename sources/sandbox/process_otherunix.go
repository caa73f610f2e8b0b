//go:build unix && !linux

package sandbox

func newGuard() (guard, error) { return newWatchdog() }
