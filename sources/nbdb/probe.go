package nbdb

import (
	"fmt"
	"time"
)

// probeServer asks a silent server for a sign of life, and closes the connection without one.
func (s *session) probeServer() {
	defer s.wg.Done()
	half := s.cfg.Probe / 2
	timer := time.NewTimer(half)
	defer timer.Stop()
	asked, atAsk := false, uint64(0)
	for {
		select {
		case <-s.ended:
			return
		case <-timer.C:
		}
		silence, reads := s.rpc.Silence()
		switch {
		case s.isWorking.Load():
			asked = false
			timer.Reset(half)
		case asked && silence < s.longestPatience():
			timer.Reset(s.longestPatience() - silence)
		case asked && reads == atAsk:
			s.failSession(fmt.Errorf("%w for %v", ErrSilent, silence.Round(100*time.Millisecond)))
			return
		case silence < half:
			asked = false
			timer.Reset(half - silence)
		default:
			asked, atAsk = true, reads
			// In its own goroutine: a write to a stopped server blocks until its deadline. If it fails, the
			// reader ends the session.
			s.wg.Go(func() { _ = s.rpc.Write(RequestText(0, "echo", []byte("[]"))) })
			timer.Reset(half)
		}
	}
}

// unreadLimit returns how long the server may read nothing. It does not read while it works on earlier
// requests.
func (s *session) unreadLimit() time.Duration { return max(s.cfg.TransactTimeout, s.longestPatience()) }

// longestPatience returns the longest patience of the requests under way.
func (s *session) longestPatience() (d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		d = max(d, c.patience)
	}
	return d
}
