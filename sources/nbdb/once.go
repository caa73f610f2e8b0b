package nbdb

import (
	"context"
	"fmt"
	"net"

	"rung/model/ovn/nb"
)

// Read reads one snapshot over a connection of its own and hangs up, whether Run
// is running or not. Unlike the function of that name it refuses the database of
// another zone.
func (c *Conn) Read(ctx context.Context) (*nb.DB, error) {
	s, err := openNorthbound(ctx, &c.cfg)
	if err != nil {
		return nil, err
	}
	defer s.close(errClosed)
	return s.whole()
}

// Connect opens a connection of its own, for a reader that speaks the protocol itself.
func (c *Conn) Connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ConnectTimeout)
	defer cancel()
	conn, err := c.cfg.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", c.cfg.Addr, err)
	}
	return conn, nil
}
