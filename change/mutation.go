package change

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
)

// Op names a mutation: the id of an action in the action table, in the audit and on the command line.
type Op string

// Operations of mutations.
const (
	OpApply    Op = "apply"     // create or update from YAML
	OpDelete   Op = "delete"    // remove a policy
	OpMove     Op = "move"      // another priority or tier
	OpLogLevel Op = "log-level" // set the logging annotation, permanently or for a session
	OpLogEnd   Op = "log-end"   // end a logging session and restore the annotation
	OpUndo     Op = "undo"      // take back a change
	OpRedo     Op = "redo"      // make an undone change again
	OpRevert   Op = "revert"    // revert an unconfirmed change
	OpFinish   Op = "finish"    // make the rest of a killed change
	OpCombine  Op = "combine"   // several changes, in order
)

// DeniedText returns why the API server does not let the user change a policy, empty if allowed or unknown. A
// key without a name means a new policy.
func (op Op) DeniedText(a revision.Access, k model.PolicyKey) string {
	if k.Kind == "" {
		k.Kind = model.KindANP
	}
	if op == OpLogLevel || op == OpLogEnd {
		k = model.LoggedBy(k)
	}
	var v kube.Verb
	switch {
	case op == OpApply && k.Name == "":
		v = kube.VerbCreate
	case op == OpApply:
		v = kube.VerbUpdate
	case op == OpMove || op == OpLogLevel || op == OpLogEnd:
		v = kube.VerbPatch
	case op == OpDelete:
		v = kube.VerbDelete
	default:
		return "" // the preview of an undo finds out
	}
	q := v.QuestionFor(k)
	return a.WhyNot(q.Verb, q.Target(), q.Namespace)
}

// Danger is how much confirmation an action needs.
type Danger int

// Levels of danger.
const (
	Harmless  Danger = iota // nothing is written
	Confirmed               // default No
	Typed                   // the policy's name must be typed
)

// Mutation is a requested change.
type Mutation struct {
	Op Op
	// One or more documents for OpApply.
	YAML []byte
	// Files that parts of YAML come from, in order; empty for text from an editor.
	Files []TextFile
	// Text that the edit started from, or empty for a new object. It is a conflict if the object differs from it.
	Base []byte
	// Target of all operations but OpApply, OpUndo and OpRedo.
	Policy model.PolicyKey
	// Destination of OpMove: without Tier the policy keeps its tier, with TierOnly its priority.
	Priority float64
	Tier     string
	TierOnly bool
	Levels   model.LogLevels // for OpLogLevel: levels, or on, off and keep if rules log one by one
	// logLabel for the rules that OpLogLevel switches on one by one; empty for none.
	LogLabel string
	// Several targets of OpLogLevel and OpLogEnd: ANPs, BANP and namespaces.
	Policies []model.PolicyKey
	// Makes OpLogLevel a logging session, which ends after SessionTime; 0 means when somebody ends it.
	Session     bool
	SessionTime time.Duration
	// Limits OpLogEnd to an expired session, whose end was agreed to when it began.
	Timed bool
	// History entry that OpUndo takes back, or 0 for the newest; for OpRedo the entry of the undo.
	Undo uint64
	// Set on moves made by the plan runner, and on what starts it. Without a Policy it is a whole plan: NewPlan,
	// else the stopped plan, which Back rolls back.
	Plan    bool
	NewPlan *plan.Plan
	Back    bool
	// Makes OpApply a server-side apply of whole documents on a cluster; Force takes over fields of other
	// managers.
	ServerSide, Force bool
	// Changes of OpCombine, each made after those before it.
	Parts []Mutation
	// Mixed allows objects other than policies in OpApply's text of a folder: they are skipped with a note.
	// Prune deletes the policies that are not in it.
	Mixed, Prune bool
	// Connections that OpApply is made for; nil if not stated.
	Wanted *diff.WantedVerdict
}

// TextFile is where a file begins in a text: its first line, from 1, and document, from 0. Docs is its number
// of documents.
type TextFile struct {
	Name            string
	Line, Doc, Docs int
}

// PlaceErrors replaces positions in YAML by positions in the file read.
func (m *Mutation) PlaceErrors(errors []model.Broken) {
	for i := range errors {
		o := &errors[i].Origin
		for j := len(m.Files) - 1; j >= 0 && o.File == "" && o.Line > 0; j-- {
			if f := &m.Files[j]; o.Line >= f.Line {
				o.File, o.Line, o.Doc = f.Name, o.Line-f.Line+1, o.Doc-f.Doc
			}
		}
	}
}

