package nbdb

import (
	"context"
	"fmt"
	"net"
	"sync"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// RemoteConn reads one zone's database through programs in a pod. It implements the reconciler's Zone. Call
// Run once; Read may be called at any time.
type RemoteConn struct {
	programAccess

	current *Conn // during Run; mu guards it
}

// programAccess knows how to connect to one database of a zone.
type programAccess struct {
	cfg RemoteConfig
	db  databaseNames

	mu       sync.Mutex
	endpoint string
	site     *siteFacts // found by the last connection
}

// DialRemote returns a connection that Run keeps up. Nothing is connected before Run or Read.
func DialRemote(cfg RemoteConfig) *RemoteConn {
	return &RemoteConn{programAccess: programAccess{cfg: cfg.withDefaults(northbound), db: northbound, endpoint: "exec:" +
		words.CleanText(cfg.Name)}}
}

// Name returns the zone's name.
func (c *programAccess) Name() string { return c.cfg.Name }

// Endpoint returns where programs last ran, printable; before that it names the zone.
func (c *programAccess) Endpoint() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoint
}

// Run reads the rows, follows them and passes every change to sink until ctx ends, as Conn.Run does. It
// returns when all its goroutines have ended.
func (c *RemoteConn) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	c.connectFor(ctx, live, func(ctx context.Context, cfg Config) {
		conn := Dial(cfg)
		c.mu.Lock()
		c.current = conn
		c.mu.Unlock()
		conn.Run(ctx, sink)
	})
}

// Read reads one snapshot and closes the connection, independently of Run.
func (c *RemoteConn) Read(ctx context.Context) (db *nb.DB, err error) {
	c.connectFor(ctx, snapshotOnly, func(ctx context.Context, cfg Config) { db, err = Dial(cfg).Read(ctx) })
	if err != nil {
		c.forgetSite()
		return nil, fmt.Errorf("reading zone %s: %w", c.cfg.Name, err)
	}
	return db, nil
}

// Connect opens a connection of its own, for a reader that speaks OVSDB itself and writes nothing. Its Close
// waits until the programs have ended.
func (c *RemoteConn) Connect(ctx context.Context) (net.Conn, error) {
	under, cancel := context.WithCancel(ctx)
	out := &programConn{end: cancel}
	opening, opened := context.WithTimeout(under, c.cfg.ConnectTimeout)
	defer opened()
	var err error
	if out.Conn, err = c.dialDatabase(under, opening, &out.programs, foreign); err != nil {
		cancel()
		out.programs.Wait()
		return nil, fmt.Errorf("connecting to zone %s: %w", c.cfg.Name, err)
	}
	return out, nil
}

// programConn joins a connection with the programs behind it.
type programConn struct {
	net.Conn
	end      context.CancelFunc
	programs sync.WaitGroup
}

func (a *programConn) Close() error {
	err := a.Conn.Close()
	a.end()
	a.programs.Wait()
	return err
}

// Resync drops Run's connection, if any, so that all rows are read again.
func (c *RemoteConn) Resync() {
	c.mu.Lock()
	live := c.current
	c.mu.Unlock()
	if live != nil {
		live.Resync()
	}
}

// Transact always fails. The right to exec into the pod allows everything there, and Rung never uses it to
// write.
func (c *RemoteConn) Transact(context.Context, []nb.Op) ([]nb.OpResult, error) {
	return nil, fmt.Errorf("writing to zone %s: %w: Rung never writes through exec", c.cfg.Name, model.ErrRejected)
}

// connectFor calls do with a Config that connects through programs. The programs have ended when it returns.
func (c *programAccess) connectFor(ctx context.Context, use connectionUse, do func(context.Context, Config)) {
	var programs sync.WaitGroup
	defer programs.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	do(ctx, Config{
		Name: c.cfg.Name, StrictName: true, Addr: "exec:" + words.CleanText(c.cfg.Name),
		Dial:  func(dial context.Context) (net.Conn, error) { return c.dialDatabase(ctx, dial, &programs, use) },
		Probe: c.cfg.Quiet, ConnectTimeout: c.cfg.ConnectTimeout, BackoffMin: c.cfg.BackoffMin, BackoffMax: c.cfg.BackoffMax,
		Limit: c.cfg.Limit, Share: c.cfg.Share, Slot: c.cfg.Slot, Log: c.cfg.Log,
	})
}

// RemoteSouthbound reads one zone's Southbound database through programs in a pod. Call Run once; Read may be
// called at any time.
type RemoteSouthbound struct{ programAccess }

// DialRemoteSouthbound returns a connection that Run keeps up. Nothing is connected before Run or Read. The
// zone's name is not checked, since a Southbound database does not contain it.
func DialRemoteSouthbound(cfg RemoteConfig) *RemoteSouthbound {
	return &RemoteSouthbound{programAccess{cfg: cfg.withDefaults(southbound), db: southbound, endpoint: "exec:" + words.CleanText(cfg.Name)}}
}

// Run reads the rows, follows them and passes them to sink until ctx ends, as Southbound.Run does. It returns
// when all its goroutines have ended.
func (c *RemoteSouthbound) Run(ctx context.Context, sink func(SouthboundUpdate)) {
	c.connectFor(ctx, live, func(ctx context.Context, cfg Config) { DialSouthbound(cfg).Run(ctx, sink) })
}

// Read reads one snapshot and closes the connection, independently of Run.
func (c *RemoteSouthbound) Read(ctx context.Context) (db *flow.DB, err error) {
	c.connectFor(ctx, snapshotOnly, func(ctx context.Context, cfg Config) { db, err = DialSouthbound(cfg).Read(ctx) })
	if err != nil {
		c.forgetSite()
		return nil, fmt.Errorf("reading the flows of zone %s: %w", c.cfg.Name, err)
	}
	return db, nil
}
