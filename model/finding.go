package model

// Severity of a finding.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"   // cannot be applied or is not enforced
	SeverityWarning Severity = "warning" // does something the author may not mean
	SeverityInfo    Severity = "info"
)

// Finding is something an admin should know about a policy.
type Finding struct {
	Code     string // stable, kebab-case: "priority-unsupported"
	Severity Severity
	Policy   PolicyKey
	// Direction and Rule point at a rule; Rule is -1 for the whole policy.
	Direction Direction
	Rule      int
	Message   string
	Remedy    string
	Origin    Origin
}
