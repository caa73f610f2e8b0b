package engine

import "runtime"

// turns bound how many goroutines compute for zones and traffic at the same time,
// so that a core stays for the screen: the zones all change at once, and a key
// would otherwise wait behind every one of them. Who has a turn may hand something
// to the loop, which never takes one, but waits for nobody else. Nil turns bound
// nothing.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// take runs work when a turn is free.
func (t turns) take(work func()) {
	if t != nil {
		t <- struct{}{}
		defer func() { <-t }()
	}
	work()
}
