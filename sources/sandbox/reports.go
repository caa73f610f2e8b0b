package sandbox

import "sync"

// reports hands what servers report to the user's function in order, so that no
// server waits for it.
type reports struct {
	to   func(string, ServerState, error)
	mu   sync.Mutex
	list []report
	wake chan struct{}
	done chan struct{}
	wg   sync.WaitGroup
}

type report struct {
	zone  string
	state ServerState
	err   error
}

func newReports(to func(string, ServerState, error)) *reports {
	r := &reports{to: to, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if to != nil {
		r.wg.Go(r.run)
	}
	return r
}

func (r *reports) add(zone string, state ServerState, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, report{zone, state, err})
	if r.to == nil {
		r.list = nil
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *reports) run() {
	for {
		select {
		case <-r.done:
			return
		case <-r.wake:
		}
		r.mu.Lock()
		list := r.list
		r.list = nil
		r.mu.Unlock()
		for _, e := range list {
			r.to(e.zone, e.state, e.err)
		}
	}
}

func (r *reports) close() {
	close(r.done)
	r.wg.Wait()
}
