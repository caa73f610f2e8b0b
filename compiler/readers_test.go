package compiler

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"rung/model"
)

// TestReaders reads revisions, new and old, while the next ones are made; the
// race detector judges.
func TestReaders(t *testing.T) {
	w := &world{t: t, r: rand.New(rand.NewPCG(3, 7)), cluster: clusterOf()}
	c := New(Options{})
	var newest atomic.Pointer[Desired]
	newest.Store(c.desired)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				d := newest.Load()
				for p := range d.Policies() {
					d.RowsOfUnit(p.Key, "n1", nil)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 300 {
		obj, gone := w.object()
		var changes []model.Change
		if gone {
			w.cluster, changes = w.cluster.Upsert(nil, []model.Key{obj.ObjectKey()})
		} else {
			w.cluster, changes = w.cluster.Upsert([]model.Object{obj}, nil)
		}
		d, _ := c.Apply(w.cluster, changes)
		newest.Store(d)
	}
	close(done)
	wg.Wait()
}
