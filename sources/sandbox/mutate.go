package sandbox

import (
	"encoding/json"
	"maps"
)

// whereCondition is one condition of a where (RFC 7047 §5.1).
type whereCondition struct {
	column, function string
	value            Datum
	never            bool
}

var uuidColumn = &Column{Key: BaseType{Type: "uuid"}, Min: 1, Max: 1}

func (t *transaction) parseConditions(o *operation) ([]whereCondition, error) {
	var raws []json.RawMessage
	if json.Unmarshal(o.members["where"], &raws) != nil {
		return nil, syntaxError("where is not a list of conditions")
	}
	var out []whereCondition
	for _, raw := range raws {
		var all bool
		if json.Unmarshal(raw, &all) == nil {
			if !all {
				out = append(out, whereCondition{never: true})
			}
			continue
		}
		var parts []json.RawMessage
		var c whereCondition
		if json.Unmarshal(raw, &parts) != nil || len(parts) != 3 ||
			json.Unmarshal(parts[0], &c.column) != nil || json.Unmarshal(parts[1], &c.function) != nil {
			return nil, syntaxError("a condition is a column, a function and a value")
		}
		column := o.t.Columns[c.column]
		if c.column == "_uuid" {
			column = uuidColumn
		}
		if column == nil {
			return nil, syntaxError("no column %s in table %s", c.column, o.table)
		}
		loose := false
		switch c.function {
		case "==", "!=":
		case "includes", "excludes":
			loose = true
		case "<", "<=", ">", ">=":
			if column.Key.Type != "integer" || column.Max != 1 {
				return nil, syntaxError("%s cannot be used on column %s", c.function, c.column)
			}
		default:
			return nil, syntaxError("no function named %s", c.function)
		}
		r := t.newReader(parts[2])
		d, err := r.readDatum(column, loose, false)
		if err != nil {
			return nil, columnError(err, o.table, c.column)
		}
		if r.End() != nil || (c.column == "_uuid" && len(d.Keys) != 1) {
			return nil, syntaxError("condition on column %s", c.column)
		}
		c.value = d
		out = append(out, c)
	}
	return out, nil
}

func meetsConditions(p rowPlace, row Row, conditions []whereCondition) bool {
	for _, c := range conditions {
		d := row[c.column]
		if c.column == "_uuid" {
			d = Datum{Keys: []Atom{p.uuid}}
		}
		if c.never || !conditionHolds(d, c) {
			return false
		}
	}
	return true
}

func conditionHolds(d Datum, c whereCondition) bool {
	switch c.function {
	case "==":
		return d.equals(c.value)
	case "!=":
		return !d.equals(c.value)
	case "includes":
		return len(d.sharedPlaces(c.value)) == len(c.value.Keys)
	case "excludes":
		return len(d.sharedPlaces(c.value)) == 0
	}
	if len(d.Keys) != 1 || len(c.value.Keys) != 1 {
		return false
	}
	n := compareAtoms(d.Keys[0], c.value.Keys[0])
	switch c.function {
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

// columnMutation is one mutation, ready to be applied.
type columnMutation struct {
	column, mutator string
	c               *Column
	value           Datum
}

func (t *transaction) mutateRows(o *operation) ([]byte, error) {
	var raws []json.RawMessage
	if json.Unmarshal(o.members["mutations"], &raws) != nil {
		return nil, syntaxError("mutations is not a list")
	}
	var ms []columnMutation
	for _, raw := range raws {
		m, err := t.parseMutation(o, raw)
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
				return columnError(err, o.table, m.column)
			}
			next[m.column] = d
		}
		t.changed[p] = next
		return nil
	})
}

func (t *transaction) parseMutation(o *operation, raw []byte) (m columnMutation, err error) {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) != 3 ||
		json.Unmarshal(parts[0], &m.column) != nil || json.Unmarshal(parts[1], &m.mutator) != nil {
		return m, syntaxError("a mutation is a column, a mutator and a value")
	}
	m.c = o.t.Columns[m.column]
	if m.c == nil {
		return m, syntaxError("no column %s in table %s", m.column, o.table)
	}
	argument := *m.c
	switch m.mutator {
	case "insert", "delete":
		if m.c.Min == 1 && m.c.Max == 1 {
			return m, syntaxError("%s cannot be used on column %s", m.mutator, m.column)
		}
	case "+=", "-=", "*=", "/=", "%=":
		if m.c.Key.Type != "integer" || m.c.Value != nil {
			return m, syntaxError("%s cannot be used on column %s", m.mutator, m.column)
		}
		argument = Column{Key: BaseType{Type: "integer"}, Min: 1, Max: 1}
	default:
		return m, syntaxError("no mutator named %s", m.mutator)
	}
	r := t.newReader(parts[2])
	if m.value, err = r.readDatum(&argument, m.mutator == "insert" || m.mutator == "delete",
		m.mutator == "delete"); err != nil {
		return m, columnError(err, o.table, m.column)
	}
	if err := r.End(); err != nil {
		return m, syntaxError("%v", err)
	}
	return m, nil
}

func (m *columnMutation) applyTo(d Datum) (Datum, error) {
	switch m.mutator {
	case "insert":
		return d.unionWith(m.value), nil
	case "delete":
		return d.withoutPlaces(d.sharedPlaces(m.value)), nil
	}
	by, _ := m.value.Keys[0].(int64)
	var out Datum
	for _, k := range d.Keys {
		v, _ := k.(int64)
		switch m.mutator {
		case "+=":
			v += by
		case "-=":
			v -= by
		case "*=":
			v *= by
		default:
			if by == 0 {
				return d, &opFailure{"domain error", "division by zero"}
			}
			if m.mutator == "/=" {
				v /= by
			} else {
				v %= by
			}
		}
		if b := &m.c.Key; (b.MinInt != nil && v < *b.MinInt) || (b.MaxInt != nil && v > *b.MaxInt) {
			return d, constraintError("%d is not in the valid range %s", v, rangeText(b))
		}
		out.Keys = append(out.Keys, v)
	}
	return out, out.normalise()
}
