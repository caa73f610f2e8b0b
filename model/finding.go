package model

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model/words"
)

// Severity is the severity of a finding.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"   // cannot be applied or is not enforced
	SeverityWarning Severity = "warning" // has an effect that the author may not intend
	SeverityInfo    Severity = "info"
)

// Compare orders severities, the worst first.
func (s Severity) Compare(o Severity) int { return cmp.Compare(s.severityRank(), o.severityRank()) }

func (s Severity) severityRank() int {
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
	// Direction and Rule are the rule concerned; Rule is -1 for the whole policy.
	Direction Direction
	Rule      int
	// Zone is the zone whose rows are concerned, or empty for findings about objects.
	Zone    string
	Message string
	Remedy  string
	// NamesOthers reports that the message lists policies: the finding is the same if the list changes.
	NamesOthers bool
	// Cause names a rule that causes several findings, as "ANP wall ingress 4". Root marks the finding
	// about that rule, under which the others are listed and counted.
	Cause string
	Root  bool
	// Witness is a connection that shows it, or zero.
	Witness Witness
	Origin  Origin
	Fix     Fix
}

// Fix is a change of the finding's policy after which the finding is gone for sure; the zero Fix is none.
type Fix struct {
	Text     string // "move to 33, above cluster-control"
	Priority int32  // target of a move, if Port is 0
	// Port is a TCP port to add to the egress rule Rule, or 0.
	Port int32
	Rule int
}

// Witness is a connection that shows a finding; the zero Witness is none.
type Witness struct {
	From     string `json:"from"` // in the form that `rung trace` reads
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Port     uint16 `json:"port,omitempty"` // 0 for ICMP
	Family   uint8  `json:"family"`         // 4 or 6
	Verdict  string `json:"verdict"`
	By       string `json:"by"` // the decider, empty if nothing decides
}

// IsZero reports whether there is no connection.
func (w Witness) IsZero() bool { return w == Witness{} }

// Connection returns "blue/api-0 → red/web-0 tcp 80".
func (w Witness) Connection() string {
	text := w.From + " → " + w.To + " " + strings.ToLower(w.Protocol)
	if w.Port > 0 {
		text += fmt.Sprintf(" %d", w.Port)
	}
	return text
}

// String returns "blue/api-0 → red/web-0 tcp 80: deny, by ANP wall ingress 0".
func (w Witness) String() string {
	switch {
	case w.IsZero():
		return ""
	case w.By == "":
		return w.Connection() + ": " + w.Verdict + ", by no policy"
	}
	return w.Connection() + ": " + w.Verdict + ", by " + w.By
}

// FindingCount counts findings by severity. Header, ladder, tabs, page and command line all use CountFindings.
type FindingCount struct {
	Errors, Warnings, Infos int
}

// CountFindings counts findings, without those under a root in the list.
func CountFindings(found []Finding) (n FindingCount) { return countFindings(found, false) }

// countFindings counts the findings under a root of the list, or all others.
func countFindings(found []Finding, under bool) (n FindingCount) {
	roots := RootCauses(found)
	for i := range found {
		if roots.IsUnderRoot(&found[i]) == under {
			n.Add(found[i].Severity)
		}
	}
	return n
}

// Add counts one more finding of a severity.
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

// CountUnderRoots counts the findings that CountFindings leaves out: those under a root in the list.
func CountUnderRoots(found []Finding) FindingCount { return countFindings(found, true) }

// Total returns the number of findings.
func (n FindingCount) Total() int { return n.Errors + n.Warnings + n.Infos }

// OfSeverity returns the number of findings of one severity.
func (n FindingCount) OfSeverity(s Severity) int {
	switch s {
	case SeverityError:
		return n.Errors
	case SeverityWarning:
		return n.Warnings
	}
	return n.Infos
}

// Text returns "5 errors, 13 warnings, 33 info", without zero counts.
func (n FindingCount) Text() string {
	var parts []string
	if n.Errors > 0 {
		parts = append(parts, words.Count(n.Errors, "error"))
	}
	if n.Warnings > 0 {
		parts = append(parts, words.Count(n.Warnings, "warning"))
	}
	if n.Infos > 0 {
		parts = append(parts, words.Thousands(n.Infos)+" info")
	}
	return strings.Join(parts, ", ")
}

// CauseSet is the set of causes with a root in a list of findings.
type CauseSet map[string]bool

// RootCauses returns the causes with a root in a list.
func RootCauses(found []Finding) (roots CauseSet) {
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

// IsUnderRoot reports whether a finding belongs under a root of the list.
func (s CauseSet) IsUnderRoot(f *Finding) bool { return !f.Root && f.Cause != "" && s[f.Cause] }
