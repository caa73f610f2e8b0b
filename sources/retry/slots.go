package retry

import "runtime"

// Slots bound how many goroutines compute for zones and traffic at the same time, so that one core is free for
// the screen: all zones change at once, and a key press would otherwise wait behind them all. A holder may
// send to the loop, which takes no slot, but must wait for no other goroutine. Nil slots bound nothing.
type Slots chan struct{}

// New makes one slot fewer than cores, but at least one.
func New() Slots { return make(Slots, max(1, runtime.GOMAXPROCS(0)-1)) }

// TakeSlot waits for a slot and returns its release function, as in: defer s.TakeSlot()()
func (s Slots) TakeSlot() (release func()) {
	if s == nil {
		return func() {}
	}
	s <- struct{}{}
	return s.release
}

func (s Slots) release() { <-s }
