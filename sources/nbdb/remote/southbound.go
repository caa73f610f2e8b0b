package remote

import (
	"context"
	"fmt"
	"net"
	"sync"

	"rung/model/clean"
	"rung/model/ovn/sb"
	"rung/sources/nbdb"
)

// Southbound reads one zone's Southbound database through programs beside it, as Conn
// reads the Northbound one. Run it once; Read may be called beside it.
type Southbound struct{ reach }

// DialSouthbound makes a connection that Run will keep up. Nothing happens before Run or
// Read. Names of zones are not compared: a Southbound database does not say whose it is.
func DialSouthbound(cfg Config) *Southbound {
	return &Southbound{reach{cfg: cfg.withDefaults(southbound), db: southbound, endpoint: "exec:" + clean.Text(cfg.Name)}}
}

// Run reads the rows, follows them and hands them to sink until ctx ends, as
// nbdb.Southbound.Run does. It returns when all its goroutines have ended.
func (c *Southbound) Run(ctx context.Context, sink func(nbdb.SouthboundUpdate)) {
	var programs sync.WaitGroup
	defer programs.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	nbdb.DialSouthbound(c.config(func(dial context.Context) (net.Conn, error) {
		return c.dial(ctx, dial, &programs, live)
	})).Run(ctx, sink)
}

// Read reads one snapshot and hangs up, whether Run is running or not.
func (c *Southbound) Read(ctx context.Context) (*sb.DB, error) {
	var programs sync.WaitGroup
	defer programs.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	db, err := nbdb.DialSouthbound(c.config(func(dial context.Context) (net.Conn, error) {
		return c.dial(ctx, dial, &programs, once)
	})).Read(ctx)
	if err != nil {
		c.forget()
		return nil, fmt.Errorf("reading the flows of zone %s: %w", c.cfg.Name, err)
	}
	return db, nil
}
