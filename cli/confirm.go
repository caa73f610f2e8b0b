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

// confirmPreview gets the answer to a preview from the flags or by asking. It returns an error for the answer
// no, and for a guard rail that needs more.
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
			return confirm, fmt.Errorf("not confirmed: a guard rail needs the name %s: %w", p.ConfirmName, command.ErrRefused)
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

// errSaidNo is the error of the answer No.
var errSaidNo = fmt.Errorf("not confirmed: %w", command.ErrRefused)

// auditRefusal records in the audit a requested change that was not made, unless the answer was No.
func auditRefusal(ctx context.Context, a *command.App, e *engine.Engine, p *gate.Preview, why error) error {
	if why == nil || ctx.Err() != nil || errors.Is(why, errSaidNo) {
		return why
	}
	return errors.Join(why, e.AuditRefused(p, "cli", why))
}

// readAnswer reads one line and not a byte more, since the rest answers the next question. An input that ends
// or fails is an empty answer. It returns an error if the command was ended first.
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

// Outcomes of a change, for scripts: with --yes and -o json or yaml the printed document holds one.
const (
	outcomeDone      = "done"      // made, and all watched zones show it
	outcomeBehind    = "behind"    // made, but some zone does not show it yet
	outcomeUnchanged = "unchanged" // nothing to do
	outcomeRefused   = "refused"   // not made: a guard rail, a conflict, an open plan
	outcomeFailed    = "failed"    // tried: stderr says what is known
	outcomePutBack   = "put back"  // not confirmed in time: stderr says whether it was reverted
	outcomeStopped   = "stopped"   // plan only: some steps may be made
	outcomeKept      = "kept"      // plan only: ended, and the policies stay
)

// printsOneDocument reports whether the answer to a change is printed once, after the outcome. A user who is asked
// has to see it before.
func printsOneDocument(a *command.App, c *changeFlags) bool {
	return c.yes && !c.dryRun && a.PrintsValues()
}

// outcomeOf returns the outcome of a change. tried says whether making it was attempted, made whether it was
// made; err is the error of the command.
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

// planOutcome returns the outcome of a plan that ran; ended says whether it was completed.
func planOutcome(ended bool) string {
	if ended {
		return outcomeDone
	}
	return outcomeStopped
}
