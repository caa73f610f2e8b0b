package revision

import (
	"sync"
	"sync/atomic"
)

// Subscribers are the listeners that are told of news. The zero value is ready.
type Subscribers struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Subscribe returns a channel that gets a tick after news; much of it may share one.
// The function ends the subscription.
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

// Notify tells them; it waits for nobody.
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

// Latest is the newest revision, and who is told of news. The zero value is ready and
// has none.
type Latest struct {
	Subscribers
	newest atomic.Pointer[Revision]
}

// Revision returns the newest revision, nil before the first, from any goroutine.
func (l *Latest) Revision() *Revision { return l.newest.Load() }

// Publish makes a revision the newest; Notify tells of it.
func (l *Latest) Publish(r *Revision) { l.newest.Store(r) }
