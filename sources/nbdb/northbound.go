package nbdb

import (
	"context"
	"fmt"
	"maps"

	"rung/model/ovn/nb"
)

// northbound is a session on a Northbound database.
type northbound struct {
	*session
	cfg *Config
	// written is what is on its way, for the reader.
	written written

	// With the session's lock; only the reader writes them.
	db      *nb.DB
	left    Left
	pending fold // changes not handed out yet
}

// openNorthbound dials, checks the schema and reads the snapshot.
func openNorthbound(ctx context.Context, cfg *Config) (*northbound, error) {
	n := &northbound{cfg: cfg}
	s, err := open(ctx, cfg, n)
	if err != nil {
		return nil, err
	}
	n.session = s
	return n, nil
}

func (*northbound) database() string { return nb.Database }

func (n *northbound) requests(schema []byte) ([]byte, string, error) {
	return requests(schema, nb.Database, watched, n.cfg.Tables...)
}

func (n *northbound) take(updates []byte, snapshot bool) (publish func(), err error) {
	// Only this goroutine writes left, and others read it with the lock.
	left := Left{maps.Clone(n.left.rows), n.left.more}
	var sent []*sent
	if !snapshot {
		sent = n.written.now()
	}
	ch, err := changes(updates, n.db, n.cfg.Share, sent, &left)
	if err != nil {
		return nil, err
	}
	db := n.db.Apply(ch)
	if err := n.checkName(db); err != nil {
		return nil, err
	}
	return func() {
		n.db, n.left = db, left
		if !snapshot {
			n.pending.add(ch)
		}
	}, nil
}

// checkName refuses the database of another zone, where the name matters.
func (n *northbound) checkName(db *nb.DB) error {
	if n.cfg.AnyName {
		return nil
	}
	if g := db.Global(); n.cfg.StrictName && (g == nil || g.Name == "") {
		return fmt.Errorf("%w: NB_Global has no name, so it may not be %q", ErrWrongZone, n.cfg.Name)
	}
	return CheckName(db, n.cfg.Name)
}

// news hands out what came since the last time.
func (n *northbound) news() (db *nb.DB, ch []nb.RowChange, seq uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.db, n.pending.take(), n.seq
}

// aside names the rows that are left aside, empty without any.
func (n *northbound) aside() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.left.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// whole is the snapshot for somebody who has no other way to hear that rows are left
// aside: then it is an error.
func (n *northbound) whole() (*nb.DB, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.left.Err(); err != nil {
		return nil, fmt.Errorf("reading the rows of %s: %w", n.cfg.Addr, err)
	}
	return n.db, nil
}
