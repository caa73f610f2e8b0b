package remote

import (
	"context"
	"fmt"

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
	c.connect(ctx, live, func(ctx context.Context, cfg nbdb.Config) { nbdb.DialSouthbound(cfg).Run(ctx, sink) })
}

// Read reads one snapshot and hangs up, whether Run is running or not.
func (c *Southbound) Read(ctx context.Context) (db *sb.DB, err error) {
	c.connect(ctx, once, func(ctx context.Context, cfg nbdb.Config) { db, err = nbdb.DialSouthbound(cfg).Read(ctx) })
	if err != nil {
		c.forget()
		return nil, fmt.Errorf("reading the flows of zone %s: %w", c.cfg.Name, err)
	}
	return db, nil
}
