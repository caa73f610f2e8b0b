package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/cli/command"
	"rung/engine"
	"rung/model/words"
)

// confirmPreview gets the answer to a preview, from the flags or by asking. The error
// says that it was no, or that a guard rail wants more than was given.
func confirmPreview(a *command.App, c *changeFlags, p *gate.Preview) (gate.Confirm, error) {
	confirm := gate.Confirm{Yes: c.yes, Name: c.name, By: "cli", TrialTime: c.within}
	if p.ConfirmName != "" && confirm.Name != p.ConfirmName {
		if c.yes || !a.CanAsk {
			return confirm, fmt.Errorf("stopped by a guard rail: %s; if you mean it: --confirm-name %s", p.Guards[0].Message,
				words.ShellJoin(p.ConfirmName))
		}
		fmt.Fprintf(a.Err, "Type %s to confirm: ", p.ConfirmName)
		line, err := readAnswer(a.In)
		if err != nil {
			return confirm, err
		}
		confirm.Name = line
		confirm.Yes = confirm.Name == p.ConfirmName
		if !confirm.Yes && line != "" {
			return confirm, fmt.Errorf("not confirmed: a guard rail wants the name %s: %w", p.ConfirmName, command.ErrRefused)
		}
	} else if !confirm.Yes {
		fmt.Fprint(a.Err, "Apply? [y/N] ")
		line, err := readAnswer(a.In)
		if err != nil {
			return confirm, err
		}
		switch strings.ToLower(line) {
		case "y", "yes":
			confirm.Yes = true
		}
	}
	if !confirm.Yes {
		return confirm, errSaidNo
	}
	return confirm, nil
}

// errSaidNo is the answer No.
var errSaidNo = fmt.Errorf("not confirmed: %w", command.ErrRefused)

// auditRefusal has a change audited that was asked for, and not made for a reason other than the
// answer No.
func auditRefusal(ctx context.Context, a *command.App, e *engine.Engine, p *gate.Preview, why error) error {
	if why == nil || ctx.Err() != nil || errors.Is(why, errSaidNo) {
		return why
	}
	return errors.Join(why, e.AuditRefused(p, "cli", why))
}

// readLine reads one line and not a byte more: what follows answers the next
// question. An input that ends, or cannot be read, is an empty answer; the error
// says that the command was told to end before there was one.
func readAnswer(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < 4096; {
		n, err := r.Read(one)
		if n > 0 && one[0] != '\n' {
			line = append(line, one[0])
		}
		if errors.Is(err, context.Canceled) {
			return "", fmt.Errorf("waiting for an answer: %w", err)
		}
		if err != nil || n > 0 && one[0] == '\n' {
			break
		}
	}
	return strings.TrimSpace(string(line)), nil
}

// The outcomes of a change, for scripts: with --yes and -o json or yaml, the one document
// that is printed holds the outcome.
const (
	outcomeDone      = "done"      // made, and the zones that are watched show it
	outcomeBehind    = "behind"    // made, and some zone was not seen to show it
	outcomeUnchanged = "unchanged" // there was nothing to do
	outcomeRefused   = "refused"   // nothing was done: a guard rail, a conflict, a plan in the way
	outcomeFailed    = "failed"    // it was tried: stderr says what is known of it
	outcomePutBack   = "put back"  // made on trial, and not confirmed in time: stderr says whether it is as before
	outcomeStopped   = "stopped"   // of a plan: some of its steps may be made
	outcomeKept      = "kept"      // of a plan: it was ended, and the policies stay as they are
)

// isAnswerTold says whether the answer to a change is printed after the outcome,
// with that. Where somebody is asked it has to be seen before.
func isAnswerTold(a *command.App, c *changeFlags) bool {
	return c.yes && !c.dryRun && a.PrintsValues()
}

// outcomeOf returns the outcome of a change. tried says whether making it was attempted,
// made whether it was made; err is the error of the command.
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

// planOutcome returns the outcome of a plan that ran; ended says whether it reached its end.
func planOutcome(ended bool) string {
	if ended {
		return outcomeDone
	}
	return outcomeStopped
}
