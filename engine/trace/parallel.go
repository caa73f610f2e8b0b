package trace

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// RunParallel calls do for each i below n, on all cores, and returns when all are done. Files of questions use
// it.
func RunParallel(n int, do func(i int)) {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = all.Wait()
}
