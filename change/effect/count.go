package effect

import (
	"rung/change"
	"rung/model"
	"rung/model/ovn/nb"
)

// RowCount is how many rows of a table a change adds, changes and removes.
type RowCount struct {
	Table                   string
	Added, Changed, Removed int
}

// CountRows counts the rows that a change touches, table by table: the one count of the
// preview on the screen and on the command line. Every zone has these rows of its own.
func CountRows(rows []change.RowChange) []RowCount {
	out := []RowCount{{Table: nb.TableACL}, {Table: nb.TableAddressSet}, {Table: nb.TablePortGroup}}
	for i := range rows {
		for j := range out {
			if n := &out[j]; n.Table == rows[i].Table {
				switch rows[i].Kind {
				case model.DiffMissing:
					n.Added++
				case model.DiffExtra:
					n.Removed++
				default:
					n.Changed++
				}
			}
		}
	}
	return out
}
