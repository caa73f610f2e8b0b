package acllog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// pipeStream is a pipe or standard input: its lines come when they come.
type pipeStream struct {
	lines chan pipedLine

	mu        sync.Mutex
	done      bool
	err       error
	longLines uint64
	bytesRead int64
}

// pipedLine is a line of a pipe. unended reports whether the pipe ended before the line did.
type pipedLine struct {
	text    []byte
	unended bool
}

// waitingLines is how many lines of a pipe are read ahead.
const waitingLines = 1024

// startStream reads until ctx ends; wake is told of every line.
func startStream(ctx context.Context, wg *sync.WaitGroup, wake func(), open func() (io.ReadCloser, error)) *pipeStream {
	s := &pipeStream{lines: make(chan pipedLine, waitingLines)}
	wg.Go(func() {
		err := s.readLines(ctx, wake, open)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			err = nil
		}
		s.mu.Lock()
		s.done, s.err = true, err
		s.mu.Unlock()
		close(s.lines)
		wake()
	})
	return s
}

func (s *pipeStream) readLines(ctx context.Context, wake func(), open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	var split lineSplitter
	give := func(line []byte, unended bool) bool {
		select {
		case s.lines <- pipedLine{bytes.Clone(line), unended}:
			wake()
			return true
		case <-ctx.Done():
			return false
		}
	}
	for {
		for line, ok := split.nextLine(); ok; line, ok = split.nextLine() {
			if !give(line, false) {
				return ctx.Err()
			}
		}
		n, err := split.fillBuffer(in.Read)
		s.mu.Lock()
		s.longLines, s.bytesRead = split.tooLong, s.bytesRead+int64(n)
		s.mu.Unlock()
		if err != nil && n == 0 {
			if line, ok := split.lastLine(); ok && errors.Is(err, io.EOF) {
				give(line, true)
			}
			return err
		}
	}
}

func (s *pipeStream) nextLine() ([]byte, error) {
	select {
	case line, ok := <-s.lines:
		if ok && line.unended {
			return line.text, ErrUnended
		}
		if ok {
			return line.text, nil
		}
	default:
	}
	return nil, io.EOF
}

func (s *pipeStream) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done && len(s.lines) == 0
}

func (s *pipeStream) fillState(x *FileState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.TooLong, x.Size, x.Read = s.longLines, s.bytesRead, s.bytesRead
	switch {
	case s.err != nil:
		x.Status, x.Err = Failed, s.err
	case s.done:
		x.Status = Ended
	}
}
