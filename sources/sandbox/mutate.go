package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// whereCondition is one condition of a where clause (RFC 7047 §5.1).
type whereCondition struct {
	column, function string
	value            Datum
}

var uuidColumn = &Column{Key: BaseType{Type: "uuid"}, Min: 1, Max: 1}

// neverFunction is the function of a condition that matches no row.
const neverFunction = "never"

func (t *transaction) readCondition(o *operation, v any) (c whereCondition, err error) {
	parts, _ := v.([]any)
	if len(parts) != 3 {
		return c, syntaxError("a condition needs a column, a function and a value")
	}
	c.column, _ = parts[0].(string)
	c.function, _ = parts[1].(string)
	column := uuidColumn
	if c.column != "_uuid" {
		if column, err = o.columnNamed(c.column); err != nil {
			return c, err
		}
	}
	r := datumReader{names: t.namedUUID}
	switch c.function {
	case "==", "!=":
	case "includes", "excludes":
		r.anySize = column != uuidColumn
	case "<", "<=", ">", ">=":
		if column.Key.Type != "integer" || column.Max != 1 {
			return c, syntaxError("%s cannot be used on column %s", c.function, c.column)
		}
	default:
		return c, syntaxError("no function named %s", c.function)
	}
	if c.value, err = r.readDatum(parts[2], column); err != nil {
		return c, columnError(err, o.Table, c.column)
	}
	return c, nil
}

func (c whereCondition) holds(id UUID, row Row) bool {
	d := row[c.column]
	if c.column == "_uuid" {
		d = Datum{{Key: uuidAtom(id)}}
	}
	switch c.function {
	case neverFunction:
		return false
	case "==":
		return slices.Equal(d, c.value)
	case "!=":
		return !slices.Equal(d, c.value)
	case "includes":
		return !slices.ContainsFunc(c.value, func(e Element) bool { return !d.hasElement(e) })
	case "excludes":
		return !slices.ContainsFunc(c.value, d.hasElement)
	}
	if len(d) != 1 || len(c.value) != 1 {
		return false
	}
	n := cmp.Compare(d[0].number(), c.value[0].number())
	return map[string]bool{"<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0}[c.function]
}

// number returns the value of an integer element.
func (e Element) number() int64 {
	n, _ := strconv.ParseInt(e.Key, 10, 64)
	return n
}

// eachRow calls do for the matching rows in order of UUID, and counts them.
func (t *transaction) eachRow(o *operation, do func(rowPlace, Row) error) ([]byte, error) {
	if o.Where == nil {
		return nil, syntaxError("%s needs a where", o.Op)
	}
	rows := t.db.tables[o.Table]
	var conditions []whereCondition
	for _, v := range o.Where {
		c := whereCondition{function: neverFunction}
		if all, is := v.(bool); is && all {
			continue
		} else if !is {
			var err error
			if c, err = t.readCondition(o, v); err != nil {
				return nil, err
			}
		}
		conditions = append(conditions, c)
		if c.column == "_uuid" && c.function == "==" {
			u := atomUUID(c.value[0].Key)
			rows = map[UUID]Row{}
			if row := t.db.tables[o.Table][u]; row != nil {
				rows[u] = row
			}
		}
	}
	var found []UUID
	for id, row := range rows {
		if !slices.ContainsFunc(conditions, func(c whereCondition) bool { return !c.holds(id, row) }) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	for _, id := range found {
		if err := do(rowPlace{o.Table, id}, t.db.tables[o.Table][id]); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, `{"count":%d}`, len(found)), nil
}

// columnMutation is one mutation, checked and ready to apply.
type columnMutation struct {
	column, mutator string
	c               *Column
	value           Datum
}

func (t *transaction) mutateRows(o *operation) ([]byte, error) {
	if o.Mutations == nil {
		return nil, syntaxError("mutate needs mutations")
	}
	var ms []columnMutation
	for _, v := range o.Mutations {
		m, err := t.readMutation(o, v)
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return t.eachRow(o, func(p rowPlace, old Row) error {
		next := maps.Clone(old)
		for _, m := range ms {
			d, err := m.applyTo(next[m.column])
			if err == nil {
				err = checkSize(m.c, d)
			}
			if err != nil {
				return columnError(err, o.Table, m.column)
			}
			next[m.column] = d
		}
		t.putRow(p, next)
		return nil
	})
}

func (t *transaction) readMutation(o *operation, v any) (m columnMutation, err error) {
	parts, _ := v.([]any)
	if len(parts) != 3 {
		return m, syntaxError("a mutation needs a column, a mutator and a value")
	}
	m.column, _ = parts[0].(string)
	m.mutator, _ = parts[1].(string)
	if m.c, err = o.columnNamed(m.column); err != nil {
		return m, err
	}
	r, argument := datumReader{names: t.namedUUID}, m.c
	fits := false
	switch m.mutator {
	case "insert", "delete":
		fits = m.c.Min != 1 || m.c.Max != 1
		r.anySize, r.keysOnly = true, m.mutator == "delete"
	case "+=", "-=", "*=", "/=", "%=":
		fits = m.c.Key.Type == "integer" && m.c.Value == nil
		argument = &Column{Key: BaseType{Type: "integer"}, Min: 1, Max: 1}
	}
	if !fits {
		return m, syntaxError("mutator %s cannot be used on column %s", m.mutator, m.column)
	}
	if m.value, err = r.readDatum(parts[2], argument); err != nil {
		return m, columnError(err, o.Table, m.column)
	}
	return m, nil
}

func (m *columnMutation) applyTo(d Datum) (Datum, error) {
	switch m.mutator {
	case "insert":
		return d.unionWith(m.value), nil
	case "delete":
		return d.without(m.value), nil
	}
	by := m.value[0].number()
	var out Datum
	for _, e := range d {
		v := e.number()
		switch {
		case m.mutator == "+=":
			v += by
		case m.mutator == "-=":
			v -= by
		case m.mutator == "*=":
			v *= by
		case by == 0:
			return nil, &operationError{"domain error", "division by zero"}
		case m.mutator == "/=":
			v /= by
		default:
			v %= by
		}
		if err := m.c.Key.checkRange(v); err != nil {
			return nil, err
		}
		out = append(out, Element{Key: strconv.FormatInt(v, 10)})
	}
	out.sortKeys()
	return out, out.checkKeys()
}
