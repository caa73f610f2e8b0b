package tracker

import (
	"cmp"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// maxDisowned bounds how many rows are remembered; nobody does this to so many by
// hand.
const maxDisowned = 10_000

// disowned remembers, by UUID, the rows that lost their owner ids while Rung
// looked on. They are not touched: what nobody's ids say is Rung's may be
// anybody's. Most go with the port group they hang on, or get their ids back by
// their name. A row of a UUID never is another one's, so that those which are gone
// may come back with an older database.
type disowned map[string]model.DisownedRow

// note takes in that a row changed, and whose it was.
func (d *disowned) note(old, row nb.Row, was Owner) {
	if was.Form == Foreign || OwnerOfRow(row).Form != Foreign || len(*d) >= maxDisowned {
		return
	}
	if *d == nil {
		*d = disowned{}
	}
	(*d)[row.RowUUID()] = model.DisownedRow{Table: nb.TableOf(row), UUID: row.RowUUID(), Was: was.Unit,
		ID: old.IDs()[nb.KeyID]}
}

// here lists those that are in the database, in a fixed order.
func (d disowned) here(db *nb.DB) []model.DisownedRow {
	var out []model.DisownedRow
	for row := range maps.Values(d) {
		if db.Row(row.Table, row.UUID) != nil {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b model.DisownedRow) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.UUID, b.UUID))
	})
	return out
}
