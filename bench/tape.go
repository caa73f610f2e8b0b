package bench

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"rung/sources/nbdb"
)

// scratch is a file without a name that lies in memory where the system has such
// files: bytes that are kept there are no part of the heap that is measured.
func scratch() (*os.File, error) {
	f, err := os.CreateTemp(memoryDir(), "rung-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a scratch file: %w", err)
	}
	_ = os.Remove(f.Name()) // some systems refuse it while it is open
	return f, nil
}

// memoryDir is a folder in memory, empty where there is none.
func memoryDir() string {
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		return "/dev/shm" // no disk is waited for
	}
	return ""
}

// Tape records what a client sends to a server.
type Tape struct {
	mu   sync.Mutex
	file *os.File
	size int64
	read int64 // how much of it has been taken
}

// NewTape makes an empty tape.
func NewTape() (*Tape, error) {
	f, err := scratch()
	if err != nil {
		return nil, err
	}
	return &Tape{file: f}, nil
}

// Close forgets what was recorded.
func (t *Tape) Close() error { return t.file.Close() }

func (t *Tape) add(b []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.file.WriteAt(b, t.size)
	t.size += int64(len(b))
	return err
}

// Request is one request as it was sent.
type Request struct {
	Method string
	Raw    []byte
}

// Take returns the requests recorded since the last call.
func (t *Tape) Take() (out []Request, err error) {
	t.mu.Lock()
	all := make([]byte, t.size-t.read)
	_, err = io.ReadFull(io.NewSectionReader(t.file, t.read, int64(len(all))), all)
	t.read = t.size
	t.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("reading what was sent: %w", err)
	}
	l := nbdb.NewLexer(all)
	for l.Peek() != 0 {
		r := Request{Raw: l.Span()}
		m := nbdb.NewLexer(r.Raw)
		m.Object(func(key []byte) {
			if string(key) == "method" {
				r.Method = string(m.String())
				return
			}
			m.Span()
		})
		if err := m.End(); err != nil {
			return nil, fmt.Errorf("reading what was sent: %w", err)
		}
		out = append(out, r)
	}
	if err := l.End(); err != nil {
		return nil, fmt.Errorf("reading what was sent: %w", err)
	}
	return out, nil
}

// taped is a connection whose writes are recorded.
type taped struct {
	net.Conn
	tape *Tape
}

func (c taped) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, errors.Join(err, c.tape.add(b[:n]))
}

// bufferedConn is a connection that stores incoming bytes at once, with the time of their arrival. While it is
// held, nobody can read from it.
type bufferedConn struct {
	net.Conn
	done chan struct{}

	mu    sync.Mutex
	news  *sync.Cond
	file  *os.File
	marks []mark // of what was not read yet
	size  int64
	read  int64
	held  bool
	shut  bool
	err   error
	at    time.Time // when what was read last had come
}

// mark says when everything up to a byte had come.
type mark struct {
	end int64
	at  time.Time
}

func newBufferedConn(c net.Conn) (*bufferedConn, error) {
	f, err := scratch()
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	h := &bufferedConn{Conn: c, done: make(chan struct{}), file: f}
	h.news = sync.NewCond(&h.mu)
	go h.listen()
	return h, nil
}

func (h *bufferedConn) listen() {
	defer close(h.done)
	buf := make([]byte, 256<<10)
	for {
		n, err := h.Conn.Read(buf)
		at := time.Now()
		h.mu.Lock()
		if n > 0 {
			if _, werr := h.file.WriteAt(buf[:n], h.size); err == nil {
				err = werr
			}
			h.size += int64(n)
			h.marks = append(h.marks, mark{h.size, at})
		}
		h.err = err
		h.news.Broadcast()
		h.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (h *bufferedConn) Read(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.shut && (h.held || (len(h.marks) == 0 && h.err == nil)) {
		h.news.Wait()
	}
	switch {
	case h.shut:
		return 0, net.ErrClosed
	case len(h.marks) == 0:
		return 0, h.err
	}
	m := h.marks[0]
	n, err := h.file.ReadAt(b[:min(int64(len(b)), m.end-h.read)], h.read)
	h.at = m.at
	h.read += int64(n)
	if h.read == m.end {
		h.marks = h.marks[1:]
	}
	if len(h.marks) == 0 {
		h.marks, h.size, h.read = nil, 0, 0
	}
	return n, err
}

// Close hangs up.
func (h *bufferedConn) Close() error {
	h.mu.Lock()
	again := h.shut
	h.shut = true
	h.news.Broadcast()
	h.mu.Unlock()
	if again {
		return nil
	}
	err := h.Conn.Close()
	<-h.done
	return errors.Join(err, h.file.Close())
}

// hold keeps what comes from being read, or lets it be.
func (h *bufferedConn) hold(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = on
	h.news.Broadcast()
}

// came is when what was read last had come.
func (h *bufferedConn) came() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// split separates the transactions from setup, the requests that a client makes before
// it writes.
func split(requests []Request) (setup, transactions [][]byte) {
	for _, r := range requests {
		if r.Method == "transact" {
			transactions = append(transactions, r.Raw)
		} else {
			setup = append(setup, r.Raw)
		}
	}
	return setup, transactions
}
