package nbdb

import (
	"cmp"
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

	// With the session's lock; only the reader writes them.
	db      *nb.DB
	skipped SkippedRows
	pending changeFold // changes not delivered yet
}

// openNorthbound dials, checks the schema and reads the snapshot.
func openNorthbound(ctx context.Context, cfg *Config) (n *northboundSession, err error) {
	err = openSession(ctx, cfg, func(s *session) sessionRows {
		n = &northboundSession{session: s}
		return n
	})
	return n, err
}

func (*northboundSession) databaseName() string { return nb.Database }

func (n *northboundSession) monitorRequest(schema []byte) ([]byte, string, error) {
	return monitorRequests(schema, nb.Database, watched, n.cfg.Tables...)
}

func (n *northboundSession) takeUpdates(updates []byte, snapshot bool) (publish func(), err error) {
	// Only this goroutine writes skipped; others read it with the lock.
	left := SkippedRows{maps.Clone(n.skipped.rows), n.skipped.unnamed}
	ch, err := readChanges(updates, n.db, n.cfg.Share, &left)
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
		n.db, n.skipped = db, left
		if !snapshot {
			n.pending.addChanges(ch)
		}
	}, nil
}

// takeNews returns the rows, and the changes since the last call.
func (n *northboundSession) takeNews() (db *nb.DB, ch []nb.RowChange, seq uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.db, n.pending.takeChanges(), n.seq
}

// skippedText describes the skipped rows, "" if there are none.
func (n *northboundSession) skippedText() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.skipped.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// wholeSnapshot returns the snapshot, or an error if rows were skipped: its callers cannot report them
// otherwise.
func (n *northboundSession) wholeSnapshot() (*nb.DB, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.skipped.Err(); err != nil {
		return nil, fmt.Errorf("reading the rows of %s: %w", n.cfg.Addr, err)
	}
	return n.db, nil
}

// changeFold merges row changes into one per row, from its oldest old to its newest new, in the order of first
// changes.
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
			f.indexes[changedUUID(c)] = i
		}
	}
	for _, c := range ch {
		if i, ok := f.indexes[changedUUID(c)]; ok {
			f.changes[i].New, f.changes[i].Step = c.New, nil // Step describes only one change
			continue
		}
		f.indexes[changedUUID(c)] = len(f.changes)
		f.changes = append(f.changes, c)
	}
}

// takeChanges returns and clears the changes. It omits rows that came and went.
func (f *changeFold) takeChanges() []nb.RowChange {
	ch := f.changes
	f.changes, f.indexes = nil, nil
	return slices.DeleteFunc(ch, func(c nb.RowChange) bool { return c.Old == nil && c.New == nil })
}

func changedUUID(c nb.RowChange) string { return cmp.Or(c.New, c.Old).RowUUID() }

// ErrRowID means that a row's _uuid is not a UUID. No OVSDB server writes one; an attacker may, to get it into
// a printed command.
var ErrRowID = errors.New("its _uuid is not a UUID")

// SkippedRows lists rows skipped because of their _uuid. The zero value is empty. Use it from one goroutine at a
// time.
type SkippedRows struct {
	rows    map[string]string // by table and _uuid: the row's name
	unnamed int
}

// maxLeft limits the remembered rows.
const maxLeft = 100

// AddRow adds a skipped row. row holds its other columns, or is nil.
func (l *SkippedRows) AddRow(table, uuid string, row nb.Row) {
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

// RemoveRow removes a deleted row.
func (l *SkippedRows) RemoveRow(table, uuid string) { delete(l.rows, table+" "+uuid) }

// Err describes the skipped rows in one line, wrapping ErrRowID; nil if there are none.
func (l *SkippedRows) Err() error {
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
