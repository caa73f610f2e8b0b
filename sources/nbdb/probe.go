package nbdb

import (
	"fmt"
	"time"
)

// probeServer asks a silent server for a sign of life and gives it up when none
// comes.
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
			// In a goroutine of its own: a write to a stopped server blocks
			// until its deadline. When it fails, the reader ends the session.
			s.wg.Go(func() { _ = s.rpc.Write(RequestText(0, "echo", []byte("[]"))) })
			timer.Reset(half)
		}
	}
}

// unreadLimit is how long the server may take nothing of what it is sent: while it works on
// what it was sent before, it reads nothing.
func (s *session) unreadLimit() time.Duration { return max(s.cfg.TransactTimeout, s.longestPatience()) }

// longestPatience is the longest of the requests under way.
func (s *session) longestPatience() (d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		d = max(d, c.patience)
	}
	return d
}
