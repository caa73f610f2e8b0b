package model

import (
	"strings"

	"rung/model/words"
)

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
		n.Add(found[i].Severity)
	}
	return n
}

// Add counts one more of a severity.
func (n *FindingCount) Add(s Severity) {
	switch s {
	case SeverityError:
		n.Errors++
	case SeverityWarning:
		n.Warnings++
	default:
		n.Infos++
	}
}

// CountUnder counts what CountFindings leaves out: findings that stand under a root that is
// among them. Where both are shown, both are said.
func CountUnder(found []Finding) (n FindingCount) {
	roots := Roots(found)
	for i := range found {
		if roots.Over(&found[i]) {
			n.Add(found[i].Severity)
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

// Text is "5 errors, 13 warnings, 33 info", without those of which there are none.
func (n FindingCount) Text() string {
	var parts []string
	if n.Errors > 0 {
		parts = append(parts, words.Total(n.Errors, "error"))
	}
	if n.Warnings > 0 {
		parts = append(parts, words.Total(n.Warnings, "warning"))
	}
	if n.Infos > 0 {
		parts = append(parts, words.Thousands(n.Infos)+" info")
	}
	return strings.Join(parts, ", ")
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
