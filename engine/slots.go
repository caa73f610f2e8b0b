package engine

import "runtime"

// slots bound how many goroutines compute for zones and traffic at the same time,
// so that a core stays for the screen: the zones all change at once, and a key
// would otherwise wait behind every one of them. Whoever has a slot may hand something
// to the loop, which never takes one, but waits for nobody else. Nil slots bound
// nothing.
type slots chan struct{}

func newSlots() slots { return make(slots, max(1, runtime.GOMAXPROCS(0)-1)) }

// take runs work when a slot is free.
func (s slots) take(work func()) {
	if s != nil {
		s <- struct{}{}
		defer func() { <-s }()
	}
	work()
}
