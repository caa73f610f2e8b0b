package cli

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"rung/engine"
)

const (
	// gcPercent is by how much of what lives the heap of the console may grow
	// before it is collected; Go's own 100 keeps a third more of memory for half as
	// many collections, of which a key press notices neither.
	gcPercent = 70
	// memoryLimit is what the Go runtime is told to keep to, in bytes: 500 zones
	// with 10,000 pods live in half of it, and the goal for the whole process is
	// 600 MB. Snapshots of zones come and go by the dozen megabytes; without a
	// limit the heap doubles before it is collected.
	memoryLimit = 450 << 20
	// manyZones is how many --nb zones are as much as a cluster.
	manyZones = 20
	// limitEvery is how often it is looked whether the limit is still above what
	// is in use.
	limitEvery = 2 * time.Second
)

// collectSooner has the runtime keep to less memory than it would by itself;
// GOGC takes precedence.
func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// limitMemory has the runtime collect more often instead of growing, where many
// zones are read; GOMEMLIMIT takes precedence. A cluster that needs more gets
// more: a limit below what lives would have the collector take half of every
// core for nothing. It ends with ctx.
func limitMemory(ctx context.Context, cfg *engine.Config) {
	if os.Getenv("GOMEMLIMIT") != "" || cfg.Kube == nil && len(cfg.NB) <= manyZones {
		return
	}
	debug.SetMemoryLimit(memoryLimit)
	go func() {
		tick := time.NewTicker(limitEvery)
		defer tick.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		limit := int64(memoryLimit)
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			metrics.Read(live)
			if next := limitFor(live[0].Value.Uint64()); next != limit {
				limit = next
				debug.SetMemoryLimit(limit)
			}
		}
	}()
}

// limitFor is the limit for a heap of which so many bytes were in use after the
// last collection: at least half as much again.
func limitFor(live uint64) int64 {
	const step = 32 << 20 // not a new limit for every megabyte
	need := (live + live/2 + step - 1) / step * step
	return max(memoryLimit, int64(need))
}
