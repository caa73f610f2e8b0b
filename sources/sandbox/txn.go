package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"rung/sources/nbdb"
)

// transaction is a transaction under way.
type transaction struct {
	db      *DB
	changed map[rowPlace]Row // nil: deleted
	names   map[string]UUID
	used    map[string]bool // names that an insert has taken
}

// Transact runs the operations and returns the results as a JSON array and,
// when all is well, what changed in the database.
func (db *DB) Transact(ops []json.RawMessage) (results []byte, changes []RowChange) {
	t := &transaction{db: db, changed: map[rowPlace]Row{}, names: map[string]UUID{}, used: map[string]bool{}}
	results = []byte{'['}
	var failed error
	for _, op := range ops {
		results = nbdb.AppendComma(results)
		if failed != nil {
			results = append(results, "null"...)
			continue
		}
		var r []byte
		r, failed = t.runOperation(op)
		if failed != nil {
			r = appendError(nil, failed)
		}
		results = append(results, r...)
	}
	if failed == nil {
		changes, failed = t.commitChanges()
		if failed != nil {
			results = appendError(nbdb.AppendComma(results), failed)
		}
	}
	return append(results, ']'), changes
}

func appendError(b []byte, err error) []byte {
	var f *opFailure
	if !errors.As(err, &f) {
		f = &opFailure{"internal error", err.Error()}
	}
	b = nbdb.AppendString(append(b, `{"error":`...), f.code)
	return append(nbdb.AppendString(append(b, `,"details":`...), f.details), '}')
}

// operation is an operation taken apart.
type operation struct {
	op, table string
	members   map[string]json.RawMessage
	t         *Table
}

func (t *transaction) runOperation(raw json.RawMessage) ([]byte, error) {
	o := operation{}
	if err := json.Unmarshal(raw, &o.members); err != nil {
		return nil, syntaxError("an operation is an object")
	}
	_ = json.Unmarshal(o.members["op"], &o.op)
	_ = json.Unmarshal(o.members["table"], &o.table)
	switch o.op {
	case "comment", "commit":
		return []byte("{}"), nil
	case "abort":
		return nil, &opFailure{"aborted", "aborted by request"}
	case "assert":
		return nil, &opFailure{"not owner", "there are no locks here"}
	}
	o.t = t.db.Schema.Tables[o.table]
	if o.t == nil {
		return nil, syntaxError("no table named %s", o.table)
	}
	switch o.op {
	case "insert":
		return t.insertRow(&o)
	case "select":
		return t.selectRows(&o)
	case "wait":
		return t.waitRows(&o)
	case "update":
		row, err := t.readRow(&o, o.members["row"])
		if err != nil {
			return nil, err
		}
		return t.eachRow(&o, func(p rowPlace, old Row) error {
			next := maps.Clone(old)
			maps.Copy(next, row)
			t.changed[p] = next
			return nil
		})
	case "mutate":
		return t.mutateRows(&o)
	case "delete":
		return t.eachRow(&o, func(p rowPlace, _ Row) error {
			t.changed[p] = nil
			return nil
		})
	}
	return nil, syntaxError("no operation named %s", o.op)
}

// rowOf is a row as the transaction sees it.
func (t *transaction) rowOf(p rowPlace) Row {
	if row, ok := t.changed[p]; ok {
		return row
	}
	return t.db.tables[p.table][p.uuid]
}

func (t *transaction) namedUUID(s string) UUID {
	u, ok := t.names[s]
	if !ok {
		u = newUUID()
		t.names[s] = u
	}
	return u
}

func (t *transaction) newReader(raw []byte) *valueReader {
	return &valueReader{Lexer: nbdb.NewLexer(raw), names: t.namedUUID}
}

// readRow reads an object of columns.
func (t *transaction) readRow(o *operation, raw []byte) (Row, error) {
	row := Row{}
	r := t.newReader(raw)
	var bad error
	r.Object(func(key []byte) {
		name := string(key)
		c := o.t.Columns[name]
		if c == nil {
			if bad == nil {
				bad = syntaxError("no column %s in table %s", name, o.table)
			}
			r.Skip()
			return
		}
		d, err := r.readDatum(c, false, false)
		if err != nil && bad == nil {
			bad = columnError(err, o.table, name)
		}
		row[name] = d
	})
	if bad != nil {
		return nil, bad
	}
	if err := r.End(); err != nil {
		return nil, syntaxError("%v", err)
	}
	return row, nil
}

func columnError(err error, table, column string) error {
	var f *opFailure
	if errors.As(err, &f) {
		return &opFailure{f.code, fmt.Sprintf("column %s of table %s: %s", column, table, f.details)}
	}
	return err
}

func (t *transaction) insertRow(o *operation) ([]byte, error) {
	var name, explicit string
	if raw := o.members["uuid-name"]; raw != nil {
		if json.Unmarshal(raw, &name) != nil || name == "" {
			return nil, syntaxError("uuid-name is not a string")
		}
		if t.used[name] {
			return nil, &opFailure{"duplicate uuid-name", "This \"uuid-name\" appeared on an earlier \"insert\" operation."}
		}
		t.used[name] = true
	}
	row, err := t.readRow(o, o.members["row"])
	if err != nil {
		return nil, err
	}
	for column, c := range o.t.Columns {
		if _, ok := row[column]; !ok {
			row[column] = defaultOf(c)
		}
	}
	id := newUUID()
	if name != "" {
		id = t.namedUUID(name)
	}
	if raw := o.members["uuid"]; raw != nil {
		if json.Unmarshal(raw, &explicit) != nil || !isUUID(explicit) {
			return nil, syntaxError("uuid is not a UUID")
		}
		id = UUID(explicit)
	}
	p := rowPlace{o.table, id}
	if t.rowOf(p) != nil {
		return nil, &opFailure{"duplicate uuid", "This UUID would duplicate a UUID already present within the table."}
	}
	t.changed[p] = row
	return append(appendAtom([]byte(`{"uuid":`), id), '}'), nil
}
