package sandbox

import (
	"iter"
	"maps"
	"slices"

	"github.com/google/uuid"

	"rung/sources/nbdb"
)

// Row has a value for every column of its table.
type Row map[string]Datum

// DB is a database. It is not safe for concurrent use.
type DB struct {
	Schema *Schema
	tables map[string]map[UUID]Row
	strong map[UUID]int                   // references that keep a row
	weak   map[UUID]map[rowPlace]struct{} // rows that refer to it weakly
	keys   map[string][]map[string]UUID
}

// rowPlace is where a row is.
type rowPlace struct {
	table string
	uuid  UUID
}

// RowChange is the change of one row by a transaction: Old is nil for a new row, New for a
// deleted one.
type RowChange struct {
	Table    string
	UUID     UUID
	Old, New Row
}

// New makes an empty database.
func New(s *Schema) *DB {
	db := &DB{Schema: s, tables: map[string]map[UUID]Row{}, strong: map[UUID]int{},
		weak: map[UUID]map[rowPlace]struct{}{}, keys: map[string][]map[string]UUID{}}
	for name, t := range s.Tables {
		db.tables[name] = map[UUID]Row{}
		for range t.Indexes {
			db.keys[name] = append(db.keys[name], map[string]UUID{})
		}
	}
	return db
}

// Rows walks a table, in no order.
func (db *DB) Rows(table string) iter.Seq2[UUID, Row] { return maps.All(db.tables[table]) }

// AppendRow writes a row as JSON: the columns named, all without any. With
// brief, those that have their default value are left out.
func (db *DB) AppendRow(b []byte, table string, id UUID, row Row, columns []string, brief bool) []byte {
	t := db.Schema.Tables[table]
	if columns == nil {
		columns = append(slices.Sorted(maps.Keys(t.Columns)), "_uuid", "_version")
	}
	b = append(b, '{')
	member := func(name string) { b = append(nbdb.AppendString(nbdb.AppendComma(b), name), ':') }
	for _, name := range columns {
		c := t.Columns[name]
		switch {
		case c == nil && (name == "_uuid" || name == "_version") && !brief:
			member(name)
			b = appendAtom(b, id) // versions are only ever compared with one another
		case c == nil, brief && row[name].equals(defaultOf(c)):
		default:
			member(name)
			b = appendDatum(b, row[name], c)
		}
	}
	return append(b, '}')
}

// AppendDelta writes how a row changed, in the notation of update2, for the
// columns named; nil when none of them changed.
func (db *DB) AppendDelta(b []byte, ch *RowChange, columns []string) []byte {
	t := db.Schema.Tables[ch.Table]
	b = append(b, '{')
	for _, name := range columns {
		if t.Columns[name] == nil || ch.Old[name].equals(ch.New[name]) {
			continue
		}
		b = append(nbdb.AppendString(nbdb.AppendComma(b), name), ':')
		b = appendDatum(b, ch.Old[name].diffTo(ch.New[name], t.Columns[name]), t.Columns[name])
	}
	if b[len(b)-1] == '{' {
		return nil
	}
	return append(b, '}')
}

// AppendOld writes the old values of the columns named that changed, as the
// first kind of monitor reports them.
func (db *DB) AppendOld(b []byte, ch *RowChange, columns []string) []byte {
	var changed []string
	for _, name := range columns {
		if !ch.Old[name].equals(ch.New[name]) {
			changed = append(changed, name)
		}
	}
	return db.AppendRow(b, ch.Table, ch.UUID, ch.Old, slices.Concat([]string{}, changed), false)
}

func newUUID() UUID { return UUID(uuid.NewString()) }

// walkReferences walks what a row refers to.
func walkReferences(t *Table, row Row, each func(to rowPlace, weak bool)) {
	for name, c := range t.Columns {
		if c.Key.RefTable == "" {
			continue
		}
		for _, k := range row[name].Keys {
			if u, ok := k.(UUID); ok {
				each(rowPlace{c.Key.RefTable, u}, c.Key.Weak)
			}
		}
	}
}

// indexKey is a row's value under an index.
func indexKey(t *Table, index []string, row Row) string {
	var b []byte
	for _, name := range index {
		b = append(appendDatum(b, row[name], t.Columns[name]), 0)
	}
	return string(b)
}
