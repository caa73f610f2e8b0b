package nbdb

import (
	"encoding/json"
	"fmt"
	"time"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// databaseState is the database after the records read so far.
type databaseState struct {
	kind          databaseKind
	rows          map[rowKey]databaseRow
	name, version string
	committedAt   time.Time
	skippedRows   SkippedRows
	raft          raftState
}

type rowKey struct{ table, uuid string }

// takeSchema starts an empty database with that schema.
func (s *databaseState) takeSchema(raw []byte) error {
	var in struct{ Name string }
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("%w: the schema: %w", ErrContent, err)
	}
	name := words.CleanText(in.Name)
	if name != s.kind.name {
		return fmt.Errorf("%w than %s: %q", ErrOther, s.kind.name, name)
	}
	_, version, err := monitorRequests(raw, name, s.kind.read)
	if err != nil {
		return err
	}
	s.name, s.version = name, version
	s.rows = map[rowKey]databaseRow{}
	return nil
}

// tableChanges holds a transaction's changes of one table.
type tableChanges struct {
	table string
	raw   []byte
}

// replayTransaction replays one transaction record. For each table it has null for a deleted row, else the
// columns of a new row or the changed columns. Members come in any order: _is_diff may follow the rows.
func (s *databaseState) replayTransaction(raw []byte) error {
	var tables []tableChanges
	var date int
	diff := false
	l := NewLexer(raw)
	l.Object(func(key []byte) {
		switch string(key) {
		case "_date":
			date = l.Int()
		case "_is_diff":
			diff = l.Bool()
		default:
			if table := tableIn(s.kind.read, key); table != "" {
				tables = append(tables, tableChanges{table, l.Raw()})
				return
			}
			l.Skip() // _comment, and unread tables
		}
	})
	if err := l.End(); err != nil {
		return fmt.Errorf("%w: %w", ErrContent, err)
	}
	next := map[rowKey]databaseRow{} // nil for a deleted row
	for _, t := range tables {
		if err := s.readTable(t, diff, next); err != nil {
			return err
		}
	}
	for k, r := range next {
		if r == nil {
			delete(s.rows, k)
		} else {
			s.rows[k] = r
		}
	}
	switch at := int64(date); {
	case at >= 1<<32:
		s.committedAt = time.UnixMilli(at)
	case at > 0: // seconds, of an early version of OVSDB (ovsdb(5))
		s.committedAt = time.Unix(at, 0)
	}
	return nil
}

// readTable reads the rows of one table into next.
func (s *databaseState) readTable(t tableChanges, diff bool, next map[rowKey]databaseRow) error {
	var misfit error
	l := NewLexer(t.raw)
	l.Object(func(id []byte) {
		uuid := words.CleanText(string(id))
		if !nb.IsUUID(uuid) {
			switch {
			case l.Null():
				s.skippedRows.RemoveRow(t.table, string(id))
			case s.kind.reportsSkipped:
				row, _ := s.kind.row(l, t.table, "", nil, diff).(nb.Row)
				s.skippedRows.AddRow(t.table, string(id), row)
			default:
				l.Skip() // skipped, as when read from a server
			}
			return
		}
		k := rowKey{t.table, uuid}
		old := s.rows[k]
		if !l.Null() {
			next[k] = s.kind.row(l, t.table, uuid, old, diff)
			return
		}
		if old == nil && misfit == nil && t.table != s.kind.partialTable {
			misfit = fmt.Errorf("%w: it deletes the unknown row %s %s", ErrContent, t.table, uuid)
		}
		next[k] = nil
	})
	if err := l.End(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrContent, t.table, err)
	}
	return misfit
}

// databaseRow is a row of either database.
type databaseRow interface{ RowUUID() string }

// databaseKind describes which of OVN's two databases is read, and how.
type databaseKind struct {
	name string
	read []tableRead
	// row reads the columns of the next row in l, in the protocol's notation, so that file and server give the
	// same rows. It returns nil for a row that is not kept.
	row func(l *Lexer, table, uuid string, old databaseRow, diff bool) databaseRow
	// reportsSkipped makes rows without a valid _uuid an error of the result.
	reportsSkipped bool
	// partialTable is a table with unkept rows: deleting an unknown one is no error.
	partialTable string
	fill         func(*Result, map[rowKey]databaseRow)
}

func northboundKind(share *Sharing) databaseKind {
	d := &rowDecoder{share: share}
	return databaseKind{name: nb.Database, read: watched, reportsSkipped: true,
		row: func(l *Lexer, table, uuid string, old databaseRow, diff bool) databaseRow {
			d.Lexer = l
			was, _ := old.(nb.Row)
			return d.readRow(table, internClean([]byte(uuid)), was, diff)
		},
		fill: func(r *Result, rows map[rowKey]databaseRow) {
			ch := make([]nb.RowChange, 0, len(rows))
			for _, r := range rows {
				ch = append(ch, nb.RowChange{New: r.(nb.Row)})
			}
			r.DB = (*nb.DB)(nil).Apply(ch)
		}}
}

func southboundKind() databaseKind {
	d := &rowDecoder{}
	return databaseKind{name: flow.Database, read: watchedSouthbound, partialTable: flow.TableFlow,
		row: func(l *Lexer, table, uuid string, old databaseRow, diff bool) databaseRow {
			d.Lexer = l
			was, _ := old.(flow.Row)
			return d.readSouthbound(table, uuid, was, diff)
		},
		fill: func(r *Result, rows map[rowKey]databaseRow) {
			ch := make([]flow.RowChange, 0, len(rows))
			for _, r := range rows {
				ch = append(ch, flow.RowChange{New: r.(flow.Row)})
			}
			r.Flows = (*flow.DB)(nil).Apply(ch)
		}}
}
