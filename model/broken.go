package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CodeNewer marks what an installed CRD has and OVN-Kubernetes' profile
// (ovn-kubernetes.md#feature-switch) has not.
const CodeNewer = "crd-newer"

// IsError says whether the object could not be taken in at all.
func (b Broken) IsError() bool { return b.Severity == "" || b.Severity == SeverityError }

// Place is the place an object was read, as people write it: file and line,
// then the document and the item of a List, counted from 0 as in Origin. It is
// only the line for text without a file (an editor's), and empty for an object
// that was not read from text.
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

// CompareLines orders what is wrong with one text by its lines; what has none is last.
func (b Broken) CompareLines(o Broken) int {
	if (b.Origin.Line > 0) != (o.Origin.Line > 0) {
		return cmp.Compare(o.Origin.Line, b.Origin.Line)
	}
	return cmp.Compare(b.Origin.Line, o.Origin.Line)
}

// String returns the whole story in one line: the place, the object, the field, the
// fault and the remedy.
func (b Broken) String() string {
	parts := []string{b.Origin.Place(), b.keyText(), b.Field, b.Message}
	s := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
	if b.Remedy != "" {
		s += "; " + b.Remedy
	}
	return s
}

// keyText is the key as far as it is known.
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

// ObjectOrigin says where an object that embeds Meta was read.
func (m *Meta) ObjectOrigin() Origin { return m.Origin }

// ErrRefused marks a transaction or change that its receiver refused as a
// whole: nothing was done, and the same request would be refused again.
var ErrRefused = errors.New("refused")

// ErrWait marks a transaction whose wait was not met: nothing was done, because a
// row is not as the sender takes it to be.
var ErrWait = errors.New("not as expected")

// Fault is a failure below a zone's rows, where they become flows: a process that does
// not run or does not answer.
type Fault struct {
	Process string // a process by its name; "OVN" for all of them
	State   string // "died", "stopped", "does not answer", "not up yet", "did not start"
	Since   time.Time
	Error   string // why, clean; empty where nobody knows
}

// Text is the fault in a few words, without its time: "ovn-northd died: signal: killed".
func (f *Fault) Text() string {
	text := f.Process + " " + f.State
	if f.Error != "" {
		text += ": " + f.Error
	}
	return text
}

// OmissionCode says what kind of thing an Omission is; stable, for scripts.
type OmissionCode string

// The codes of omissions.
const (
	// OmittedFile is a file or a document that could not be read: nobody knows what is in it.
	OmittedFile OmissionCode = "unreadable"
	// OmittedObject is an object that was refused: it is known by name at best.
	OmittedObject OmissionCode = "refused"
	// OmittedRows is a policy that is read and has no desired rows, for a reason. Rows it had
	// before may still decide (ovn-kubernetes.md#no-rows).
	OmittedRows OmissionCode = "no-rows"
	// OmittedKind is a kind of objects that the source may not or could not read.
	OmittedKind OmissionCode = "unread-kind"
	// OmittedAll says that nothing was there to judge, OmittedPart that the answer to a part is
	// unknown; Why has the reason.
	OmittedAll  OmissionCode = "nothing"
	OmittedPart OmissionCode = "unknown"
	// OmittedAbsent is a kind of which the input has no object: taken as there being none.
	OmittedAbsent OmissionCode = "absent-kind"
	// OmittedSetting is a setting that nobody told and that was assumed.
	OmittedSetting OmissionCode = "assumed-setting"
	// OmittedZone is a database that was not read, or in part.
	OmittedZone OmissionCode = "zone"
	// OmittedPlace are pods without node or address, judged as if they were scheduled.
	OmittedPlace OmissionCode = "unscheduled"
	// OmittedToBe are pods that do not exist yet, judged as their manifests or the templates of
	// their workloads say.
	OmittedToBe OmissionCode = "to-be"
	// OmittedNetwork are pods that an answer about the default network leaves aside.
	OmittedNetwork OmissionCode = "other-network"
)

// OmissionCodes are all codes, in the order in which they are documented.
var OmissionCodes = []OmissionCode{OmittedFile, OmittedObject, OmittedRows, OmittedKind, OmittedZone, OmittedPlace, OmittedAll, OmittedPart,
	OmittedAbsent, OmittedToBe, OmittedSetting, OmittedNetwork}

// Omission is something that the answers of a revision do not take into account, or take for
// granted: who answers a question says those that could change the answer beside it.
type Omission struct {
	Code OmissionCode
	// Key is the object's, as far as it could be read, or only the kind; Origin is where it
	// was read, Zone the database of an OmittedZone.
	Key    Key
	Origin Origin
	Zone   string
	// Priority is the priority that the policy states, nil where it is not known.
	Priority *int32
	// Why is the reason, a clause after the name: "was rejected and is ignored:
	// spec.subject is missing". For an assumption it says what is assumed.
	Why string
	// Remedy is the advice on how to mend it, empty for none.
	Remedy string
}

// IsAssumption says that nothing was left out: something is taken for granted that the input does
// not say. It is told with the answer, and the answer counts as wholly judged.
func (o *Omission) IsAssumption() bool {
	return o.Code == OmittedAbsent || o.Code == OmittedToBe || o.Code == OmittedSetting || o.Code == OmittedNetwork || o.Code == OmittedPlace
}

// OmittedName returns the name of the thing left out: "AdminNetworkPolicy x
// (10-deny.yaml:3)", "policies/a.yaml", "zone worker-1", "EgressFirewalls".
func (o *Omission) OmittedName() string {
	name := strings.TrimSpace(string(o.Key.Kind) + " " + strings.TrimPrefix(o.Key.Namespace+"/"+o.Key.Name, "/"))
	at := o.Origin.Place()
	if i := strings.Index(at, " (document"); i >= 0 && o.Key.Name != "" {
		at = at[:i] // the name says which
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

// RuleAt is the rule that the field is of, as in spec.ingress[2].ports[0]; -1 for none.
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
