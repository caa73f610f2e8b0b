package gate

import (
	"time"

	"rung/change/guard"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict"
	"rung/revision"
	"rung/revision/connections"
	"rung/sources/kube"
)

// Op names a mutation. It is the id of the action in the action table, in the
// audit and on the command line.
type Op string

// The mutations there are.
const (
	OpApply    Op = "apply"     // create or update from YAML
	OpDelete   Op = "delete"    // remove a policy
	OpMove     Op = "move"      // give an ANP or CNP another priority
	OpLogLevel Op = "log-level" // set the logging annotation, for a while or for good
	OpLogEnd   Op = "log-end"   // end a logging session: the annotation is as before
	OpUndo     Op = "undo"      // take back the last change
	OpRedo     Op = "redo"      // make a change again that was taken back
	OpRevert   Op = "revert"    // put a change back that nobody confirmed
	OpFinish   Op = "finish"    // make the rest of a change that was killed
	OpCombine  Op = "combine"   // several changes, in order
)

// WhyNot says why the API server does not let the user make a change of a policy,
// empty when it does or nobody knows. A key without a name stands for a new policy.
func (op Op) WhyNot(a revision.Access, k model.PolicyKey) string {
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
	q := v.Of(k)
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
	// Base is the text the edit started from, empty for a new object: an
	// object that is not what Base says any more is a conflict.
	Base []byte
	// Policy is the target of all operations but OpApply, OpUndo and OpRedo.
	Policy   model.PolicyKey
	Priority int32           // OpMove
	Levels   model.LogLevels // OpLogLevel
	// Policies are the targets of OpLogLevel and OpLogEnd where there are several: ANP, BANP
	// and namespaces.
	Policies []model.PolicyKey
	// Session makes OpLogLevel a logging session, which ends after Lasts, or when somebody
	// ends it where Lasts is 0.
	Session bool
	Lasts   time.Duration
	// Timed makes OpLogEnd that of a session whose time is over, and of no other. It was
	// agreed to when the session began.
	Timed bool
	// Undo is the history entry that OpUndo takes back; 0 the newest. For OpRedo it is
	// the entry of the undo.
	Undo uint64
	// Plan is set on moves made by the plan runner, and on what starts it.
	Plan bool
	// Guards are guard rails that whoever asks for the change knows of and the gate cannot:
	// what of a converted policy is not as it was.
	Guards []Guard
	// ServerSide makes OpApply a server-side apply of whole documents on a
	// cluster; Force takes over the fields that other managers own.
	ServerSide, Force bool
	// Parts are the changes of OpCombine: each is made of what those before it leave.
	Parts []Mutation
	// Mixed says that the text of OpApply, of a folder, may hold objects that are no policies:
	// they are left aside, which a note says. Prune deletes the policies that are not in it.
	Mixed, Prune bool
	// Wanted are the connections that OpApply is made for; nil where nobody said.
	Wanted *verdict.Wanted
}

// Preview is a mutation with its consequences, before anything is written.
type Preview struct {
	Mutation Mutation
	Title    string // "Move ANP cluster-control from 34 to 36"
	// Blocked says why it cannot be committed at all; empty when it can.
	Blocked string
	// ReadOnly says that it is blocked since changes are switched off, and for nothing else.
	ReadOnly bool
	// Errors are what validation found, by document.
	Errors []model.Broken
	// NotConsidered is what could make the consequences others, had it been taken into account.
	NotConsidered []model.Omission
	// Objects are what will be written, removed ones with New nil.
	Objects []ObjectChange
	// Rows is the compiled delta over all zones together.
	Rows []RowChange
	// Guards are the guard rails that were hit. ConfirmName is the name that
	// must be typed then, empty when a plain yes is enough.
	Guards      []Guard
	ConfirmName string
	// Surplus is what the change does besides what it is Wanted for; nil where nobody said.
	Surplus *connections.Surplus
	// Notes are consequences worth reading: "34 becomes free".
	Notes []string
	// Effect is what becomes of connections; nil for a change that cannot be made or that
	// decides nothing, as of logging. StepEffects are those of the steps of a plan.
	Effect      *Effect
	StepEffects []*Effect
	// Findings that the change brings.
	Findings []model.Finding
	// Commands are the equivalent kubectl command lines.
	Commands []string
	// Steps are those of a plan that a yes starts, goes on with or rolls back, in the
	// order in which they are made; none for a change that is made at once. FirstStep is
	// the number of the first: those of a plan that goes on keep theirs.
	Steps     []plan.Step
	FirstStep int
	// Conflict is set when the object is not what the edit or the undo
	// started from.
	Conflict *Conflict
	// seen is what else Commit compares before it makes the change.
	seen seen
	// next is what will be, until the consequences are worked out.
	next *revision.Revision
	// ahead is what of the explanation was worked out beside the effect, nil for nothing.
	ahead *ahead
	// undoes is the history entry that an undo takes back.
	undoes uint64
	// left are policies of a change that is put back which others changed meanwhile.
	left []model.PolicyKey
	// nothing says that it is blocked since all objects are as they should be.
	nothing bool
	// stands says that it is an undo of what already is as it would be.
	stands bool
	// starts is set where a yes starts a plan: what it asks of the one that is stored.
	starts func(*planJob) (planAsk, error)
}

// ObjectChange is one object before and after.
type ObjectChange struct {
	Key      model.PolicyKey
	How      kube.Verb     // the way it is made on a cluster; files know no difference
	Old, New *model.Policy // nil: created, removed
	Fields   []FieldChange
	Diff     string // unified diff of the YAML
	// ByHand says New.YAML is Old.YAML edited in an editor: a file is given that
	// very text, comments and all.
	ByHand bool
	// force takes over the fields of other managers (kube.VerbApply). sent is the
	// author's document where New is what a server makes of it; nil is New.
	force bool
	sent  *model.Policy
	// back is what the change that is undone did to the object's file; file is what
	// this one did.
	back, file *HistoryFile
}

// FieldChange is one changed field of an object: "spec.priority" 34 → 36.
type FieldChange struct{ Path, Old, New string }

// RowChange is one row that will be added (DiffMissing), changed
// (DiffDifferent) or removed (DiffExtra); Fields say what changes.
type RowChange struct {
	Policy model.PolicyKey
	model.RowDiff
}

// Guard is a guard rail that a change runs into.
type Guard = guard.Guard

// Conflict is a three-way difference: what the change started from, what is
// there now, what it wants; Merged is the merge without conflict markers when
// the two changes do not touch, empty otherwise.
type Conflict struct {
	Key               model.PolicyKey
	Base, Now, Wanted string
	Diff              string // Base → Now
	Merged            string
}

// Confirm is the user's answer to a preview.
type Confirm struct {
	Yes  bool
	Name string // typed name, for guards
	By   string // who, for the audit: "console", "cli"
	// Within makes the change on trial: it is put back unless it is confirmed in this
	// time (Reverts). 0 makes it for good.
	Within time.Duration

	// Finish makes a change that has begun go on to its end although the context
	// ends. Waiting for another change ends with the context all the same.
	Finish bool
	// Waits, where set, is called with the title of the change that this one waits
	// for, again when that is another, and with an empty text when it waits no longer.
	Waits func(title string)
}
