package model

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model/words"
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
	// Direction and Rule point at a rule; Rule is -1 for the whole policy.
	Direction Direction
	Rule      int
	// Zone is the zone whose rows it is about, empty for what the objects say.
	Zone    string
	Message string
	Remedy  string
	// NamesOthers says that the message lists policies: with others in it, it is the same finding.
	NamesOthers bool
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
	From     string `json:"from"` // as `rung trace` reads them
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Port     uint16 `json:"port,omitempty"` // 0 for ICMP
	Family   uint8  `json:"family"`         // 4 or 6
	Verdict  string `json:"verdict"`
	By       string `json:"by"` // who decides, empty where nothing does
}

// IsZero says whether there is no connection.
func (w Witness) IsZero() bool { return w == Witness{} }

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
	case w.IsZero():
		return ""
	case w.By == "":
		return w.Connection() + ": " + w.Verdict + ", by no policy"
	}
	return w.Connection() + ": " + w.Verdict + ", by " + w.By
}

// FindingCount is how many findings there are of each severity. Header, ladder, tabs,
// page and command line all count by CountFindings.
type FindingCount struct {
	Errors, Warnings, Infos int
}

// CountFindings counts findings; a severity that is not known counts as information, as
// it is shown. Findings under a root that is among them are not counted besides it.
func CountFindings(found []Finding) (n FindingCount) {
	return countFindings(found, false)
}

// countFindings counts those that stand under a root of the list, or the others.
func countFindings(found []Finding, under bool) (n FindingCount) {
	roots := RootCauses(found)
	for i := range found {
		if roots.IsUnderRoot(&found[i]) == under {
			n.Add(found[i].Severity)
		}
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

// CountUnderRoots counts what CountFindings leaves out: findings that stand under a root that is
// among them. Where both are shown, both are said.
func CountUnderRoots(found []Finding) FindingCount { return countFindings(found, true) }

// Total is how many findings there are of any severity.
func (n FindingCount) Total() int { return n.Errors + n.Warnings + n.Infos }

// OfSeverity is how many there are of one severity.
func (n FindingCount) OfSeverity(s Severity) int {
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

// CauseSet are the causes of the roots of a list of findings.
type CauseSet map[string]bool

// RootCauses are the causes whose root is in a list.
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

// IsUnderRoot says whether a finding stands under a root of the list.
func (s CauseSet) IsUnderRoot(f *Finding) bool { return !f.Root && f.Cause != "" && s[f.Cause] }
