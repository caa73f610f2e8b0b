package retry

import "runtime"

// Slots bound how many goroutines compute for zones and traffic at the same time,
// so that a core stays for the screen: the zones all change at once, and a key
// would otherwise wait behind every one of them. Whoever has a slot may hand something
// to the loop, which never takes one, but waits for nobody else. Nil slots bound
// nothing.
type Slots chan struct{}

// New makes one slot fewer than there are cores.
func New() Slots { return make(Slots, max(1, runtime.GOMAXPROCS(0)-1)) }

// TakeSlot waits for a slot and returns how to give it back, as in: defer s.TakeSlot()()
func (s Slots) TakeSlot() (release func()) {
	if s == nil {
		return func() {}
	}
	s <- struct{}{}
	return s.release
}

func (s Slots) release() { <-s }
