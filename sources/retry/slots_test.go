package retry

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Never more compute than there are slots, nobody waits for ever, and a slot
// that panics is given back.
func TestSlots(t *testing.T) {
	slots := make(Slots, 2)
	var now, most, done atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			defer slots.TakeSlot()()
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
			done.Add(1)
		})
	}
	wg.Wait()
	if most.Load() != 2 || done.Load() != 50 {
		t.Errorf("%d at the same time, %d of 50 done; want 2 and all", most.Load(), done.Load())
	}
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			defer slots.TakeSlot()()
			panic("a slot")
		}()
	}
	if cap(New()) < 1 {
		t.Error("nobody may compute")
	}
}
