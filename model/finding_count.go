package model

// FindingCount is how many findings there are of each severity. Header, ladder, tabs,
// page and command line all count by CountFindings.
type FindingCount struct {
	Errors, Warnings, Infos int
}

// CountFindings counts findings; a severity that is not known counts as information, as
// it is shown.
func CountFindings(found []Finding) (n FindingCount) {
	for i := range found {
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
