package dialect

import (
	"slices"

	"rung/model/ovn/nb"
)

// Form is which form of a Line a row has.
type Form uint8

// The forms.
const (
	NotShown Form = iota // the row does not show the line
	Today                // the form of the release that Rung compiles
	Other                // the form of earlier releases, or of a future one
)

// Treatment is Rung's handling of rows in the other form of a line.
type Treatment uint8

// The treatments.
const (
	Compiled  Treatment = iota // rows are compiled in the form of most zones
	LeftOut                    // rows are recognised but not compared with desired rows
	ReadAlike                  // rows of either form are listed by owner type
	Unseen                     // no row shows the form
)

// Line describes an upstream change that distinguishes releases.
type Line struct {
	Name         string // in settings and options: "merged-ip-blocks"
	Upstream     string // the change, "pull request 5959"; empty if unknown
	Since        string // month of the first release with today's form, "2026-02"; empty if unknown
	IsUnreleased bool   // still open upstream: the other form is a future release's
	Today, Other string // the forms in words
	Treatment    Treatment
	// Owners are the owner types whose rows have the two forms. The first one also gets rows without an owner.
	Owners []string
	ByVote bool // leave out all rows of the owner types if none has today's form
	ByZone bool // do not compare rows of the owner types in zones that have another form than the compiled one
	// Counted names the rows with today's form, after a count: "ACLs that do not log refer to the meter".
	// Empty if rows are not voted on.
	Counted string

	sign    func(Row) Form           // returns the form of a row of an owner type
	acl     func(Row, *nb.ACL) Form  // returns the form of an ACL of an owner type, if only ACLs show it
	unowned func(*nb.PortGroup) bool // reports whether a row without an owner has the other form
}

// Row is a row with its owner and its database.
type Row struct {
	nb.Row
	Owner nb.Owner
	DB    *nb.DB
	// OnSwitch reports whether an ACL is on a switch; nil if unknown.
	OnSwitch func(acl string) bool
}

// ClassifyRow returns the form that a row has.
func (l *Line) ClassifyRow(r Row) Form {
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

// Index returns the index of a line in Lines, by its name, or -1.
func Index(name string) int {
	return slices.IndexFunc(Lines, func(l Line) bool { return l.Name == name })
}

// Set is a bit set of lines, by their index in Lines.
type Set uint64

// With returns the set with a line, by its name.
func (s Set) With(name string) Set {
	if i := Index(name); i >= 0 {
		s |= 1 << i
	}
	return s
}

// Has reports whether a line is in the set.
func (s Set) Has(name string) bool {
	if s == 0 { // the usual case; called for every ACL
		return false
	}
	i := Index(name)
	return i >= 0 && s&(1<<i) != 0
}
