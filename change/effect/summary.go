package effect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
)

// RowSummary is a count of CountRows of these rows in words: "2 added · 12 changed: priority −200". It
// is empty when no row of the table changes.
func RowSummary(rows []change.RowChange, n RowCount) string {
	var changed []*change.RowChange
	for i := range rows {
		if r := &rows[i]; r.Table == n.Table && r.Kind == model.DiffDifferent {
			changed = append(changed, r)
		}
	}
	var parts []string
	if n.Added > 0 {
		parts = append(parts, fmt.Sprintf("%d added", n.Added))
	}
	if n.Changed > 0 {
		parts = append(parts, fmt.Sprintf("%d changed: %s", n.Changed, strings.Join(columnsOf(changed), ", ")))
	}
	if n.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", n.Removed))
	}
	return strings.Join(parts, " · ")
}

// columnsOf are the columns that change; a number that changes by the same in all
// rows says by how much.
func columnsOf(rows []*change.RowChange) []string {
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
