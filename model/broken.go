package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model/words"
)

// CodeNewer marks a field of an installed CRD that OVN-Kubernetes' profile lacks
// (ovn-kubernetes.md#feature-switch).
const CodeNewer = "crd-newer"

// IsError reports whether the object was not accepted at all.
func (b Broken) IsError() bool { return b.Severity == "" || b.Severity == SeverityError }

// Place returns where an object was read: file and line, then the document and the item of a List, counted
// from 0 as in Origin. It is only the line for text without a file (an editor's), and empty for an object that
// was not read from text.
func (o Origin) Place() string {
	switch {
	case o.File == "" && o.Line > 0:
		return "line " + strconv.Itoa(o.Line)
	case o.File == "":
		return ""
	}
	at, item := o.File, ""
	if at == "-" {
		at = "standard input"
	}
	if o.Item >= 0 {
		item = fmt.Sprintf(", item %d", o.Item)
	}
	if o.Line > 0 {
		at += fmt.Sprintf(":%d (document %d%s)", o.Line, o.Doc, item)
	}
	return at
}

// CompareLines orders problems of one text by line; those without a line are last.
func (b Broken) CompareLines(o Broken) int {
	if (b.Origin.Line > 0) != (o.Origin.Line > 0) {
		return cmp.Compare(o.Origin.Line, b.Origin.Line)
	}
	return cmp.Compare(b.Origin.Line, o.Origin.Line)
}

// String returns one line with the place, the object, the field, the fault and the remedy.
func (b Broken) String() string {
	parts := []string{b.Origin.Place(), b.keyText(), b.Field, b.Message}
	s := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
	if b.Remedy != "" {
		s += "; " + b.Remedy
	}
	return s
}

func (b Broken) keyText() string {
	switch {
	case b.Key == (Key{}):
		return ""
	case b.Key.Name == "":
		return string(b.Key.Kind)
	case b.Key.Kind == "":
		return b.Key.Name
	}
	return b.Key.String()
}

// ObjectOrigin returns where an object that embeds Meta was read.
func (m *Meta) ObjectOrigin() Origin { return m.Origin }

// ErrRejected marks a transaction or change rejected as a whole: nothing was done, and a retry would fail too.
var ErrRejected = errors.New("refused")

// ErrWait marks a transaction whose wait was not met: nothing was done, because a row has changed.
var ErrWait = errors.New("not as expected")

// Fault is a failure below a zone's rows, on their way to flows: a process that does not run or answer.
type Fault struct {
	Process string `json:"name"`  // of a process; "OVN" for all of them
	State   string `json:"state"` // "died", "stopped", "does not answer", "not up yet", "did not start"
	Since   Stamp  `json:"since"`
	Error   string `json:"error,omitempty"` // the cause, clean; empty if unknown
}

// Text returns the fault without its time: "ovn-northd died: signal: killed".
func (f *Fault) Text() string {
	text := f.Process + " " + f.State
	if f.Error != "" {
		text += ": " + f.Error
	}
	return text
}

// AgedText returns "ovn-northd died 12 s ago", or "ovn-northd does not answer for 12 s".
func (f *Fault) AgedText(now time.Time) string {
	when := "just now"
	switch lasts := now.Sub(f.Since.Time) >= time.Second; {
	case f.State != "died" && f.State != "stopped":
		when = "for " + words.TimeLasted(now.Sub(f.Since.Time))
	case lasts:
		when = words.TimeLasted(now.Sub(f.Since.Time)) + " ago"
	}
	return f.Process + " " + f.State + " " + when
}

// OmissionCode is the kind of an Omission; stable, for scripts.
type OmissionCode string

