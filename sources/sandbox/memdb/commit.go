package memdb

import (
	"maps"
	"slices"
)

// commit checks what the transaction left, mends what the database mends by
// itself, and makes it the database's state.
func (t *txn) commit() ([]Change, error) {
	delta := t.collect()
	if err := t.checkReferences(delta); err != nil {
		return nil, err
	}
	if err := t.dropWeak(); err != nil {
		return nil, err
	}
	var changes []Change
	for p, row := range t.changed {
		old := t.db.tables[p.table][p.uuid]
		if (old == nil) == (row == nil) && maps.EqualFunc(old, row, Datum.equal) {
			continue
		}
		changes = append(changes, Change{p.table, p.uuid, old, row})
	}
	slices.SortFunc(changes, func(a, b Change) int { return compare(a.UUID, b.UUID) })
	if err := t.checkIndexes(changes); err != nil {
		return nil, err
	}
	for i := range changes {
		t.db.apply(&changes[i])
	}
	return changes, nil
}

// collect deletes rows outside the root set that nobody refers to, and returns
// by how much the counts of strong references change.
func (t *txn) collect() map[UUID]int {
	delta := map[UUID]int{}
	var suspects []place
	count := func(table string, row Row, by int) {
		references(t.db.Schema.Tables[table], row, func(to place, weak bool) {
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
		row := t.get(p)
		if row == nil || t.db.Schema.Tables[p.table].Root || t.db.strong[p.uuid]+delta[p.uuid] > 0 {
			continue
		}
		t.changed[p] = nil
		count(p.table, row, -1)
	}
	return delta
}

// checkReferences refuses strong references to rows that are not there.
func (t *txn) checkReferences(delta map[UUID]int) error {
	for p, row := range t.changed {
		if row == nil {
			if n := t.db.strong[p.uuid] + delta[p.uuid]; n > 0 {
				return &failure{"referential integrity violation",
					"cannot delete " + p.table + " row " + string(p.uuid) + ": it is still referred to"}
			}
			continue
		}
		var err error
		references(t.db.Schema.Tables[p.table], row, func(to place, weak bool) {
			if !weak && err == nil && t.get(to) == nil {
				err = &failure{"referential integrity violation",
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
func (t *txn) dropWeak() error {
	affected := map[place]bool{}
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
		row := t.get(p)
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
				if u, _ := k.(UUID); t.get(place{c.Key.RefTable, u}) == nil {
					gone = append(gone, i)
				}
			}
			if len(gone) == 0 {
				continue
			}
			is := was.without(gone)
			if len(is.Keys) < c.Min {
				return constraint("column %s of table %s row %s would lose its last reference", name, p.table, p.uuid)
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
func (t *txn) checkIndexes(changes []Change) error {
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
			return constraint("transaction causes %q table to contain more rows than its limit of %d", name, limit)
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
				return constraint("transaction causes multiple rows in %q table to have identical values (%s) for index on column %q",
					ch.Table, s.key[:len(s.key)-1], index[0])
			}
			taken[s] = true
		}
	}
	return nil
}

// apply makes one change part of the database.
func (db *DB) apply(ch *Change) {
	table := db.Schema.Tables[ch.Table]
	here := place{ch.Table, ch.UUID}
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
	references(table, ch.Old, func(to place, weak bool) {
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
	references(table, ch.New, func(to place, weak bool) {
		if !weak {
			db.strong[to.uuid]++
			return
		}
		if db.weak[to.uuid] == nil {
			db.weak[to.uuid] = map[place]struct{}{}
		}
		db.weak[to.uuid][here] = struct{}{}
	})
	if ch.New == nil {
		delete(db.tables[ch.Table], ch.UUID)
		return
	}
	db.tables[ch.Table][ch.UUID] = ch.New
}
