package memdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"rung/sources/nbdb/jsonrpc"
)

// txn is a transaction under way.
type txn struct {
	db      *DB
	changed map[place]Row // nil: deleted
	names   map[string]UUID
	used    map[string]bool // names that an insert has taken
}

// Transact runs the operations and returns the results as a JSON array and,
// when all is well, what changed in the database.
func (db *DB) Transact(ops []json.RawMessage) (results []byte, changes []Change) {
	t := &txn{db: db, changed: map[place]Row{}, names: map[string]UUID{}, used: map[string]bool{}}
	results = []byte{'['}
	var failed error
	for i, op := range ops {
		if i > 0 {
			results = append(results, ',')
		}
		if failed != nil {
			results = append(results, "null"...)
			continue
		}
		var r []byte
		r, failed = t.run(op)
		if failed != nil {
			r = appendError(nil, failed)
		}
		results = append(results, r...)
	}
	if failed == nil {
		changes, failed = t.commit()
		if failed != nil {
			if len(ops) > 0 {
				results = append(results, ',')
			}
			results = appendError(results, failed)
		}
	}
	return append(results, ']'), changes
}

func appendError(b []byte, err error) []byte {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{"internal error", err.Error()}
	}
	b = jsonrpc.AppendString(append(b, `{"error":`...), f.code)
	return append(jsonrpc.AppendString(append(b, `,"details":`...), f.details), '}')
}

// operation is an operation taken apart.
type operation struct {
	op, table string
	members   map[string]json.RawMessage
	t         *Table
}

func (t *txn) run(raw json.RawMessage) ([]byte, error) {
	o := operation{}
	if err := json.Unmarshal(raw, &o.members); err != nil {
		return nil, syntax("an operation is an object")
	}
	_ = json.Unmarshal(o.members["op"], &o.op)
	_ = json.Unmarshal(o.members["table"], &o.table)
	switch o.op {
	case "comment", "commit":
		return []byte("{}"), nil
	case "abort":
		return nil, &failure{"aborted", "aborted by request"}
	case "assert":
		return nil, &failure{"not owner", "there are no locks here"}
	}
	o.t = t.db.Schema.Tables[o.table]
	if o.t == nil {
		return nil, syntax("no table named %s", o.table)
	}
	switch o.op {
	case "insert":
		return t.insert(&o)
	case "select":
		return t.selects(&o)
	case "wait":
		return t.wait(&o)
	case "update":
		row, err := t.row(&o, o.members["row"])
		if err != nil {
			return nil, err
		}
		return t.each(&o, func(p place, old Row) error {
			next := maps.Clone(old)
			maps.Copy(next, row)
			t.changed[p] = next
			return nil
		})
	case "mutate":
		return t.mutate(&o)
	case "delete":
		return t.each(&o, func(p place, _ Row) error {
			t.changed[p] = nil
			return nil
		})
	}
	return nil, syntax("no operation named %s", o.op)
}

// get is a row as the transaction sees it.
func (t *txn) get(p place) Row {
	if row, ok := t.changed[p]; ok {
		return row
	}
	return t.db.tables[p.table][p.uuid]
}

func (t *txn) name(s string) UUID {
	u, ok := t.names[s]
	if !ok {
		u = newUUID()
		t.names[s] = u
	}
	return u
}

func (t *txn) reader(raw []byte) *reader {
	return &reader{Lexer: jsonrpc.NewLexer(raw), names: t.name}
}

// row reads an object of columns.
func (t *txn) row(o *operation, raw []byte) (Row, error) {
	row := Row{}
	r := t.reader(raw)
	var bad error
	r.Object(func(key []byte) {
		name := string(key)
		c := o.t.Columns[name]
		if c == nil {
			if bad == nil {
				bad = syntax("no column %s in table %s", name, o.table)
			}
			r.Skip()
			return
		}
		d, err := r.datum(c, false, false)
		if err != nil && bad == nil {
			bad = inColumn(err, o.table, name)
		}
		row[name] = d
	})
	if bad != nil {
		return nil, bad
	}
	if err := r.End(); err != nil {
		return nil, syntax("%v", err)
	}
	return row, nil
}

func inColumn(err error, table, column string) error {
	var f *failure
	if errors.As(err, &f) {
		return &failure{f.code, fmt.Sprintf("column %s of table %s: %s", column, table, f.details)}
	}
	return err
}

func (t *txn) insert(o *operation) ([]byte, error) {
	var name, explicit string
	if raw := o.members["uuid-name"]; raw != nil {
		if json.Unmarshal(raw, &name) != nil || name == "" {
			return nil, syntax("uuid-name is not a string")
		}
		if t.used[name] {
			return nil, &failure{"duplicate uuid-name", "This \"uuid-name\" appeared on an earlier \"insert\" operation."}
		}
		t.used[name] = true
	}
	row, err := t.row(o, o.members["row"])
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
		id = t.name(name)
	}
	if raw := o.members["uuid"]; raw != nil {
		if json.Unmarshal(raw, &explicit) != nil || !isUUID(explicit) {
			return nil, syntax("uuid is not a UUID")
		}
		id = UUID(explicit)
	}
	p := place{o.table, id}
	if t.get(p) != nil {
		return nil, &failure{"duplicate uuid", "This UUID would duplicate a UUID already present within the table."}
	}
	t.changed[p] = row
	return append(appendAtom([]byte(`{"uuid":`), id), '}'), nil
}
