package model

import "strings"

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
)

// OmissionCodes are all codes, in the order in which they are documented.
var OmissionCodes = []OmissionCode{OmittedFile, OmittedObject, OmittedRows, OmittedKind, OmittedZone, OmittedPlace, OmittedAll, OmittedPart, OmittedAbsent, OmittedSetting}

// Omission is something that the answers of a revision do not take into account, or take for
// granted: who answers a question says those that could change the answer beside it.
type Omission struct {
	Code OmissionCode
	// Key is the object's, as far as it could be read, or only the kind; Origin is where it
	// was read, Zone the database of an OmittedZone.
	Key    Key
	Origin Origin
	Zone   string
	// Priority is what the policy gives as its own, nil where that is not known.
	Priority *int32
	// Why is the reason, a clause that goes on from "not counting X": "which was refused:
	// spec.subject is missing". Of what is assumed, it is what is taken for granted.
	Why string
	// Remedy is what to do about it, empty for nothing.
	Remedy string
}

// Assumed says that nothing was left out: something is taken for granted that the input does
// not say. It is told with the answer, and the answer counts as wholly judged.
func (o *Omission) Assumed() bool { return o.Code == OmittedAbsent || o.Code == OmittedSetting }

// What names it: "AdminNetworkPolicy x (10-deny.yaml:3)", "policies/a.yaml", "zone worker-1",
// "EgressFirewalls".
func (o *Omission) What() string {
	name := strings.TrimSpace(string(o.Key.Kind) + " " + strings.TrimPrefix(o.Key.Namespace+"/"+o.Key.Name, "/"))
	at := o.Origin.Where()
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

// String says it in one line: "not counting AdminNetworkPolicy x (10-deny.yaml:3), which was
// refused: …", or "assuming that …".
func (o *Omission) String() string {
	if o.Assumed() {
		return "assuming that " + o.Why
	}
	if o.Code == OmittedPlace || o.Code == OmittedAll || o.Code == OmittedPart {
		return o.Why
	}
	what := o.What()
	if what == "" {
		what = "part of the input"
	}
	return "not counting " + what + ", " + o.Why
}
