package memdb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// find returns the rows that meet the conditions, in the order of their UUIDs.
func (t *txn) find(o *operation) ([]place, error) {
	conditions, err := t.conditions(o)
	if err != nil {
		return nil, err
	}
	var found []place
	for _, c := range conditions {
		if c.column == "_uuid" && (c.function == "==" || c.function == "includes") {
			u, _ := c.value.Keys[0].(UUID)
			p := place{o.table, u}
			if row := t.get(p); row != nil && meets(p, row, conditions) {
				found = append(found, p)
			}
			return found, nil
		}
	}
	for id, row := range t.db.tables[o.table] {
		p := place{o.table, id}
		if _, changed := t.changed[p]; !changed && meets(p, row, conditions) {
			found = append(found, p)
		}
	}
	for p, row := range t.changed {
		if p.table == o.table && row != nil && meets(p, row, conditions) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b place) int { return compare(a.uuid, b.uuid) })
	return found, nil
}

// each runs a function on the rows that meet the conditions and counts them.
func (t *txn) each(o *operation, do func(place, Row) error) ([]byte, error) {
	found, err := t.find(o)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if err := do(p, t.get(p)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, `{"count":%d}`, len(found)), nil
}

func (t *txn) selects(o *operation) ([]byte, error) {
	columns, err := t.columns(o)
	if err != nil {
		return nil, err
	}
	found, err := t.find(o)
	if err != nil {
		return nil, err
	}
	b := []byte(`{"rows":[`)
	for i, p := range found {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.db.AppendRow(b, o.table, p.uuid, t.get(p), columns, false)
	}
	return append(b, `]}`...), nil
}

// columns reads a list of columns; nil means all.
func (t *txn) columns(o *operation) ([]string, error) {
	raw := o.members["columns"]
	if raw == nil {
		return nil, nil
	}
	columns := []string{}
	if json.Unmarshal(raw, &columns) != nil {
		return nil, syntax("columns is not a list of names")
	}
	for _, c := range columns {
		if o.t.Columns[c] == nil && c != "_uuid" && c != "_version" {
			return nil, syntax("no column %s in table %s", c, o.table)
		}
	}
	return columns, nil
}

// wait holds when the rows that meet the conditions are, or are not, the rows
// given. It never waits for that.
func (t *txn) wait(o *operation) ([]byte, error) {
	columns, err := t.columns(o)
	if err != nil {
		return nil, err
	}
	var until string
	var raws []json.RawMessage
	if json.Unmarshal(o.members["until"], &until) != nil || json.Unmarshal(o.members["rows"], &raws) != nil ||
		(until != "==" && until != "!=") {
		return nil, syntax("wait needs rows and until")
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
		row, err := t.row(o, raw)
		if err != nil {
			return nil, err
		}
		want[project(row)] = true
	}
	found, err := t.find(o)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		have[project(t.get(p))] = true
	}
	if maps.Equal(want, have) != (until == "==") {
		return nil, &failure{"timed out", `"wait" does not hold`}
	}
	return []byte("{}"), nil
}
