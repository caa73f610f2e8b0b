package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"rung/sources/nbdb"
)

// findRows returns the rows that meet the conditions, in the order of their UUIDs.
func (t *transaction) findRows(o *operation) ([]rowPlace, error) {
	conditions, err := t.parseConditions(o)
	if err != nil {
		return nil, err
	}
	var found []rowPlace
	for _, c := range conditions {
		if c.column == "_uuid" && (c.function == "==" || c.function == "includes") {
			u, _ := c.value.Keys[0].(UUID)
			p := rowPlace{o.table, u}
			if row := t.rowOf(p); row != nil && meetsConditions(p, row, conditions) {
				found = append(found, p)
			}
			return found, nil
		}
	}
	for id, row := range t.db.tables[o.table] {
		p := rowPlace{o.table, id}
		if _, changed := t.changed[p]; !changed && meetsConditions(p, row, conditions) {
			found = append(found, p)
		}
	}
	for p, row := range t.changed {
		if p.table == o.table && row != nil && meetsConditions(p, row, conditions) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b rowPlace) int { return compareAtoms(a.uuid, b.uuid) })
	return found, nil
}

// eachRow runs a function on the rows that meet the conditions and counts them.
func (t *transaction) eachRow(o *operation, do func(rowPlace, Row) error) ([]byte, error) {
	found, err := t.findRows(o)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if err := do(p, t.rowOf(p)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, `{"count":%d}`, len(found)), nil
}

func (t *transaction) selectRows(o *operation) ([]byte, error) {
	columns, err := t.parseColumns(o)
	if err != nil {
		return nil, err
	}
	found, err := t.findRows(o)
	if err != nil {
		return nil, err
	}
	b := []byte(`{"rows":[`)
	for _, p := range found {
		b = t.db.AppendRow(nbdb.AppendComma(b), o.table, p.uuid, t.rowOf(p), columns, false)
	}
	return append(b, `]}`...), nil
}

// parseColumns reads a list of columns; nil means all.
func (t *transaction) parseColumns(o *operation) ([]string, error) {
	raw := o.members["columns"]
	if raw == nil {
		return nil, nil
	}
	columns := []string{}
	if json.Unmarshal(raw, &columns) != nil {
		return nil, syntaxError("columns is not a list of names")
	}
	for _, c := range columns {
		if o.t.Columns[c] == nil && c != "_uuid" && c != "_version" {
			return nil, syntaxError("no column %s in table %s", c, o.table)
		}
	}
	return columns, nil
}

// waitRows holds when the rows that meet the conditions are, or are not, the rows
// given. It never waits for that.
func (t *transaction) waitRows(o *operation) ([]byte, error) {
	columns, err := t.parseColumns(o)
	if err != nil {
		return nil, err
	}
	var until string
	var raws []json.RawMessage
	if json.Unmarshal(o.members["until"], &until) != nil || json.Unmarshal(o.members["rows"], &raws) != nil ||
		(until != "==" && until != "!=") {
		return nil, syntaxError("wait needs rows and until")
	}
	if columns == nil {
		columns = slices.Sorted(maps.Keys(o.t.Columns))
	}
	project := func(row Row) string {
		var b []byte
		for _, name := range columns {
			if c := o.t.Columns[name]; c != nil {
				d, ok := row[name]
				if !ok {
					d = defaultOf(c)
				}
				b = append(appendDatum(b, d, c), 0)
			}
		}
		return string(b)
	}
	want, have := map[string]bool{}, map[string]bool{}
	for _, raw := range raws {
		row, err := t.readRow(o, raw)
		if err != nil {
			return nil, err
		}
		want[project(row)] = true
	}
	found, err := t.findRows(o)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		have[project(t.rowOf(p))] = true
	}
	if maps.Equal(want, have) != (until == "==") {
		return nil, &opFailure{"timed out", `"wait" does not hold`}
	}
	return []byte("{}"), nil
}
