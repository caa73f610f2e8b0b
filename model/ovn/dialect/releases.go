package dialect

import (
	"fmt"

	"rung/model/ovn/nb"
)

// LineRows counts the rows that show one line of Lines.
type LineRows struct {
	Today, Other int // rows in each form
	Fact             // by majority: yes is today's form
}

// linesByOwner maps owner types to the lines that their rows may show. The empty type has the lines of rows without
// an owner.
var linesByOwner = func() map[string][]int {
	out := map[string][]int{}
	for i := range Lines {
		for _, owner := range Lines[i].Owners {
			out[owner] = append(out[owner], i)
		}
		out[""] = append(out[""], i)
	}
	return out
}()

// countLines counts a row for the lines that it shows. It returns the first left-out line whose other form the
// row has, or nil. Tiers and lines left out by vote are not returned: a single row does not show them.
func (t *dialectTally) countLines(r nb.Row, o nb.Owner) (leftOut *Line) {
	kind := o.Type
	switch o.Form {
	case nb.FormNone:
		kind = ""
	case nb.FormOdd, nb.FormUnknown:
		return nil // such a row shows no release
	}
	row := Row{Row: r, Owner: o, DB: t.db, OnSwitch: t.isOnSwitch}
	for _, i := range linesByOwner[kind] {
		l := &Lines[i]
		if l.Counted != "" && o.Controller != nb.DefaultController {
			continue // only rows of the default network show settings
		}
		switch l.ClassifyRow(row) {
		case Today:
			t.lines[i].Today++
		case Other:
			t.lines[i].Other++
			if leftOut == nil && l.Treatment == LeftOut && !l.ByVote && l.Name != Tiers {
				leftOut = l
			}
		}
	}
	return leftOut
}

// isOnSwitch reports whether a switch has the ACL.
func (t *dialectTally) isOnSwitch(acl string) bool {
	if t.onSwitches == nil {
		t.onSwitches = map[string]bool{}
		for s := range t.db.Switches() {
			for _, uuid := range s.ACLs {
				t.onSwitches[uuid] = true
			}
		}
	}
	return t.onSwitches[acl]
}

// releaseFacts returns what the rows show about each line. The majority decides, since rows keep their form
// until the new release writes them.
func (t *dialectTally) releaseFacts() []LineRows {
	for i := range t.lines {
		l, counted := &t.lines[i], Lines[i].Counted
		switch shown := l.Today + l.Other; {
		case counted == "":
		case shown == 0:
			l.Evidence = "no row that shows it"
		default:
			l.Fact = Fact{NewTristate(2*l.Today >= shown), fmt.Sprintf("%d of %d %s", l.Today, shown, counted)}
		}
	}
	return t.lines
}

// LineFact returns what the rows show about a line, by its index in Lines.
func (d *Dialect) LineFact(i int) Fact {
	if i >= len(d.Releases) {
		return Fact{}
	}
	return d.Releases[i].Fact
}

// ReleaseSpan returns between which months' releases the rows were written: since is the month of the latest
// change they show, before the month of the first change they lack. Each is empty if unknown. Lines with rows
// in both forms are ignored, since these occur during an upgrade.
func ReleaseSpan(lines []LineRows) (since, before string) {
	for i, l := range lines {
		at := Lines[i].Since
		switch {
		case at == "":
		case l.Today > 0 && l.Other == 0:
			since = max(since, at)
		case l.Other > 0 && l.Today == 0 && (before == "" || at < before):
			before = at
		}
	}
	if since != "" && before != "" && before <= since {
		return "", "" // of several releases
	}
	return since, before
}

// IsOnlyOther reports whether two or more rows have the other form and none has today's. A single row may be
// altered.
func (l *LineRows) IsOnlyOther() bool { return l.Other > 1 && l.Today == 0 }
