package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// gcPercent is by how much the heap of a process that stays may grow, in percent of its live
// bytes, before it is collected. Go's own 100 takes nearly half as much memory again and
// saves half of the collections, which no key press notices.
const gcPercent = 40

// NoSamples stops the samples for heap profiles, where no profile is asked for.
var NoSamples = sync.OnceFunc(func() { runtime.MemProfileRate = 0 })

// SaveMemory makes the collector run more often, for a console and for `rung reconcile`, which
// stay for days. GOGC takes precedence; GOMEMLIMIT holds beside it.
func SaveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
