package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// commitChanges checks the rows after a transaction, makes the database's automatic corrections, and returns
// the changes.
func (t *transaction) commitChanges() ([]RowChange, error) {
	t.collectGarbage()
	if err := t.checkReferences(); err != nil {
		return nil, err
	}
	if err := t.dropWeak(); err != nil {
		return nil, err
	}
	var changes []RowChange
	for p, old := range t.was {
		row := t.db.rowAt(p)
		if (old == nil) == (row == nil) && maps.EqualFunc(old, row, slices.Equal[Datum]) {
			continue
		}
		changes = append(changes, RowChange{p.table, p.uuid, old, row})
	}
	slices.SortFunc(changes, func(a, b RowChange) int { return strings.Compare(string(a.UUID), string(b.UUID)) })
	if err := t.checkIndexes(changes); err != nil {
		return nil, err
	}
	return changes, nil
}

// collectGarbage deletes unreferenced rows outside the root set.
func (t *transaction) collectGarbage() {
	suspects := slices.Collect(maps.Keys(t.was))
	for p, old := range t.was {
		suspects = append(suspects, t.db.strongReferences(p.table, old)...)
	}
	for len(suspects) > 0 {
		p := suspects[len(suspects)-1]
		suspects = suspects[:len(suspects)-1]
		row := t.db.rowAt(p)
		if row == nil || t.db.Schema.Tables[p.table].IsRoot || t.db.strong[p.uuid] > 0 {
			continue
		}
		t.putRow(p, nil)
		suspects = append(suspects, t.db.strongReferences(p.table, row)...)
	}
}

// checkReferences rejects strong references to missing rows.
func (t *transaction) checkReferences() error {
	for p := range t.was {
		row := t.db.rowAt(p)
		if row == nil && t.db.strong[p.uuid] > 0 {
			return &operationError{"referential integrity violation",
				fmt.Sprintf("cannot delete %s row %s: it is still referenced", p.table, p.uuid)}
		}
		for _, to := range t.db.strongReferences(p.table, row) {
			if t.db.rowAt(to) == nil {
				return &operationError{"referential integrity violation", fmt.Sprintf("Table %s row %s refers to the missing %s row %s",
					p.table, p.uuid, to.table, to.uuid)}
			}
		}
	}
	return nil
}

// dropWeak removes weak references to missing rows: from written rows and, after deletions, from all rows.
func (t *transaction) dropWeak() error {
	gone := map[string]Datum{} // by table
	for p := range t.was {
		if t.db.rowAt(p) == nil {
			gone[p.table] = append(gone[p.table], Element{Key: uuidAtom(p.uuid)})
		}
	}
	for table, s := range t.db.Schema.Tables {
		for name, c := range s.Columns {
			if c.Key.RefType != "weak" {
				continue
			}
			for id, row := range t.db.tables[table] {
				p, dangling := rowPlace{table, id}, gone[c.Key.RefTable]
				if _, written := t.was[p]; written {
					dangling = slices.DeleteFunc(slices.Clone(row[name]), func(e Element) bool {
						return t.db.rowAt(rowPlace{c.Key.RefTable, atomUUID(e.Key)}) != nil
					})
				}
				if !slices.ContainsFunc(dangling, row[name].hasElement) {
					continue
				}
				row = maps.Clone(row)
				row[name] = row[name].without(dangling)
				if len(row[name]) < c.Min {
					return constraintError("column %s of table %s row %s would lose its last reference", name, table, id)
				}
				t.putRow(p, row)
			}
		}
	}
	return nil
}

// checkIndexes rejects a second row with the same values in an index, and rows beyond a table's maximum.
func (t *transaction) checkIndexes(changes []RowChange) error {
	changed, fresh := map[UUID]bool{}, map[indexKey]UUID{}
	for _, ch := range changes {
		changed[ch.UUID] = true
		if most := t.db.Schema.Tables[ch.Table].MaxRows; ch.Old == nil && most > 0 && len(t.db.tables[ch.Table]) > most {
			return constraintError("transaction causes %q table to contain more rows than its limit of %d", ch.Table, most)
		}
	}
	for _, ch := range changes {
		for _, k := range t.db.indexKeys(ch.Table, ch.New) {
			holder, held := t.db.keys[k]
			if _, twice := fresh[k]; twice || held && !changed[holder] {
				return constraintError("transaction causes multiple rows in %q table to have identical values (%s) for index on column %q",
					ch.Table, strings.TrimSpace(k.value), t.db.Schema.Tables[ch.Table].Indexes[k.index][0])
			}
			fresh[k] = ch.UUID
		}
	}
	for _, ch := range changes {
		for _, k := range t.db.indexKeys(ch.Table, ch.Old) {
			delete(t.db.keys, k)
		}
	}
	maps.Copy(t.db.keys, fresh)
	return nil
}
