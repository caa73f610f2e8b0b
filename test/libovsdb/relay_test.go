package libovsdb_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay is a socket in front of another.
type relay struct {
	to string
	ln net.Listener
	wg sync.WaitGroup

	mu    sync.Mutex
	away  bool
	conns []net.Conn
}

func newRelay(t testing.TB, path, to string) *relay {
	t.Helper()
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{to: to, ln: ln}
	r.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed
			}
			r.join(c)
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		r.cut()
		r.wg.Wait()
	})
	return r
}

func (r *relay) join(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, err := net.Dial("unix", r.to)
	if err != nil || r.away {
		_ = c.Close()
		if err == nil {
			_ = d.Close()
		}
		return
	}
	r.conns = append(r.conns, c, d)
	r.wg.Go(func() { join(c, d) })
}

// join passes bytes between two connections until one of them is closed.
func join(a, b net.Conn) {
	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.Close()
		_ = from.Close()
	}
	var wg sync.WaitGroup
	wg.Go(func() { pass(a, b) })
	pass(b, a)
	wg.Wait()
}

// cut closes all connections, and new ones at once.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

// mend lets connections through again.
func (r *relay) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = false
}
