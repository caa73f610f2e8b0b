package revision

import (
	"sync"
	"sync/atomic"
)

// Subscribers notifies listeners of news. The zero value is ready to use.
type Subscribers struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Subscribe returns a channel that gets a tick after news; several news may share one tick. The function ends
// the subscription.
func (s *Subscribers) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners == nil {
		s.listeners = map[chan struct{}]struct{}{}
	}
	s.listeners[ch] = struct{}{}
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, ch)
	}
}

// Notify ticks every listener without blocking.
func (s *Subscribers) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch := range s.listeners {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Latest holds the newest revision and its listeners. The zero value is ready to use and empty.
type Latest struct {
	Subscribers
	newest atomic.Pointer[Revision]
}

// Revision returns the newest revision, nil before the first. Any goroutine may call it.
func (l *Latest) Revision() *Revision { return l.newest.Load() }

// Publish stores the newest revision; call Notify afterwards.
func (l *Latest) Publish(r *Revision) { l.newest.Store(r) }
