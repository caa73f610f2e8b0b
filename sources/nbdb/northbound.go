package nbdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// northboundSession is a session on a Northbound database.
type northboundSession struct {
	*session
	cfg *Config
	// written holds the transactions under way, for the reader.
	written pendingWrites

	// With the session's lock; only the reader writes them.
	db        *nb.DB
	asideRows RowsAside
	pending   changeFold // changes not handed out yet
}

// openNorthbound dials, checks the schema and reads the snapshot.
func openNorthbound(ctx context.Context, cfg *Config) (*northboundSession, error) {
	n := &northboundSession{cfg: cfg}
	s, err := openSession(ctx, cfg, n)
	if err != nil {
		return nil, err
	}
	n.session = s
	return n, nil
}

func (*northboundSession) databaseName() string { return nb.Database }

func (n *northboundSession) monitorRequest(schema []byte) ([]byte, string, error) {
	return monitorRequests(schema, nb.Database, watched, n.cfg.Tables...)
}

func (n *northboundSession) takeUpdates(updates []byte, snapshot bool) (publish func(), err error) {
	// Only this goroutine writes left, and others read it with the lock.
	left := RowsAside{maps.Clone(n.asideRows.rows), n.asideRows.unnamed}
	var sent []*sentRows
	if !snapshot {
		sent = n.written.currentWrites()
	}
	ch, err := readChanges(updates, n.db, n.cfg.Share, sent, &left)
	if err != nil {
		return nil, err
	}
	db := n.db.Apply(ch)
	if !n.cfg.AnyName {
		if err := checkName(db, n.cfg.Name, n.cfg.StrictName); err != nil {
			return nil, err
		}
	}
	return func() {
		n.db, n.asideRows = db, left
		if !snapshot {
			n.pending.addChanges(ch)
		}
	}, nil
}

// takeNews hands out what came since the last time.
func (n *northboundSession) takeNews() (db *nb.DB, ch []nb.RowChange, seq uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.db, n.pending.takeChanges(), n.seq
}

// rowsAside names the rows that are left aside, empty without any.
func (n *northboundSession) rowsAside() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.asideRows.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// wholeSnapshot is the snapshot for somebody who has no other way to hear that rows are left
// aside: then it is an error.
func (n *northboundSession) wholeSnapshot() (*nb.DB, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.asideRows.Err(); err != nil {
		return nil, fmt.Errorf("reading the rows of %s: %w", n.cfg.Addr, err)
	}
	return n.db, nil
}

// changeFold gathers row changes and keeps one per row: from its oldest old to its
// newest new. The order is that of each row's first change.
type changeFold struct {
	changes []nb.RowChange
	indexes map[string]int // uuid → index in changes
}

func (f *changeFold) addChanges(ch []nb.RowChange) {
	if len(f.changes) == 0 {
		f.changes = ch
		return
	}
	if f.indexes == nil {
		f.indexes = make(map[string]int, len(f.changes)+len(ch))
		for i, c := range f.changes {
			f.indexes[uuidOf(c)] = i
		}
	}
	for _, c := range ch {
		if i, ok := f.indexes[uuidOf(c)]; ok {
			f.changes[i].New, f.changes[i].Step = c.New, nil // it was of one change alone
			continue
		}
		f.indexes[uuidOf(c)] = len(f.changes)
		f.changes = append(f.changes, c)
	}
}

// takeChanges returns the changes and starts anew. A row that came and went is left
// out.
func (f *changeFold) takeChanges() []nb.RowChange {
	ch := f.changes
	f.changes, f.indexes = nil, nil
	keep := ch[:0]
	for _, c := range ch {
		if c.Old != nil || c.New != nil {
			keep = append(keep, c)
		}
	}
	return keep
}

func uuidOf(c nb.RowChange) string {
	if c.New != nil {
		return c.New.RowUUID()
	}
	return c.Old.RowUUID()
}

// ErrRowID is a row whose _uuid is none. No OVSDB server writes one; whoever does
// wants it printed in a command.
var ErrRowID = errors.New("its _uuid is not a UUID")

// RowsAside are the rows of a database that are left aside because of their _uuid. The
// zero RowsAside is empty; it is for one goroutine at a time.
type RowsAside struct {
	rows    map[string]string // by table and _uuid: how the row is called
	unnamed int
}

// maxLeft bounds how many are remembered.
const maxLeft = 100

// AddRow takes in a row that is left aside; row holds its other columns, or is nil.
func (l *RowsAside) AddRow(table, uuid string, row nb.Row) {
	key := table + " " + uuid
	if _, known := l.rows[key]; known {
		return
	}
	if len(l.rows) >= maxLeft {
		l.unnamed++
		return
	}
	if l.rows == nil {
		l.rows = map[string]string{}
	}
	const most = 60
	short := []rune(words.CleanText(uuid))
	name := table + " " + strconv.Quote(string(short[:min(most, len(short))]))
	if row != nil && row.RowName() != "" {
		called := []rune(row.RowName())
		name += " (" + string(called[:min(most, len(called))]) + ")"
	}
	l.rows[key] = name
}

// RemoveRow takes in that such a row went.
func (l *RowsAside) RemoveRow(table, uuid string) { delete(l.rows, table+" "+uuid) }

// Err names them in one line, nil when there are none; it wraps ErrRowID.
func (l *RowsAside) Err() error {
	if len(l.rows) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Values(l.rows))[0]
	more := ""
	if n := len(l.rows) - 1 + l.unnamed; n > 0 {
		more = fmt.Sprintf(" and %d more rows", n)
	}
	return fmt.Errorf("skipped: %s%s: %w", first, more, ErrRowID)
}
