package dialect

import (
	"slices"

	"rung/model/ovn/nb"
)

// Form is the form of a line that a row has.
type Form uint8

// The forms.
const (
	NotShown Form = iota // the row tells nothing of the line
	Today                // as the release that Rung compiles writes it
	Other                // as earlier releases wrote it, or as one to come will
)

// Treatment is the way in which Rung takes rows in the other form of a line.
type Treatment uint8

// The treatments.
const (
	// Compiled lines are compiled in the form that most zones have.
	Compiled Treatment = iota
	// LeftOut rows are recognised, and not compared with what is desired.
	LeftOut
	// ReadAlike rows are listed and told of by their owner type, whichever form they have.
	ReadAlike
	// Unseen lines are shown by no row.
	Unseen
)

// String is the treatment as the document has it.
func (t Treatment) String() string {
	return [...]string{Compiled: "compiled in both forms, by vote", LeftOut: "recognised, not compared", ReadAlike: "both are read", Unseen: "no row shows it"}[t]
}

// Line is one upstream change by which releases differ.
type Line struct {
	// Name says the line in settings and options: "merged-ip-blocks".
	Name string
	// Upstream is the change: "pull request 5959". Empty where the form is older than the change can be
	// told by.
	Upstream string
	// Since is the month in which the form of today came, "2026-02"; empty where it is not known.
	Since string
	// ToCome says that the other form is of a release to come: the change is open upstream.
	ToCome bool
	// Today and Other say what the forms look like, to people.
	Today, Other string
	// Treatment is the way in which Rung takes rows in the other form.
	Treatment Treatment
	// Owners are the owner types whose rows have the two forms; the first one is that of rows which do
	// not name their owner.
	Owners []string
	// ByVote leaves the owner types out, whatever their other rows look like, once no row of theirs has the
	// form of today.
	ByVote bool
	// ByZone says that rows of the owner types are not compared in a zone that has the other form than
	// is compiled.
	ByZone bool
	// Counted names the rows that have the form of today, after a count: "ACLs that do not log refer to
	// the meter". Empty where rows are not voted on.
	Counted string

	// sign tells of a row of one of the owner types which form it has; nil where no row shows it.
	sign func(Row) Form
	// unowned tells the other form of a row without an owner.
	unowned func(*nb.PortGroup) bool
}

// Row is a row with its owner, and the database that it stands in.
type Row struct {
	nb.Row
	Owner nb.Owner
	DB    *nb.DB
	// OnSwitch says whether an ACL hangs on a switch; nil where nobody looked.
	OnSwitch func(acl string) bool
}

// acl is the row as an ACL, nil where it is another.
func (r Row) acl() *nb.ACL {
	a, _ := r.Row.(*nb.ACL)
	return a
}

// FormOf returns the form that a row has.
func (l *Line) FormOf(r Row) Form {
	if r.Owner.Form == nb.FormNone {
		if g, ok := r.Row.(*nb.PortGroup); ok && l.unowned != nil && l.unowned(g) {
			return Other
		}
		return NotShown
	}
	if l.sign == nil || !slices.Contains(l.Owners, r.Owner.Type) {
		return NotShown
	}
	return l.sign(r)
}

// Index returns the place of a line in Lines, by its name; -1 for none.
func Index(name string) int {
	return slices.IndexFunc(Lines, func(l Line) bool { return l.Name == name })
}

// Set holds lines, by their place in Lines.
type Set uint64

// With returns the set with a line, by its name.
func (s Set) With(name string) Set {
	if i := Index(name); i >= 0 {
		s |= 1 << i
	}
	return s
}

// Has says whether a line is in the set.
func (s Set) Has(name string) bool {
	if s == 0 { // as nearly always, and it is asked of every ACL
		return false
	}
	i := Index(name)
	return i >= 0 && s&(1<<i) != 0
}
