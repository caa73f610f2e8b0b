//go:build !unix

package bench

import "time"

// processCPU and cpuOf are not known here.
func processCPU() time.Duration   { return 0 }
func cpuOf(pid int) time.Duration { return 0 }
