package process

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

const (
	// gcPercent is by how much of what lives the heap of the console may grow
	// before it is collected; Go's own 100 keeps nearly half as much again for half
	// as many collections, of which a key press notices neither.
	gcPercent = 40
	// keptPercent is the most that the heap may take, free memory included, in percent of its
	// live bytes: no more than it needs to grow as gcPercent says. Other free memory goes back
	// to the system, above all the memory that reading the objects took.
	keptPercent = 145
	// liveSamples is how many looks at what lives the least is taken of: a
	// collection that takes long, as other programs have the cores, counts what was
	// allocated meanwhile.
	liveSamples = 4
	// memoryLimit is the limit of the Go runtime, in bytes: 500 zones
	// with 10,000 pods live in half of it, and the goal for the whole process is
	// 600 MB. Snapshots of zones come and go by the dozen megabytes; without a
	// limit the heap doubles before it is collected.
	memoryLimit = 450 << 20
	// limitEvery is how often it is looked whether the limit is still above what
	// is in use.
	limitEvery = 2 * time.Second
	// answerLimit is the limit for a command that answers and ends, in bytes: 80 MB are live
	// while it judges a cluster of 10,000 pods by policies and rows, and it leaves garbage
	// by the hundred megabytes. A process with this limit stays below 300 MB, including its own
	// text and the memory that a busy machine adds.
	answerLimit = 160 << 20
	// answerEvery is limitEvery for such a command, which may be done in a second.
	answerEvery = 50 * time.Millisecond
)

// NoSamples has the runtime note no more what the heap is of, as nobody asks.
var NoSamples = sync.OnceFunc(func() { runtime.MemProfileRate = 0 })

// CollectSooner has the runtime keep to less memory than it would by itself, until ctx
// ends; GOGC and GOMEMLIMIT take precedence. Many zones have a limit of their own.
func CollectSooner(ctx context.Context, many bool) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if many {
		LimitMemory(ctx)
		return
	}
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var last [liveSamples]uint64
	n := 0
	keepLimit(ctx, limitEvery, func(m memoryUsage) int64 {
		last[n%liveSamples] = m.live
		n++
		if n < liveSamples {
			return math.MaxInt64 // while it starts
		}
		m.live = liveBytesOf(m.live, last[:])
		return memoryLimitFor(m)
	})
}

// liveBytesOf returns the live bytes to reckon with, from the newest measurement and the last
// ones: the least of them, unless the newest is so much larger that a limit for the least
// would be below it and the collector would run all the time.
func liveBytesOf(now uint64, last []uint64) uint64 {
	least := slices.Min(last)
	if now > least*(100+gcPercent/2)/100 {
		return now
	}
	return least
}

// memoryLimitFor is the limit for what is in use.
func memoryLimitFor(m memoryUsage) int64 {
	const step = 1 << 20
	return int64((m.live*keptPercent/100 + m.rest + step - 1) / step * step)
}

// LimitMemory has the runtime collect more often instead of growing, where many
// zones are read; GOMEMLIMIT takes precedence. A cluster that needs more gets
// more: a limit below what lives would have the collector take half of every
// core for nothing. It ends with ctx.
func LimitMemory(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(memoryLimit)
	keepLimit(ctx, limitEvery, func(m memoryUsage) int64 { return limitFor(m.live) })
}

// LimitAnswer is LimitMemory for a command that answers and ends, whatever it reads; GOGC
// takes precedence too.
func LimitAnswer(ctx context.Context, many bool) {
	switch {
	case many:
		LimitMemory(ctx)
	case os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "":
		debug.SetMemoryLimit(answerLimit)
		keepLimit(ctx, answerEvery, answerLimitFor)
	}
}

// answerLimitFor returns the limit of LimitAnswer for the memory in use: at least half as much
// again as the live bytes, so that the collector does not run all the time.
func answerLimitFor(m memoryUsage) int64 {
	const step = 8 << 20
	need := (m.live + m.live/2 + m.rest + step - 1) / step * step
	return max(answerLimit, int64(need))
}

// memoryUsage is the memory that the runtime has in use, in bytes.
type memoryUsage struct {
	live uint64 // what the last collection left
	rest uint64 // what is neither objects nor free: stacks, its own, rooms between objects
}

// keepLimit sets the limit anew, again and again.
func keepLimit(ctx context.Context, every time.Duration, limit func(memoryUsage) int64) {
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
			{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		var now int64
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			metrics.Read(s)
			m := memoryUsage{live: s[0].Value.Uint64(), rest: s[1].Value.Uint64()}
			for _, other := range s[2:] {
				m.rest -= other.Value.Uint64()
			}
			if next := limit(m); next != now {
				now = next
				debug.SetMemoryLimit(now)
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
