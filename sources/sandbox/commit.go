package sandbox

import (
	"maps"
	"slices"
)

// commitChanges checks what the transaction left, mends what the database mends by
// itself, and makes it the database's state.
func (t *transaction) commitChanges() ([]RowChange, error) {
	delta := t.collectGarbage()
	if err := t.checkReferences(delta); err != nil {
		return nil, err
	}
	if err := t.dropWeak(); err != nil {
		return nil, err
	}
	var changes []RowChange
	for p, row := range t.changed {
		old := t.db.tables[p.table][p.uuid]
		if (old == nil) == (row == nil) && maps.EqualFunc(old, row, Datum.equals) {
			continue
		}
		changes = append(changes, RowChange{p.table, p.uuid, old, row})
	}
	slices.SortFunc(changes, func(a, b RowChange) int { return compareAtoms(a.UUID, b.UUID) })
	if err := t.checkIndexes(changes); err != nil {
		return nil, err
	}
	for i := range changes {
		t.db.applyChange(&changes[i])
	}
	return changes, nil
}

// collectGarbage deletes rows outside the root set that nobody refers to, and returns
// by how much the counts of strong references change.
func (t *transaction) collectGarbage() map[UUID]int {
	delta := map[UUID]int{}
	var suspects []rowPlace
	count := func(table string, row Row, by int) {
		walkReferences(t.db.Schema.Tables[table], row, func(to rowPlace, weak bool) {
			if weak {
				return
			}
			delta[to.uuid] += by
			if by < 0 {
				suspects = append(suspects, to)
			}
		})
	}
	for p, row := range t.changed {
		count(p.table, t.db.tables[p.table][p.uuid], -1)
		count(p.table, row, 1)
		suspects = append(suspects, p)
	}
	for len(suspects) > 0 {
		p := suspects[len(suspects)-1]
		suspects = suspects[:len(suspects)-1]
		row := t.rowOf(p)
		if row == nil || t.db.Schema.Tables[p.table].Root || t.db.strong[p.uuid]+delta[p.uuid] > 0 {
			continue
		}
		t.changed[p] = nil
		count(p.table, row, -1)
	}
	return delta
}

// checkReferences refuses strong references to rows that are not there.
func (t *transaction) checkReferences(delta map[UUID]int) error {
	for p, row := range t.changed {
		if row == nil {
			if n := t.db.strong[p.uuid] + delta[p.uuid]; n > 0 {
				return &opFailure{"referential integrity violation",
					"cannot delete " + p.table + " row " + string(p.uuid) + ": it is still referred to"}
			}
			continue
		}
		var err error
		walkReferences(t.db.Schema.Tables[p.table], row, func(to rowPlace, weak bool) {
			if !weak && err == nil && t.rowOf(to) == nil {
				err = &opFailure{"referential integrity violation",
					"Table " + p.table + " row " + string(p.uuid) + " refers to " + to.table + " row " + string(to.uuid) + ", which is not there"}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropWeak takes weak references to rows that are not there out.
func (t *transaction) dropWeak() error {
	affected := map[rowPlace]bool{}
	for p, row := range t.changed {
		if row != nil {
			affected[p] = true
			continue
		}
		for from := range t.db.weak[p.uuid] {
			affected[from] = true
		}
	}
	for p := range affected {
		row := t.rowOf(p)
		if row == nil {
			continue
		}
		for name, c := range t.db.Schema.Tables[p.table].Columns {
			if !c.Key.Weak {
				continue
			}
			was := row[name]
			var gone []int
			for i, k := range was.Keys {
				if u, _ := k.(UUID); t.rowOf(rowPlace{c.Key.RefTable, u}) == nil {
					gone = append(gone, i)
				}
			}
			if len(gone) == 0 {
				continue
			}
			is := was.withoutPlaces(gone)
			if len(is.Keys) < c.Min {
				return constraintError("column %s of table %s row %s would lose its last reference", name, p.table, p.uuid)
			}
			row = maps.Clone(row)
			row[name] = is
			t.changed[p] = row
		}
	}
	return nil
}

// checkIndexes refuses a second row with the values of an index, and one row
// too many.
func (t *transaction) checkIndexes(changes []RowChange) error {
	touched := map[UUID]bool{}
	grown := map[string]int{}
	for _, ch := range changes {
		touched[ch.UUID] = true
		if ch.Old == nil {
			grown[ch.Table]++
		} else if ch.New == nil {
			grown[ch.Table]--
		}
	}
	for name, n := range grown {
		if limit := t.db.Schema.Tables[name].MaxRows; limit > 0 && n > 0 && len(t.db.tables[name])+n > limit {
			return constraintError("transaction causes %q table to contain more rows than its limit of %d", name, limit)
		}
	}
	type slot struct {
		table string
		index int
		key   string
	}
	taken := map[slot]bool{}
	for _, ch := range changes {
		if ch.New == nil {
			continue
		}
		table := t.db.Schema.Tables[ch.Table]
		for i, index := range table.Indexes {
			s := slot{ch.Table, i, indexKey(table, index, ch.New)}
			holder, held := t.db.keys[ch.Table][i][s.key]
			if taken[s] || (held && !touched[holder]) {
				return constraintError("transaction causes multiple rows in %q table to have identical values (%s) for index on column %q",
					ch.Table, s.key[:len(s.key)-1], index[0])
			}
			taken[s] = true
		}
	}
	return nil
}

// applyChange makes one change part of the database.
func (db *DB) applyChange(ch *RowChange) {
	table := db.Schema.Tables[ch.Table]
	here := rowPlace{ch.Table, ch.UUID}
	for i, index := range table.Indexes {
		if ch.Old != nil {
			k := indexKey(table, index, ch.Old)
			if db.keys[ch.Table][i][k] == ch.UUID {
				delete(db.keys[ch.Table][i], k)
			}
		}
		if ch.New != nil {
			db.keys[ch.Table][i][indexKey(table, index, ch.New)] = ch.UUID
		}
	}
	walkReferences(table, ch.Old, func(to rowPlace, weak bool) {
		if !weak {
			db.strong[to.uuid]--
			if db.strong[to.uuid] == 0 {
				delete(db.strong, to.uuid)
			}
			return
		}
		delete(db.weak[to.uuid], here)
		if len(db.weak[to.uuid]) == 0 {
			delete(db.weak, to.uuid)
		}
	})
	walkReferences(table, ch.New, func(to rowPlace, weak bool) {
		if !weak {
			db.strong[to.uuid]++
			return
		}
		if db.weak[to.uuid] == nil {
			db.weak[to.uuid] = map[rowPlace]struct{}{}
		}
		db.weak[to.uuid][here] = struct{}{}
	})
	if ch.New == nil {
		delete(db.tables[ch.Table], ch.UUID)
		return
	}
	db.tables[ch.Table][ch.UUID] = ch.New
}
