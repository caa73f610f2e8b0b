package second

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// rowDifferences returns how a row differs from all versions: elements that only libovsdb has, and elements
// that libovsdb lacks but all versions have. libovsdb lacks a row without columns. changed reports whether the
// versions differ in it.
func rowDifferences(row ReadRow, dbs []*nb.DB) (out []Difference, changed bool) {
	d := Difference{Table: row.Table, UUID: row.UUID}
	var known []nb.Row // versions of the row
	for i, db := range dbs {
		x := db.Row(row.Table, row.UUID)
		changed = changed || i > 0 && x != known[i-1]
		if x != nil && d.Name == "" {
			d.Name = rowLabel(x)
		}
		known = append(known, x)
	}
	known = slices.Compact(known)
	gone := slices.Contains(known, nil)
	known = slices.DeleteFunc(known, func(x nb.Row) bool { return x == nil })
	switch {
	case row.Columns == nil && gone:
		return nil, changed
	case row.Columns == nil:
		d.Rung = wholeRow(ownColumns(known[len(known)-1]))
		return []Difference{d}, changed
	case len(known) == 0:
		d.Name = cmp.Or(strings.Join(row.Columns["name"], " "), rowID(row))
		d.Libovsdb = wholeRow(row.Columns)
		return []Difference{d}, changed
	}
	all := make([]map[string][]string, len(known))
	for i, x := range known {
		all[i] = ownColumns(x)
	}
	for _, column := range slices.Sorted(maps.Keys(row.Columns)) {
		d.Column = column
		d.Rung, d.Libovsdb = onlyInOne(row.Columns[column], all, column, gone)
		if len(d.Rung)+len(d.Libovsdb) > 0 {
			out = append(out, d)
		}
	}
	return out, changed
}

// onlyInOne returns the elements of a column that only Rung has, in every version, and those that only
// libovsdb has.
func onlyInOne(theirs []string, all []map[string][]string, column string, gone bool) (rung, libovsdb []string) {
	if len(all) == 1 && slices.Equal(theirs, all[0][column]) {
		return nil, nil
	}
	in := map[string]int{} // number of versions with the element
	for _, columns := range all {
		for _, element := range slices.Compact(slices.Clone(columns[column])) {
			in[element]++
		}
	}
	for _, element := range slices.Compact(slices.Clone(theirs)) {
		if in[element] == 0 {
			libovsdb = append(libovsdb, element)
		}
		delete(in, element)
	}
	for _, element := range slices.Sorted(maps.Keys(in)) {
		if in[element] == len(all) && !gone {
			rung = append(rung, element)
		}
	}
	return rung, libovsdb
}

// wholeRow returns a row as text, one string per column.
func wholeRow(columns map[string][]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		values, more := cutElements(columns[name])
		if text := strings.Join(values, " "); text != "" {
			if more > 0 {
				text += " …"
			}
			out = append(out, name+"="+text)
		}
	}
	return out
}

// rowLabel returns a name to find a row by: its id, else its name.
func rowLabel(r nb.Row) string { return cmp.Or(r.IDs()[nb.KeyID], r.RowName()) }

// rowID returns the id in the external_ids of a row from libovsdb.
func rowID(row ReadRow) string {
	for _, entry := range row.Columns["external_ids"] {
		if id, ok := strings.CutPrefix(entry, nb.Atom(nb.KeyID)+"="); ok {
			return strings.Trim(id, `"`)
		}
	}
	return ""
}

func compareDifferences(a, b Difference) int {
	return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UUID, b.UUID), cmp.Compare(a.Column, b.Column))
}
