package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// gcPercent is how much the heap of a long-running process may grow before it is collected, in percent of its
// live bytes. Go's default of 100 needs nearly half as much memory again and saves half of the collections,
// which no key press notices.
const gcPercent = 40

// NoSamples turns off sampling for heap profiles. Call it if no profile is requested.
var NoSamples = sync.OnceFunc(func() { runtime.MemProfileRate = 0 })

// startPercent is gcPercent until the first collection, at a heap of 32 MB (Go's smallest heap of 4 MB times
// startPercent / 100). Collecting the few megabytes of a start a dozen times would take a third of the time to
// the first frame.
const startPercent = 800

// SaveMemory makes the collector run more often, for the console and `rung reconcile`, which run for days.
// GOGC takes precedence; GOMEMLIMIT still applies.
func SaveMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(startPercent)
	// The first collection finds this object unreachable.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
}
