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

// startPercent is gcPercent until the first collection: it comes at a heap of 32 MB (Go's least heap
// of 4 MB times startPercent / 100). Collecting the few megabytes of a start a dozen times would
// take a third of the time to the first frame.
const startPercent = 800

// SaveMemory makes the collector run more often, for a console and for `rung reconcile`, which
// stay for days. GOGC takes precedence; GOMEMLIMIT holds beside it.
func SaveMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(startPercent)
	// The first collection finds that nothing refers to this object.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
}
