package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"rung/sources/nbdb"
)

// transaction is a transaction under way. It writes to the database directly, and is rolled back if it fails.
type transaction struct {
	db    *MemDB
	was   map[rowPlace]Row // the previous versions of written rows; nil for new ones
	names map[string]UUID
	used  map[string]bool // names used by inserts
}

// Transact runs the operations and returns the results as a JSON array and, if all succeed, the changes.
func (db *MemDB) Transact(ops []json.RawMessage) (results []byte, changes []RowChange) {
	t := &transaction{db: db, was: map[rowPlace]Row{}, names: map[string]UUID{}, used: map[string]bool{}}
	results = []byte{'['}
	var failed error
	for _, op := range ops {
		result := []byte("null")
		if failed == nil {
			result, failed = t.runOperation(op)
			if failed != nil {
				result = errorResult(failed)
			}
		}
		results = append(nbdb.AppendComma(results), result...)
	}
	if failed == nil {
		changes, failed = t.commitChanges()
		if failed != nil {
			results = append(nbdb.AppendComma(results), errorResult(failed)...)
		}
	}
	if failed != nil {
		for p, row := range t.was {
			db.replaceRow(p, row)
		}
	}
	return append(results, ']'), changes
}

func errorResult(err error) []byte {
	f, ok := errors.AsType[*operationError](err)
	if !ok {
		f = &operationError{"internal error", err.Error()}
	}
	b := nbdb.AppendString([]byte(`{"error":`), f.code)
	return append(nbdb.AppendString(append(b, `,"details":`...), f.details), '}')
}

// operation is an operation of RFC 7047 §5.2.
type operation struct {
	Op, Table string
	UUIDName  *string `json:"uuid-name"`
	UUID      *string
	Row       map[string]any
	Rows      []map[string]any
	Where     []any
	Mutations []any
	Columns   []string
	Until     string

	t *Table
}

func (t *transaction) runOperation(raw json.RawMessage) ([]byte, error) {
	o := &operation{}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if err := in.Decode(o); err != nil {
		return nil, syntaxError("%v", err)
	}
	switch o.Op {
	case "comment", "commit":
		return []byte("{}"), nil
	case "abort":
		return nil, &operationError{"aborted", "aborted by request"}
	case "assert":
		return nil, &operationError{"not owner", "locks are not supported"}
	}
	o.t = t.db.Schema.Tables[o.Table]
	if o.t == nil {
		return nil, syntaxError("no table named %s", o.Table)
	}
	for _, c := range o.Columns {
		if o.t.Columns[c] == nil && c != "_uuid" && c != "_version" {
			return nil, syntaxError("no column %s in table %s", c, o.Table)
		}
	}
	switch o.Op {
	case "insert":
		return t.insertRow(o)
	case "select":
		b := []byte(`{"rows":[`)
		_, err := t.eachRow(o, func(p rowPlace, row Row) error {
			b = t.db.AppendRow(nbdb.AppendComma(b), o.Table, p.uuid, row, o.Columns, false)
			return nil
		})
		return append(b, `]}`...), err
	case "wait":
		return t.waitRows(o)
	case "update":
		row, err := t.readRow(o, o.Row)
		if err != nil {
			return nil, err
		}
		return t.eachRow(o, func(p rowPlace, old Row) error {
			next := maps.Clone(old)
			maps.Copy(next, row)
			t.putRow(p, next)
			return nil
		})
	case "mutate":
		return t.mutateRows(o)
	case "delete":
		return t.eachRow(o, func(p rowPlace, _ Row) error {
			t.putRow(p, nil)
			return nil
		})
	}
	return nil, syntaxError("no operation named %s", o.Op)
}

func (t *transaction) putRow(p rowPlace, row Row) {
	if _, known := t.was[p]; !known {
		t.was[p] = t.db.rowAt(p)
	}
	t.db.replaceRow(p, row)
}

func (t *transaction) namedUUID(s string) UUID {
	if t.names[s] == "" {
		t.names[s] = UUID(uuid.NewString())
	}
	return t.names[s]
}

// readRow reads an object of columns.
func (t *transaction) readRow(o *operation, columns map[string]any) (Row, error) {
	if columns == nil {
		return nil, syntaxError("%s needs a row", o.Op)
	}
	row := Row{}
	for name, v := range columns {
		c, err := o.columnNamed(name)
		if err != nil {
			return nil, err
		}
		if row[name], err = (datumReader{names: t.namedUUID}).readDatum(v, c); err != nil {
			return nil, columnError(err, o.Table, name)
		}
	}
	return row, nil
}

func (o *operation) columnNamed(name string) (*Column, error) {
	if c := o.t.Columns[name]; c != nil {
		return c, nil
	}
	return nil, syntaxError("no column %s in table %s", name, o.Table)
}

func columnError(err error, table, column string) error {
	if f, ok := errors.AsType[*operationError](err); ok {
		return &operationError{f.code, fmt.Sprintf("column %s of table %s: %s", column, table, f.details)}
	}
	return err
}

func (t *transaction) insertRow(o *operation) ([]byte, error) {
	row, err := t.readRow(o, o.Row)
	if err != nil {
		return nil, err
	}
	for column, c := range o.t.Columns {
		if _, ok := row[column]; !ok {
			row[column] = defaultDatum(c)
		}
	}
	id := UUID(uuid.NewString())
	if o.UUIDName != nil {
		name := *o.UUIDName
		switch {
		case name == "":
			return nil, syntaxError("uuid-name is empty")
		case t.used[name]:
			return nil, &operationError{"duplicate uuid-name", "This \"uuid-name\" appeared on an earlier \"insert\" operation."}
		}
		t.used[name], id = true, t.namedUUID(name)
	}
	if o.UUID != nil {
		id = UUID(*o.UUID)
		if uuid.Validate(*o.UUID) != nil || len(id) != 36 {
			return nil, syntaxError("uuid is not a UUID")
		}
	}
	p := rowPlace{o.Table, id}
	if t.db.rowAt(p) != nil {
		return nil, &operationError{"duplicate uuid", "This UUID would duplicate a UUID already present within the table."}
	}
	t.putRow(p, row)
	return []byte(`{"uuid":` + uuidAtom(id) + `}`), nil
}

// waitRows succeeds if the matching rows equal the given rows, or differ for "!=". It never waits.
func (t *transaction) waitRows(o *operation) ([]byte, error) {
	if o.Rows == nil || o.Until != "==" && o.Until != "!=" {
		return nil, syntaxError("wait needs rows and until")
	}
	columns := o.Columns
	if columns == nil {
		columns = slices.Collect(maps.Keys(o.t.Columns))
	}
	project := func(row Row) (text string) {
		for _, name := range columns {
			if c := o.t.Columns[name]; c != nil {
				d, ok := row[name]
				if !ok {
					d = defaultDatum(c)
				}
				text += string(appendDatum(nil, d, c)) + " "
			}
		}
		return text
	}
	want, have := map[string]bool{}, map[string]bool{}
	for _, columns := range o.Rows {
		row, err := t.readRow(o, columns)
		if err != nil {
			return nil, err
		}
		want[project(row)] = true
	}
	_, err := t.eachRow(o, func(_ rowPlace, row Row) error {
		have[project(row)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if maps.Equal(want, have) != (o.Until == "==") {
		return nil, &operationError{"timed out", `"wait" does not hold`}
	}
	return []byte("{}"), nil
}
