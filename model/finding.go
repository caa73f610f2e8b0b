package model

import "cmp"

// Severity of a finding.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"   // cannot be applied or is not enforced
	SeverityWarning Severity = "warning" // does something the author may not mean
	SeverityInfo    Severity = "info"
)

// Compare orders severities, the worst first.
func (s Severity) Compare(o Severity) int { return cmp.Compare(s.rank(), o.rank()) }

func (s Severity) rank() int {
	switch s {
	case SeverityError:
		return 0
	case SeverityWarning:
		return 1
	}
	return 2
}

// Finding is something an admin should know about a policy.
type Finding struct {
	Code     string // stable, kebab-case: "priority-unsupported"
	Severity Severity
	Policy   PolicyKey
	// Direction and Rule point at a rule; Rule is -1 for the whole policy.
	Direction Direction
	Rule      int
	// Zone is the zone whose rows it is about, empty for what the objects say.
	Zone    string
	Message string
	Remedy  string
	Origin  Origin
}
