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

// Result is the outcome of a committed change.
type Result struct {
	Written []model.PolicyKey
	Undo    uint64 // history entry that undoes it
	Took    time.Duration
	// One line naming the fields that the server stored differently from what was sent.
	ServerChanged string
	// Set, and nothing else, if the change is a plan that was started and is now under way
	// (revision.Facts.Plan).
	Plan bool
	// The change that waits to be confirmed; nil if it was made permanently.
	Trial *revision.UnconfirmedChange
}

// Preview is a mutation with its consequences, before anything is written.
type Preview struct {
	Mutation change.Mutation
	Title    string // "Move ANP cluster-control from 34 to 36"
	// Reason why it cannot be committed; empty if it can.
	Blocked string
	// Set if the change is blocked only because changes are switched off.
	ReadOnly bool
	// Errors found by validation, by document.
	Errors []model.Broken
	// Omissions that could change the consequences.
	NotConsidered []model.Omission
	// Objects to write; New is nil for a removal.
	Objects []change.ObjectChange
	// Compiled delta over all zones together.
	Rows []change.RowChange
	// Guard rails that were hit. ConfirmName is the name to type then, empty if a plain yes is enough.
	Guards      []change.Guard
	ConfirmName string
	// Effects beyond Mutation.Wanted; nil if nothing was stated as wanted.
	Surplus *revision.SurplusEffect
	// Consequences worth reading: "34 becomes free". Warnings are the notes about possible harm.
	Notes, Warnings []string
	// Effect on connections; nil for a change that cannot be made or that decides nothing, such as of logging.
	// StepEffects are the effects of a plan's steps.
	Effect      *effect.Effect
	StepEffects []*effect.Effect
	// Findings that the change brings.
	Findings []model.Finding
	// Equivalent kubectl command lines, and the shell script with their input.
	Commands []string
	Script   string
	// Steps of a plan that a yes starts, continues or rolls back, in order; empty for a change that is made at
	// once. FirstStep is the number of the first: a continued plan keeps its numbering.
	Steps     []plan.Step
	FirstStep int
	// Set if the object is not what the edit or the undo started from.
	Conflict *rewrite.Conflict
	// Consequences that Commit compares, with objects and guards, before it makes the change.
	compared comparedState
	// Revision after the change, nil once the consequences are worked out.
	next *revision.Revision
	// Set if Rows and reach were worked out in parallel with the effect.
	isEarly bool
	reach   []effect.Consequence
	// History entry that an undo takes back.
	Undoes uint64
	// Policies that a revert leaves alone, since others changed them meanwhile.
	LeftAlone []model.PolicyKey
	// Set if the change is blocked because all objects are already as wanted.
	noChange bool
	// Set for an undo or redo that has nothing left to do. Committing it changes no object and takes it off
	// the list of undos.
	AlreadyUndone bool
}

// Confirm is the user's answer to a preview.
type Confirm struct {
	Yes  bool
	Name string // typed name, for guard rails
	By   string // author in the audit: "console", "cli"
	// Time in which a change on trial must be confirmed, or it is reverted; 0 makes it permanent.
	TrialTime time.Duration

	// Finish a change that has begun even if the context ends. Waiting for another change still ends with the
	// context.
	Finish bool
	// Set for a step of a plan, which has one history entry for all its steps; guards were confirmed with the
	// plan.
	isPlanStep bool
	guards     []change.Guard
	// Set for a revert, which was agreed to when the change was made on trial.
	reverts bool
	// Set if a stale change is worked out and committed again, so that the audit gets one line for all
	// attempts.
	retried bool

	// Called, unless nil, with the title of the change that this one waits for, again whenever that changes,
	// and with "" when the wait ends.
	OnWait func(title string)
}