// Guard is a guard rail that a change hits.
type Guard struct {
	Code    string // "dns-cut", "opens", "kept-elsewhere" …
	Policy  model.PolicyKey
	Message string
	// Text to compare guards by, if the message has numbers and examples that may change while nothing else
	// does.
	About string
}

// Identity returns the text by which guards are compared.
func (g Guard) Identity() string { return cmp.Or(g.About, g.Message) }

// IsChangeable reports whether the gate changes objects of a kind: policies, objects they refer to, and the
// logging of namespaces.
func IsChangeable(k model.Kind) bool {
	return k.IsPolicy() || k.IsReferenced() || k == model.KindNamespace
}

// LoggingTargets returns the objects whose logging a mutation changes.
func (m *Mutation) LoggingTargets() []model.PolicyKey {
	if len(m.Policies) > 0 {
		return m.Policies
	}
	return []model.PolicyKey{m.Policy}
}

// LoggingTitle returns the title of OpLogLevel.
func (m *Mutation) LoggingTitle() string {
	whom := m.TargetNames()
	switch {
	case m.Session && m.SessionTime > 0:
		return fmt.Sprintf("Log %s for %s: %s", whom, durationText(m.SessionTime), levelsInTitle(m.Levels))
	case m.Session:
		return fmt.Sprintf("Log %s until switched off: %s", whom, levelsInTitle(m.Levels))
	case m.Levels.IsOn():
		return fmt.Sprintf("Set logging of %s to %s", whom, levelsInTitle(m.Levels))
	}
	return fmt.Sprintf("Switch logging of %s off", whom)
}

// levelsInTitle spells levels out, so that one level for all three actions is clear.
func levelsInTitle(l model.LogLevels) string {
	switch {
	case !l.IsOn() || l.Allow != l.Deny || l.Deny != l.Pass:
		return l.String()
	case model.ValidLogLevel(l.Deny):
		return "allow, deny and pass at " + l.Deny
	}
	return "allow, deny and pass " + l.Deny
}

// durationText formats a duration: "15 min", "1 h 30 min", "3 s".
func durationText(d time.Duration) string {
	var out []string
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / u.of; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", words.Thousands(n), u.name))
			d %= u.of
		}
	}
	return strings.Join(out, " ")
}

// TargetNames returns the targets for a title.
func (m *Mutation) TargetNames() string {
	var names []string
	for _, k := range m.LoggingTargets() {
		names = append(names, k.Label())
	}
	return words.ListSome(names, 2)
}

// RunPlan returns the mutation that runs a new plan.
func RunPlan(p *plan.Plan) Mutation { return Mutation{Op: OpMove, Plan: true, NewPlan: p} }

// ContinuePlan returns the mutation that continues the stopped plan, or rolls it back.
func ContinuePlan(back bool) Mutation { return Mutation{Op: OpMove, Plan: true, Back: back} }

// IsWholePlan reports whether the mutation runs a plan, also as an undo or redo, and not one of its steps.
func (m *Mutation) IsWholePlan() bool { return m.Plan && m.Policy.Name == "" }

func StepMutation(s plan.Step) Mutation {
	return Mutation{Op: OpMove, Policy: plan.KeyOfName(s.Policy), Priority: float64(s.To), Plan: true}
}

func StepText(s plan.Step) string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// Reasons why the gate does not make a change, to be compared with errors.Is.
var (
	// ErrBlocked: the change cannot be made: read-only, invalid, a conflict, or nothing to apply.
	// Preview.Blocked says which.
	ErrBlocked = errors.New("cannot be done")
	// ErrStale: the change differs from what was read. A StaleError says how, and has the new preview.
	ErrStale = errors.New("changed since the preview")
	// ErrNotConfirmed: a yes, or the name to type, is missing.
	ErrNotConfirmed = errors.New("not confirmed")
	// ErrNotRecorded: the change was made, but the audit or the history could not be written. A Result comes
	// with it.
	ErrNotRecorded = errors.New("the change was made, but not recorded")
)

// Blocked returns an ErrBlocked with only the given text.
func Blocked(format string, args ...any) error { return blockedError{fmt.Errorf(format, args...)} }

type blockedError struct{ error }

func (blockedError) Is(target error) bool { return target == ErrBlocked }

func (e blockedError) Unwrap() error { return e.error }

// BlockedText returns a sentence why a change cannot be made: "Nothing to apply", "Cannot be done: read-only".
func BlockedText(why string) string {
	if rest, ok := strings.CutPrefix(why, "nothing to "); ok {
		return "Nothing to " + rest
	}
	return "Cannot be done: " + why
}
