package effect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// RowChanges returns the difference of a policy's rows before and after a change, over all zones together;
// either may be nil. In the fields Desired is the value after, Live the one before. In set columns Missing are
// the added members, Extra the removed ones.
func RowChanges(k model.PolicyKey, before, after *model.PolicyRows) []change.RowChange {
	old, now := rowTable(before), rowTable(after)
	var out []change.RowChange
	add := func(id rowID, kind model.DiffKind, fields []model.FieldDiff) {
		d := model.RowDiff{Kind: kind, Table: id.table, ID: id.id, Fields: fields}
		out = append(out, change.RowChange{Policy: k, RowDiff: d})
	}
	for id, o := range old {
		n, stays := now[id]
		switch fields := columnChanges(o, n); {
		case !stays:
			add(id, model.DiffExtra, fields)
		case len(fields) > 0:
			add(id, model.DiffDifferent, fields)
		}
	}
	for id, n := range now {
		if _, was := old[id]; !was {
			add(id, model.DiffMissing, columnChanges(nil, n))
		}
	}
	slices.SortFunc(out, func(a, b change.RowChange) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID))
	})
	return out
}

type rowID struct{ table, id string }

// rowTable returns each row's columns by name, except "label", which OVN-Kubernetes does not write
// (ovn-kubernetes.md#acl-columns).
func rowTable(rows *model.PolicyRows) map[rowID]map[string]any {
	t := map[rowID]map[string]any{}
	if rows == nil || rows.None != nil {
		return t
	}
	add := func(table string, row nb.Row) {
		columns := map[string]any{}
		for _, c := range nb.Columns(row) {
			if c.Name != "label" {
				columns[c.Name] = c.Value
			}
		}
		t[rowID{table, row.IDs()[nb.KeyID]}] = columns
	}
	for _, a := range rows.ACLs {
		add(nb.TableACL, a)
	}
	for _, s := range rows.AddressSets {
		add(nb.TableAddressSet, s)
	}
	if rows.PortGroup != nil {
		add(nb.TablePortGroup, rows.PortGroup)
	}
	return t
}

// columnText returns a value as text; a map is "k=v, k=v", sorted.
func columnText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case map[string]string:
		parts := make([]string, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+"="+v[k])
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

// columnChanges lists the columns that differ, by name; for an added or removed row, the columns that have a
// value.
func columnChanges(old, now map[string]any) []model.FieldDiff {
	some := now
	if now == nil {
		some = old
	}
	var out []model.FieldDiff
	for _, name := range slices.Sorted(maps.Keys(some)) {
		was, wasSet := old[name].([]string)
		is, isSet := now[name].([]string)
		f, differs := model.FieldDiff{Column: name}, false
		if wasSet || isSet {
			f.Desired, f.Live = strconv.Itoa(len(is)), strconv.Itoa(len(was))
			f.Missing, f.Extra = membersWithout(is, was), membersWithout(was, is)
			differs = len(f.Missing)+len(f.Extra) > 0
		} else {
			f.Desired, f.Live = columnText(now[name]), columnText(old[name])
			differs = f.Desired != f.Live
		}
		if differs {
			out = append(out, f)
		}
	}
	return out
}

// membersWithout returns the members of sorted list a that sorted list b lacks.
func membersWithout(a, b []string) (out []string) {
	for _, s := range a {
		if _, has := slices.BinarySearch(b, s); !has {
			out = append(out, s)
		}
	}
	return out
}

// RowCount counts the rows of a table that a change adds, changes and removes.
type RowCount struct {
	Table                   string
	Added, Changed, Removed int
	// The counts in words: "2 added · 12 changed: priority −200"; empty if no row changes.
	Text string
}

// CountRows counts the rows that a change touches, by table, for screen and command line alike. Each zone has
// a copy of these rows.
func CountRows(rows []change.RowChange) []RowCount {
	out := []RowCount{{Table: nb.TableACL}, {Table: nb.TableAddressSet}, {Table: nb.TablePortGroup}}
	for i := range out {
		n := &out[i]
		var parts []string
		add := func(count int, word string) {
			if count > 0 {
				parts = append(parts, words.Thousands(count)+" "+word)
			}
		}
		var changed []*change.RowChange
		for j := range rows {
			switch r := &rows[j]; {
			case r.Table != n.Table:
			case r.Kind == model.DiffMissing:
				n.Added++
			case r.Kind == model.DiffExtra:
				n.Removed++
			default:
				n.Changed++
				changed = append(changed, r)
			}
		}
		add(n.Added, "added")
		add(n.Changed, "changed: "+strings.Join(changedColumns(changed), ", "))
		add(n.Removed, "removed")
		n.Text = strings.Join(parts, " · ")
	}
	return out
}

// changedColumns names the columns that change; a number that changes equally in all rows shows its difference.
func changedColumns(rows []*change.RowChange) []string {
	var names []string
	deltas := map[string]int{}
	for _, r := range rows {
		for _, f := range r.Fields {
			old, err1 := strconv.Atoi(f.Live)
			now, err2 := strconv.Atoi(f.Desired)
			d := now - old
			if err1 != nil || err2 != nil || f.Missing != nil || f.Extra != nil {
				d = 0
			}
			switch before, had := deltas[f.Column]; {
			case !had:
				names, deltas[f.Column] = append(names, f.Column), d
			case before != d:
				deltas[f.Column] = 0
			}
		}
	}
	slices.Sort(names)
	for i, n := range names {
		switch d := deltas[n]; {
		case d > 0:
			names[i] = fmt.Sprintf("%s +%d", n, d)
		case d < 0:
			names[i] = fmt.Sprintf("%s −%d", n, -d)
		}
	}
	return names
}
