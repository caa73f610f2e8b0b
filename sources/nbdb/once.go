package nbdb

import (
	"context"
	"rung/model/nb"
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
