package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"rung/sources/nbdb"
)

// Row has a value for every column of its table. It is never changed, only replaced.
type Row map[string]Datum

// MemDB is a database. It is not safe for concurrent use.
type MemDB struct {
	Schema *Schema
	tables map[string]map[UUID]Row
	strong map[UUID]int // number of strong references to each row
	keys   map[indexKey]UUID
}

// rowPlace identifies a row.
type rowPlace struct {
	table string
	uuid  UUID
}

// indexKey is a row's value under an index of its table, as JSON.
type indexKey struct {
	table string
	index int
	value string
}

// RowChange is the change of one row by a transaction: Old is nil for a new row, New for a
// deleted one.
type RowChange struct {
	Table    string
	UUID     UUID
	Old, New Row
}

// NewDB returns an empty database with the schema of a schema file.
func NewDB(schema []byte) (*MemDB, error) {
	db := &MemDB{Schema: &Schema{}, tables: map[string]map[UUID]Row{}, strong: map[UUID]int{}, keys: map[indexKey]UUID{}}
	if err := json.Unmarshal(schema, db.Schema); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	for name := range db.Schema.Tables {
		db.tables[name] = map[UUID]Row{}
	}
	return db, nil
}

func (db *MemDB) rowAt(p rowPlace) Row { return db.tables[p.table][p.uuid] }

// replaceRow replaces a row; nil deletes it.
func (db *MemDB) replaceRow(p rowPlace, row Row) {
	for _, to := range db.strongReferences(p.table, db.rowAt(p)) {
		db.strong[to.uuid]--
		if db.strong[to.uuid] == 0 {
			delete(db.strong, to.uuid)
		}
	}
	for _, to := range db.strongReferences(p.table, row) {
		db.strong[to.uuid]++
	}
	if row == nil {
		delete(db.tables[p.table], p.uuid)
	} else {
		db.tables[p.table][p.uuid] = row
	}
}

// strongReferences returns the rows that a row references strongly.
func (db *MemDB) strongReferences(table string, row Row) (out []rowPlace) {
	for name, c := range db.Schema.Tables[table].Columns {
		if c.Key.RefTable == "" || c.Key.RefType == "weak" {
			continue
		}
		for _, e := range row[name] {
			out = append(out, rowPlace{c.Key.RefTable, atomUUID(e.Key)})
		}
	}
	return out
}

// indexKeys returns a row's values in the indexes of its table.
func (db *MemDB) indexKeys(table string, row Row) (out []indexKey) {
	if row == nil {
		return nil
	}
	t := db.Schema.Tables[table]
	for i, index := range t.Indexes {
		var value []byte
		for _, name := range index {
			value = append(appendDatum(value, row[name], t.Columns[name]), ' ')
		}
		out = append(out, indexKey{table, i, string(value)})
	}
	return out
}

// AppendRow appends a row as JSON with the given columns, all if nil. brief omits default values.
func (db *MemDB) AppendRow(b []byte, table string, id UUID, row Row, columns []string, brief bool) []byte {
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
			b = append(b, uuidAtom(id)...) // versions are only compared with one another
		case c == nil, brief && slices.Equal(row[name], defaultDatum(c)):
		default:
			member(name)
			b = appendDatum(b, row[name], c)
		}
	}
	return append(b, '}')
}

// AppendDelta appends the changes of the given columns in the notation of update2.
func (db *MemDB) AppendDelta(b []byte, ch *RowChange, columns []string) []byte {
	b = append(b, '{')
	for _, name := range db.changedColumns(ch, columns) {
		c := db.Schema.Tables[ch.Table].Columns[name]
		b = append(nbdb.AppendString(nbdb.AppendComma(b), name), ':')
		b = appendDatum(b, ch.Old[name].diffTo(ch.New[name], c), c)
	}
	return append(b, '}')
}

// changedColumns returns the given columns whose value changed, never nil.
func (db *MemDB) changedColumns(ch *RowChange, columns []string) []string {
	out := []string{}
	for _, name := range columns {
		if !slices.Equal(ch.Old[name], ch.New[name]) {
			out = append(out, name)
		}
	}
	return out
}
