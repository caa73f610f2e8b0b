package change

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rung/change/guard"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
)

// Op names a mutation. It is the id of the action in the action table, in the
// audit and on the command line.
type Op string

// The mutations there are.
const (
	OpApply    Op = "apply"     // create or update from YAML
	OpDelete   Op = "delete"    // remove a policy
	OpMove     Op = "move"      // give a policy another priority, or another tier
	OpLogLevel Op = "log-level" // set the logging annotation, for a while or for good
	OpLogEnd   Op = "log-end"   // end a logging session: the annotation is as before
	OpUndo     Op = "undo"      // take back the last change
	OpRedo     Op = "redo"      // make a change again that was taken back
	OpRevert   Op = "revert"    // put a change back that nobody confirmed
	OpFinish   Op = "finish"    // make the rest of a change that was killed
	OpCombine  Op = "combine"   // several changes, in order
)

// DeniedText says why the API server does not let the user make a change of a policy,
// empty when it does or nobody knows. A key without a name stands for a new policy.
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
		return "" // what undo needs, its preview finds out
	}
	q := v.QuestionFor(k)
	return a.WhyNot(q.Verb, q.Target(), q.Namespace)
}

// Danger says how much confirmation an action wants.
type Danger int

// The levels of danger.
const (
	Harmless  Danger = iota // nothing is written
	Confirmed               // default No
	Typed                   // the policy's name must be typed
)

// Mutation is a change somebody asks for.
type Mutation struct {
	Op Op
	// YAML holds one or more documents for OpApply.
	YAML []byte
	// Files says which part of YAML comes from which file, in order; empty for text from an editor.
	Files []TextFile
	// Base is the text the edit started from, empty for a new object: an
	// object that is not what Base says any more is a conflict.
	Base []byte
	// Policy is the target of all operations but OpApply, OpUndo and OpRedo.
	Policy model.PolicyKey
	// Priority and Tier are where OpMove moves it: without a Tier to its own, and TierOnly with the
	// priority that it has.
	Priority float64
	Tier     string
	TierOnly bool
	Levels   model.LogLevels // OpLogLevel: levels, and for rules that log one by one on, off and keep
	// LogLabel is written to the rules that OpLogLevel switches on one by one; empty for none.
	LogLabel string
	// Policies are the targets of OpLogLevel and OpLogEnd where there are several: ANP, BANP
	// and namespaces.
	Policies []model.PolicyKey
	// Session makes OpLogLevel a logging session, which ends after SessionTime, or when somebody
	// ends it where SessionTime is 0.
	Session     bool
	SessionTime time.Duration
	// Timed makes OpLogEnd that of a session whose time is over, and of no other. It was
	// agreed to when the session began.
	Timed bool
	// Undo is the history entry that OpUndo takes back; 0 the newest. For OpRedo it is
	// the entry of the undo.
	Undo uint64
	// Plan is set on moves made by the plan runner, and on what starts it.
	Plan bool
	// ServerSide makes OpApply a server-side apply of whole documents on a
	// cluster; Force takes over the fields that other managers own.
	ServerSide, Force bool
	// Parts are the changes of OpCombine: each is made of what those before it leave.
	Parts []Mutation
	// Mixed says that the text of OpApply, of a folder, may hold objects that are no policies:
	// they are left aside, which a note says. Prune deletes the policies that are not in it.
	Mixed, Prune bool
	// Wanted are the connections that OpApply is made for; nil where nobody said.
	Wanted *diff.WantedVerdict
}

// TextFile is where a file begins in a text: its first line, counted from 1, and document, from 0. Docs
// is how many documents it has.
type TextFile struct {
	Name            string
	Line, Doc, Docs int
}

// PlaceErrors gives what is wrong with YAML its place in the file that it was read from.
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

// Guard is a guard rail that a change runs into.
type Guard = guard.Guard

// IsChangeable says whether the gate changes objects of a kind: policies, what they name, and of
// namespaces the logging.
func IsChangeable(k model.Kind) bool { return k.IsPolicy() || k.IsNamed() || k == model.KindNamespace }

// LoggingTargets are the objects whose logging a mutation changes.
func (m *Mutation) LoggingTargets() []model.PolicyKey {
	if len(m.Policies) > 0 {
		return m.Policies
	}
	return []model.PolicyKey{m.Policy}
}

// LoggingTitle says in a title what OpLogLevel does.
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

// levelsInTitle says levels so that they are read without knowing that one stands for all three.
func levelsInTitle(l model.LogLevels) string {
	switch {
	case !l.IsOn() || l.Allow != l.Deny || l.Deny != l.Pass:
		return l.String()
	case model.ValidLogLevel(l.Deny):
		return "allow, deny and pass at " + l.Deny
	}
	return "allow, deny and pass " + l.Deny
}

// durationText is a length of time as people write it: "15 min", "1 h 30 min", "3 s".
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

// TargetNames names the targets in a title.
func (m *Mutation) TargetNames() string {
	var names []string
	for _, k := range m.LoggingTargets() {
		names = append(names, k.Label())
	}
	return words.ListSome(names, 2)
}

func StepMutation(s plan.Step) Mutation {
	return Mutation{Op: OpMove, Policy: plan.KeyOfName(s.Policy), Priority: float64(s.To), Plan: true}
}

func StepText(s plan.Step) string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// Why the gate does not make a change. They are compared with errors.Is.
var (
	// ErrBlocked: the change cannot be made as it is: read-only, not valid, a
	// conflict, or nothing to apply. Preview.Blocked says which.
	ErrBlocked = errors.New("cannot be done")
	// ErrStale: the change is not the one that was read any more. A StaleError
	// says what is different and has the preview as it is now.
	ErrStale = errors.New("changed since the preview")
	// ErrNotConfirmed: nobody said yes, or the name that had to be typed was not.
	ErrNotConfirmed = errors.New("not confirmed")
	// ErrNotRecorded: the change was made, and the audit or the history could not
	// be written. A Result comes with it.
	ErrNotRecorded = errors.New("the change was made, but not written down")
)

// Blocked is an ErrBlocked that says why, and nothing else.
func Blocked(format string, args ...any) error { return blockedError{fmt.Errorf(format, args...)} }

type blockedError struct{ error }

func (blockedError) Is(target error) bool { return target == ErrBlocked }

func (e blockedError) Unwrap() error { return e.error }

// BlockedText says in a sentence why a change cannot be made: "Nothing to apply", "Cannot be done:
// read-only".
func BlockedText(why string) string {
	if rest, ok := strings.CutPrefix(why, "nothing to "); ok {
		return "Nothing to " + rest
	}
	return "Cannot be done: " + why
}
