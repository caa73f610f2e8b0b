package model

// FindingCount is how many findings there are of each severity. Header, ladder, tabs,
// page and command line all count by CountFindings.
type FindingCount struct {
	Errors, Warnings, Infos int
}

// CountFindings counts findings; a severity that is not known counts as information, as
// it is shown. Those under a root that is among them are not counted besides it.
func CountFindings(found []Finding) (n FindingCount) {
	roots := Roots(found)
	for i := range found {
		if roots.Over(&found[i]) {
			continue
		}
		switch found[i].Severity {
		case SeverityError:
			n.Errors++
		case SeverityWarning:
			n.Warnings++
		default:
			n.Infos++
		}
	}
	return n
}

// All is how many findings there are of any severity.
func (n FindingCount) All() int { return n.Errors + n.Warnings + n.Infos }

// Of is how many there are of one severity.
func (n FindingCount) Of(s Severity) int {
	switch s {
	case SeverityError:
		return n.Errors
	case SeverityWarning:
		return n.Warnings
	}
	return n.Infos
}

// CauseSet are the causes of the roots of a list of findings.
type CauseSet map[string]bool

// Roots are the causes whose root is in a list.
func Roots(found []Finding) (roots CauseSet) {
	for i := range found {
		if f := &found[i]; f.Root {
			if roots == nil {
				roots = CauseSet{}
			}
			roots[f.Cause] = true
		}
	}
	return roots
}

// Over says whether a finding stands under a root of the list.
func (s CauseSet) Over(f *Finding) bool { return !f.Root && f.Cause != "" && s[f.Cause] }