// The codes of omissions.
const (
	// OmittedFile is an unreadable file or document, whose content is unknown.
	OmittedFile OmissionCode = "unreadable"
	// OmittedObject is a rejected object, of which at best the name is known.
	OmittedObject OmissionCode = "refused"
	// OmittedRows is a policy without desired rows, for a reason. Earlier rows may still decide
	// (ovn-kubernetes.md#no-rows).
	OmittedRows OmissionCode = "no-rows"
	// OmittedKind is a kind of objects that the source must not or could not read.
	OmittedKind OmissionCode = "unread-kind"
	// OmittedAll means that there was nothing to judge, OmittedPart that the answer is partly unknown.
	OmittedAll  OmissionCode = "nothing"
	OmittedPart OmissionCode = "unknown"
	// OmittedAbsent is a kind without objects in the input: none are assumed to exist.
	OmittedAbsent OmissionCode = "absent-kind"
	// OmittedSetting is a setting that was assumed.
	OmittedSetting OmissionCode = "assumed-setting"
	// OmittedZone is a database that was not read, or only in part.
	OmittedZone OmissionCode = "zone"
	// OmittedPlace are pods without node or address, judged as if they were scheduled.
	OmittedPlace OmissionCode = "unscheduled"
	// OmittedPlanned are pods that do not exist yet, judged by their manifests or the templates of their
	// workloads.
	OmittedPlanned OmissionCode = "to-be"
	// OmittedNetwork are pods outside the default network, which the answer ignores.
	OmittedNetwork OmissionCode = "other-network"
)

// OmissionCodes are all codes, in the order of the documentation.
var OmissionCodes = []OmissionCode{OmittedFile, OmittedObject, OmittedRows, OmittedKind, OmittedZone, OmittedPlace, OmittedAll, OmittedPart,
	OmittedAbsent, OmittedPlanned, OmittedSetting, OmittedNetwork}

// Omission is something that the answers of a revision ignore or assume. Answers list those that matter.
type Omission struct {
	Code OmissionCode
	// Key is the readable part of the object's key. Origin is its place, Zone the database of an OmittedZone.
	Key    Key
	Origin Origin
	Zone   string
	// Priority is the policy's stated priority, nil if unknown.
	Priority *int32
	// Why is the reason, a clause after the name ("was rejected and is ignored: spec.subject is missing"), or
	// the assumption.
	Why string
	// Remedy says how to fix it, or is empty.
	Remedy string
}

// IsAssumption reports that nothing was left out, but something missing from the input is assumed. The answer
// names the assumption and still counts as complete.
func (o *Omission) IsAssumption() bool {
	return o.Code == OmittedAbsent || o.Code == OmittedPlanned || o.Code == OmittedSetting || o.Code == OmittedNetwork ||
		o.Code == OmittedPlace
}

// OmittedName returns the name of the thing left out: "AdminNetworkPolicy x (10-deny.yaml:3)",
// "policies/a.yaml", "zone worker-1", "EgressFirewalls".
func (o *Omission) OmittedName() string {
	name := strings.TrimSpace(string(o.Key.Kind) + " " + strings.TrimPrefix(o.Key.Namespace+"/"+o.Key.Name, "/"))
	at := o.Origin.Place()
	if i := strings.Index(at, " (document"); i >= 0 && o.Key.Name != "" {
		at = at[:i] // the name identifies it
	}
	switch {
	case o.Zone != "":
		return "zone " + o.Zone
	case name == "":
		return at
	case at == "":
		return name
	}
	return name + " (" + at + ")"
}

// String returns the omission in one line: "AdminNetworkPolicy x (10-deny.yaml:3) was rejected and is
// ignored: …", or "assuming …".
func (o *Omission) String() string {
	switch {
	case o.Code == OmittedPlace || o.Code == OmittedAll || o.Code == OmittedPart || o.Code == OmittedNetwork:
		return o.Why
	case o.IsAssumption():
		return "assuming " + o.Why
	}
	what := o.OmittedName()
	if what == "" {
		what = "part of the input"
	}
	return what + " " + o.Why
}

// RuleAt returns the rule of the field, as in spec.ingress[2].ports[0]; -1 for none.
func (b *Broken) RuleAt() (Direction, int) {
	for _, d := range Directions {
		if rest, ok := strings.CutPrefix(b.Field, "spec."+d.Lower()+"["); ok {
			n := 0
			if _, err := fmt.Sscanf(rest, "%d]", &n); err == nil {
				return d, n
			}
		}
	}
	return "", -1
}
