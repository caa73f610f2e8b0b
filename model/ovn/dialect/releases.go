package dialect

import (
	"fmt"

	"rung/model/ovn/nb"
)

// LineRows are the rows that tell of one line of release.Lines.
type LineRows struct {
	Today, Other int // in either form
	// Fact is the word of most of them: yes is the form of today.
	Fact
}

// linesOf are the lines, by the owner type of the rows that may tell of them; rows without an owner are
// under the empty type.
var linesOf = func() map[string][]int {
	out := map[string][]int{}
	for i := range Lines {
		for _, owner := range Lines[i].Owners {
			out[owner] = append(out[owner], i)
		}
		out[""] = append(out[""], i)
	}
	return out
}()

// countLines counts a row for the lines that it tells of, and returns the first of those that Rung leaves out
// whose other form it has, nil for none. That a row has no tier, and what is left out by vote, says nothing by itself.
func (t *dialectTally) countLines(r nb.Row, o nb.Owner) (leftOut *Line) {
	kind := o.Type
	switch o.Form {
	case nb.FormNone:
		kind = ""
	case nb.FormOdd, nb.FormUnknown:
		return nil // whose ever it is: it tells of no release
	}
	row := Row{Row: r, Owner: o, DB: t.db, OnSwitch: t.hangsOnSwitch}
	for _, i := range linesOf[kind] {
		l := &Lines[i]
		if l.Counted != "" && o.Controller != nb.DefaultController {
			continue // settings are told by the default network's rows
		}
		switch l.FormOf(row) {
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

// hangsOnSwitch says whether an ACL hangs on a switch.
func (t *dialectTally) hangsOnSwitch(acl string) bool {
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

// releaseFacts returns what the rows say of each line. Rows keep the form that they have until the new release
// has written them, so that most of them decide.
func (t *dialectTally) releaseFacts() []LineRows {
	for i := range t.lines {
		l, line := &t.lines[i], &Lines[i]
		shown := l.Today + l.Other
		switch {
		case line.Counted == "":
		case shown == 0:
			l.Evidence = "no row that shows it"
		default:
			l.Fact = Fact{TriOf(2*l.Today >= shown), fmt.Sprintf("%d of %d %s", l.Today, shown, line.Counted)}
		}
	}
	return t.lines
}

// LineFact returns the word of the rows on a line, by its place in release.Lines.
func (d *Dialect) LineFact(i int) Fact {
	if i >= len(d.Releases) {
		return Fact{}
	}
	return d.Releases[i].Fact
}

// ReleaseSpan is between which months' releases rows were written: the month of the latest change whose
// form of today they have, and that of the first whose form they lack; empty where they do not tell.
// During an upgrade, rows that have both forms of a line tell nothing.
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

// IsOnlyOther says whether rows have the other form of a line alone. A single one is an altered row.
func (l *LineRows) IsOnlyOther() bool { return l.Other > 1 && l.Today == 0 }
