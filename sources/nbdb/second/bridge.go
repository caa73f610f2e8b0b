package second

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
)

// readers are the requests of somebody who only reads; what has no method is a reply.
var readers = map[string]bool{"list_dbs": true, "get_schema": true, "monitor_cond_since": true, "monitor_cond": true, "echo": true, "": true}

// bridge passes bytes between the child and the zone's database.
type bridge struct {
	cfg  *Config
	fail context.CancelCauseFunc

	mu   sync.Mutex
	left int64 // bytes that the server may still send
}

// serve takes the child's connections until ctx ends; it connects a second time to a
// server with an older schema.
func (b *bridge) serve(ctx context.Context, ln net.Listener) {
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	for {
		child, err := ln.Accept()
		if err != nil {
			return // closed
		}
		wg.Go(func() { b.pass(ctx, child) })
	}
}

// pass joins a connection of the child with one of its own to the database.
func (b *bridge) pass(ctx context.Context, child net.Conn) {
	defer child.Close()
	server, err := b.cfg.Connect(ctx)
	if err != nil {
		b.fail(fmt.Errorf("connecting libovsdb: %w", err))
		return
	}
	defer server.Close()
	// Both ends are closed when one is, or ctx ends.
	ctx, end := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _, _ = child.Close(), server.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { defer end(); b.ask(server, child) })
	defer end()
	_, _ = io.Copy(child, counted{b, server})
}

// ask passes what the child asks, and nothing that writes.
func (b *bridge) ask(server io.Writer, child io.Reader) {
	for messages := json.NewDecoder(child); ; {
		var raw json.RawMessage
		var m struct{ Method string }
		if messages.Decode(&raw) != nil || json.Unmarshal(raw, &m) != nil {
			return // it has hung up
		}
		if !readers[m.Method] {
			b.fail(fmt.Errorf("libovsdb asked for %q, which a reader does not need", m.Method))
			return
		}
		if _, err := server.Write(raw); err != nil {
			return
		}
	}
}

// counted is the server's side, up to the limit.
type counted struct {
	b *bridge
	r io.Reader
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if c.b.left -= int64(n); c.b.left < 0 {
		err = fmt.Errorf("the server sent libovsdb more than %d MB", c.b.cfg.Most>>20)
		c.b.fail(err)
		return 0, err
	}
	return n, err
}
