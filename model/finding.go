package model

import (
	"cmp"
	"fmt"
	"strings"
)

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
	// Cause names the rule by which it stands, as "ingress rule 4 of ANP wall", where several
	// findings have that rule in common; Root says that it is the one about that rule, and
	// the others are listed and counted under it.
	Cause string
	Root  bool
	// Witness is a connection that shows it, where there is one.
	Witness Witness
	Origin  Origin
}

// Witness is a connection that shows what a finding says; the zero Witness is none.
type Witness struct {
	From, To string // as `rung trace` reads them
	Protocol string
	Port     uint16 // 0 for ICMP
	Family   uint8  // 4 or 6
	Verdict  string
	By       string // who decides, empty where nothing does
}

// None says whether there is no connection.
func (w Witness) None() bool { return w == Witness{} }

// Connection is "blue/api-0 → red/web-0 tcp 80".
func (w Witness) Connection() string {
	text := w.From + " → " + w.To + " " + strings.ToLower(w.Protocol)
	if w.Port > 0 {
		text += fmt.Sprintf(" %d", w.Port)
	}
	return text
}

// String is "blue/api-0 → red/web-0 tcp 80: deny, by ANP wall ingress rule 0".
func (w Witness) String() string {
	switch {
	case w.None():
		return ""
	case w.By == "":
		return w.Connection() + ": " + w.Verdict + ", by no policy"
	}
	return w.Connection() + ": " + w.Verdict + ", by " + w.By
}
