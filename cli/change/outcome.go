package change

import (
	"errors"

	"rung/change"
	"rung/change/planrun"
	"rung/cli/command"
)

// What became of a change, for scripts: with --yes and -o json or yaml the one document
// that is printed has it.
const (
	outcomeDone      = "done"      // made, and the zones that are watched show it
	outcomeBehind    = "behind"    // made, and some zone was not seen to show it
	outcomeUnchanged = "unchanged" // there was nothing to do
	outcomeRefused   = "refused"   // nothing was done: a guard rail, a conflict, a plan in the way
	outcomeFailed    = "failed"    // it was tried: stderr says what is known of it
	outcomePutBack   = "put back"  // made on trial, and nobody confirmed it: stderr says whether it is as before
	outcomeStopped   = "stopped"   // of a plan: some of its steps may be made
	outcomeKept      = "kept"      // of a plan: it was ended, and the policies stay as they are
)

// tells says whether the answer to a change is printed when it is known what became of it,
// with that. Where somebody is asked it has to be seen before.
func tells(a *command.App, c *changeFlags) bool {
	return c.yes && !c.dryRun && (a.Flags.Output == "json" || a.Flags.Output == "yaml")
}

// outcomeOf is what became of a change that was asked for. tried says that it came to
// making it, made that it was.
func outcomeOf(tried, made bool, err error) string {
	switch {
	case made && errors.Is(err, command.ErrBehind):
		return outcomeBehind
	case made && (err == nil || errors.Is(err, change.ErrNotRecorded)):
		return outcomeDone
	case made:
		return outcomeBehind
	case err == nil:
		return outcomeUnchanged
	case !tried, errors.Is(err, command.ErrRefused), errors.Is(err, change.ErrBlocked), errors.Is(err, change.ErrNotConfirmed),
		errors.Is(err, change.ErrStale), errors.Is(err, planrun.ErrPlan):
		return outcomeRefused
	}
	return outcomeFailed
}

// planOutcome is what became of a plan that ran, to its end or not.
func planOutcome(ended bool) string {
	if ended {
		return outcomeDone
	}
	return outcomeStopped
}
