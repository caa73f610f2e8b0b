package plugin

import (
	"bytes"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"rung/model/clean"
)

const (
	// lineMost is how long a line can be.
	lineMost = 4 << 10
	// saidAfter is how long the end of a line is waited for: a plugin that asks for
	// something in a browser may not write one.
	saidAfter = 200 * time.Millisecond
)

// said hands on what a plugin says on stderr, by lines, clean.
type said struct {
	to io.Writer

	mu    sync.Mutex
	rest  []byte // of a line that has not ended
	timer *time.Timer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		take := min(len(p), lineMost-len(s.rest))
		i := bytes.IndexByte(p[:take], '\n')
		if i >= 0 {
			take = i + 1
		}
		s.rest = append(s.rest, p[:take]...)
		p = p[take:]
		if i >= 0 || len(s.rest) == lineMost {
			s.put(i >= 0)
		}
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(saidAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.put(false)
		})
	} else {
		s.timer.Reset(saidAfter)
	}
	return n, nil
}

// put prints what there is as a line, so that what Rung says begins one, but for the beginning of a character whose rest may come.
func (s *said) put(all bool) {
	n := len(s.rest)
	for i := 1; !all && i < utf8.UTFMax && i <= n; i++ {
		if b := s.rest[n-i:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRune(b) {
				n -= i
			}
			break
		}
	}
	if n == 0 {
		return
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(s.rest[:n], []byte("\n")), []byte("\r"))
	_, _ = io.WriteString(s.to, clean.Block(string(line))+"\n") // where nobody hears it, nobody does
	s.rest = append(s.rest[:0], s.rest[n:]...)
}

func (s *said) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(true)
}
