package trace

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// RunParallel calls do for each i below n, on all cores, and returns when all are done. Files of questions use
// it.
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
