//go:build !unix

package bench

import "time"

// processCPU and the others are not known here.
func processCPU() time.Duration       { return 0 }
func cpuOf(pid int) time.Duration     { return 0 }
func wantedCPU(pid int) time.Duration { return 0 }
