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

// Treatment says what Rung does with rows in the other form of a line.
type Treatment uint8

// The treatments.
const (
	Compiled  Treatment = iota // rows are compiled in the form that most zones have
	LeftOut                    // rows are recognised, and not compared with the desired ones
	ReadAlike                  // rows are listed by their owner type, in either form
	Unseen                     // no row shows the form
)

// Line is one upstream change by which releases differ.
type Line struct {
	Name         string // in settings and options: "merged-ip-blocks"
	Upstream     string // the change, "pull request 5959"; empty if unknown
	Since        string // the month of the first release with the form of today, "2026-02"; empty if unknown
	ToCome       bool   // the change is open upstream: the other form is of a future release
	Today, Other string // what the forms look like, for people
	Treatment    Treatment
	// Owners are the owner types whose rows have the two forms. The first one owns the rows that do not
	// name their owner.
	Owners []string
	ByVote bool // leave out all rows of the owner types if none of them has the form of today
	ByZone bool // do not compare rows of the owner types in a zone whose form is not the compiled one
	// Counted names the rows that have the form of today, after a count: "ACLs that do not log refer to
	// the meter". Empty if rows are not voted on.
	Counted string

	sign    func(Row) Form           // returns the form of a row of an owner type
	acl     func(Row, *nb.ACL) Form  // returns the form of an ACL of an owner type, if no other rows show it
	unowned func(*nb.PortGroup) bool // reports whether a row without an owner has the other form
}

// Row is a row with its owner, and the database that it stands in.
type Row struct {
	nb.Row
	Owner nb.Owner
	DB    *nb.DB
	// OnSwitch says whether an ACL hangs on a switch; nil where nobody looked.
	OnSwitch func(acl string) bool
}

// FormOf returns the form that a row has.
func (l *Line) FormOf(r Row) Form {
	if r.Owner.Form == nb.FormNone {
		if g, ok := r.Row.(*nb.PortGroup); ok && l.unowned != nil && l.unowned(g) {
			return Other
		}
		return NotShown
	}
	a, isACL := r.Row.(*nb.ACL)
	switch {
	case !slices.Contains(l.Owners, r.Owner.Type):
	case l.sign != nil:
		return l.sign(r)
	case l.acl != nil && isACL:
		return l.acl(r, a)
	}
	return NotShown
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
