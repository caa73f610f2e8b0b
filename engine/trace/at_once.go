package trace

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// RunParallel does something for each of n, on all cores, and returns when all is done: a file of
// questions is asked so.
func RunParallel(n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
