package gate

import (
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
)

// Result tells how a committed change went.
type Result struct {
	Written []model.PolicyKey
	Undo    uint64 // history entry that takes it back
	Took    time.Duration
	// ServerChanged is a line about the fields that the server stored otherwise than they were sent.
	ServerChanged string
	// Plan says that the change is a plan, which was started and is under way now
	// (revision.Facts.Plan): nothing else is set then.
	Plan bool
	// Trial is the change as it waits to be confirmed; nil for one that was made for good.
	Trial *revision.UnconfirmedChange
}

// Preview is a mutation with its consequences, before anything is written.
type Preview struct {
	Mutation change.Mutation
	Title    string // "Move ANP cluster-control from 34 to 36"
	// Blocked says why it cannot be committed at all; empty when it can.
	Blocked string
	// ReadOnly says that it is blocked since changes are switched off, and for nothing else.
	ReadOnly bool
	// Errors are the errors that validation found, by document.
	Errors []model.Broken
	// NotConsidered are circumstances left out of the judgement that could have made the
	// consequences different.
	NotConsidered []model.Omission
	// Objects are the objects to write, removed ones with New nil.
	Objects []change.ObjectChange
	// Rows is the compiled delta over all zones together.
	Rows []change.RowChange
	// Guards are the guard rails that were hit. ConfirmName is the name that
	// must be typed then, empty when a plain yes is enough.
	Guards      []change.Guard
	ConfirmName string
	// Surplus holds the effects of the change besides the Wanted ones; nil where nobody said
	// what is wanted.
	Surplus *revision.SurplusEffect
	// Notes are consequences worth reading: "34 becomes free".
	Notes []string
	// Effect is the effect on connections; nil for a change that cannot be made or that
	// decides nothing, as of logging. StepEffects are the effects of the steps of a plan.
	Effect      *effect.Effect
	StepEffects []*effect.Effect
	// Findings that the change brings.
	Findings []model.Finding
	// Commands are the equivalent kubectl command lines.
	Commands []string
	// Steps are a plan's steps that a yes starts, goes on with or rolls back, in the
	// order in which they are made; none for a change that is made at once. FirstStep is
	// the number of the first: steps of a plan that goes on keep their numbers.
	Steps     []plan.Step
	FirstStep int
	// Conflict is set when the object is not what the edit or the undo
	// started from.
	Conflict *rewrite.Conflict
	// compared is the rest that Commit compares, besides objects and guards, before it makes the
	// change.
	compared comparedState
	// next is the revision after the change, nil once the consequences are worked out.
	next *revision.Revision
	// isEarly says that Rows and reach were worked out beside the effect.
	isEarly bool
	reach   []effect.Consequence
	// Undoes is the history entry that an undo takes back.
	Undoes uint64
	// LeftAlone are the policies that others changed meanwhile and that putting the change back
	// leaves alone.
	LeftAlone []model.PolicyKey
	// noChange says that it is blocked since all objects are as they should be.
	noChange bool
	// AlreadyUndone says that it is an undo, or a redo, that has nothing left to do:
	// committing it changes no object, and takes it off the list of those to come.
	AlreadyUndone bool
}

// Confirm is the user's answer to a preview.
type Confirm struct {
	Yes  bool
	Name string // typed name, for guards
	By   string // who, for the audit: "console", "cli"
	// TrialTime makes the change on trial: it is put back unless it is confirmed in this
	// time (Reverts). 0 makes it for good.
	TrialTime time.Duration

	// Finish makes a change that has begun go on to its end although the context
	// ends. Waiting for another change ends with the context all the same.
	Finish bool
	// isPlanStep says that this is a step of a plan, which comes into the history as a whole; guards were
	// confirmed with the plan.
	isPlanStep bool
	guards     []change.Guard
	// reverts says that this puts a change back: whoever made that on trial agreed to it.
	reverts bool
	// retried says that a change which is stale is worked out anew, and asked for again: the
	// audit has one line for both.
	retried bool

	// OnWait, where set, is called with the title of the change that this one waits
	// for, again when that is another, and with an empty text when it waits no longer.
	OnWait func(title string)
}
