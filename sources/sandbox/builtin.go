package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"rung/sources/retry"
)

// memServer is an OVSDB server inside this process: a unix socket in front of a database in memory.
//
// It replaces libovsdb's server (docs/libovsdb.md), which waits for each monitor's answer inside a
// transaction: a client that stops reading stops the zone. That server also rejects the monitors of OVS's own
// tools, and a monitor that begins during a commit misses it.
type memServer struct {
	zone   string
	path   string
	listen func(socket string) (net.Listener, error)
	stall  time.Duration // how long a client may read nothing
	queue  int           // limit of unsent bytes per client
	schema []byte        // as sent to clients
	report func(state State, err error)

	// dbmu guards db and all peers' monitors. Messages queued under it are in commit order.
	dbmu sync.Mutex
	db   *MemDB

	mu     sync.Mutex
	ln     net.Listener
	peers  map[*clientPeer]struct{}
	wg     sync.WaitGroup // of the listener and the peers
	cancel context.CancelFunc
	ctx    context.Context
}

// acceptRetryPause and acceptMost limit the wait after a failed accept, which is reported at most once per
// acceptReport.
const (
	acceptRetryPause = 5 * time.Millisecond
	acceptMost       = time.Second
	acceptReport     = time.Minute
)

func newBuiltin(zone, path string, cfg *Config, report func(State, error)) (*memServer, error) {
	raw, err := compactSchema(schemaFile, "the schema")
	var db *MemDB
	if err == nil {
		db, err = NewDB(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("built-in server of zone %s: %w", zone, err)
	}
	b := &memServer{zone: zone, path: path, listen: cfg.Listen, stall: cfg.StallTimeout, queue: 64 << 20, report: report,
		schema: raw, db: db, peers: map[*clientPeer]struct{}{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b, nil
}

// Start listens and accepts clients until Close.
func (b *memServer) Start(context.Context) error {
	err := os.Remove(b.path)
	var ln net.Listener
	if err == nil || errors.Is(err, os.ErrNotExist) {
		ln, err = b.listen(b.path)
	}
	if err != nil {
		return fmt.Errorf("built-in server of zone %s: %w", b.zone, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ln = ln
	b.report(Running, nil)
	b.wg.Go(func() { b.acceptClients(ln) })
	return nil
}

// acceptClients accepts clients until the listener is closed. It reports and retries temporary failures, such
// as too many open files.
func (b *memServer) acceptClients(ln net.Listener) {
	fresh := retry.Backoff(acceptRetryPause, acceptMost)
	again := fresh
	var said time.Time
	for {
		c, err := ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if time.Since(said) >= acceptReport {
				said = time.Now()
				b.report(Running, fmt.Errorf("built-in server of zone %s: accepting a client: %w", b.zone, err))
			}
			if !retry.Sleep(b.ctx, again.Step()) {
				return
			}
			continue
		}
		again = fresh
		p := newPeer(b, c)
		b.mu.Lock()
		if b.ln == nil {
			b.mu.Unlock()
			_ = c.Close()
			return
		}
		b.peers[p] = struct{}{}
		b.wg.Go(p.readMessages)
		b.wg.Go(p.writeMessages)
		b.mu.Unlock()
	}
}

// forgetPeer removes an ended peer and its monitors.
func (b *memServer) forgetPeer(p *clientPeer) {
	b.dbmu.Lock()
	p.monitors = nil
	b.dbmu.Unlock()
	b.mu.Lock()
	delete(b.peers, p)
	b.mu.Unlock()
}

// Close closes the listener and all connections, and waits for the end of their goroutines.
func (b *memServer) Close() {
	b.cancel()
	b.mu.Lock()
	if b.ln != nil {
		_ = b.ln.Close()
		b.ln = nil
	}
	for p := range b.peers {
		p.closePeer()
	}
	b.mu.Unlock()
	b.wg.Wait()
}
