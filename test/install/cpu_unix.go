//go:build unix

package install

import (
	"syscall"
	"time"
)

// CPU is the time all cores have spent on this process, 0 where the system does not say:
// of work on one core it is what its wall clock says on a quiet machine.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
