package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

type changeFlags struct {
	dryRun, yes bool
	name        string
	within      time.Duration // time until an unconfirmed change is reverted; 0: permanent
}

func (c *changeFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "show the consequences and change nothing")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&c.name, "confirm-name", "", "policy `NAME` that a guard rail asks for")
}

// registerTrial adds the flags of changes that can be made on trial.
func (c *changeFlags) registerTrial(cmd *cobra.Command) {
	c.register(cmd)
	cmd.Flags().DurationVar(&c.within, "confirm", 0,
		"revert the change after this `TIME`, such as 60s, unless confirmed by enter or rung confirm")
}

// checkCanAsk rejects a change that cannot be confirmed, or cannot be made.
func checkCanAsk(a *command.App, c *changeFlags) error {
	return cmp.Or(checkCanChange(a, c), checkTerminal(a, c))
}

// checkCanChange rejects a change that the rows would not follow, and a trial that could not end.
func checkCanChange(a *command.App, c *changeFlags) error {
	switch {
	case len(a.Flags.NB) > 0 && len(a.Flags.Files) > 0:
		return errors.New("--nb databases are read-only: leave --nb out to change policies")
	case c.within == 0:
	case c.within < leastTrial:
		return fmt.Errorf("--confirm %s: want at least %s", c.within, leastTrial)
	case len(a.Flags.Files) > 0 && !a.Flags.WriteBack:
		return errors.New("--confirm needs a permanent change: give --write-back")
	}
	return nil
}

// checkTerminal rejects a change that must be confirmed, if Rung has no terminal to ask on.
func checkTerminal(a *command.App, c *changeFlags) error {
	if !c.dryRun && !c.yes && !a.CanAsk {
		return errors.New("no terminal to ask on: give --yes to change policies, or --dry-run to see the consequences")
	}
	return nil
}

// makeChange previews a mutation, has it confirmed and commits it.
func makeChange(ctx context.Context, a *command.App, c *changeFlags,
	mutation func(*revision.Revision) (change.Mutation, error)) error {
	if err := checkCanChange(a, c); err != nil {
		return err
	}
	return a.WithChange(ctx, func(e *engine.Engine, r *revision.Revision) error {
		m, err := mutation(r)
		if err == nil { // report missing objects before a missing terminal
			err = checkTerminal(a, c)
		}
		if err != nil {
			return err
		}
		return runChange(ctx, a, e, c, m, nil)
	})
}

// runChange previews a mutation on a running engine, asks for confirmation and commits it. Once it is made, it
// calls done, unless nil.
func runChange(ctx context.Context, a *command.App, e *engine.Engine, c *changeFlags, m change.Mutation, done func(*gate.Preview)) error {
	p, err := e.Preview(ctx, m)
	if err != nil {
		return err
	}
	answer := previewAnswer
	if p.Mutation.IsWholePlan() {
		answer = stepsAnswer
	}
	return printChange(a, c, answer, func(show func(*gate.Preview) error) (*gate.Preview, string, error) {
		p, outcome, err := confirmAndFollow(ctx, a, e, c, p, show)
		if done != nil && (outcome == outcomeDone || errors.Is(err, command.ErrBehind)) {
			done(p)
		}
		return p, outcome, err
	})
}

// printChange makes a change through do, which shows its previews and returns the outcome. The previews are
// printed as shown; if one document is requested, only the last is printed, at the end with the outcome.
func printChange(a *command.App, c *changeFlags, answer func(p *gate.Preview, outcome string) *command.Answer,
	do func(show func(*gate.Preview) error) (*gate.Preview, string, error)) error {
	tells := printsOneDocument(a, c)
	p, outcome, err := do(func(p *gate.Preview) error {
		if tells {
			return nil
		}
		return a.PrintAnswer(answer(p, ""))
	})
	if tells {
		err = errors.Join(err, a.PrintAnswer(answer(p, outcome)))
	}
	return err
}

// confirmAndFollow has a change confirmed, makes it, waits for the rows and returns the outcome. p is the
// preview shown last.
func confirmAndFollow(ctx context.Context, a *command.App, e *engine.Engine, c *changeFlags, was *gate.Preview,
	show func(*gate.Preview) error) (p *gate.Preview, outcome string, err error) {
	var res *gate.Result
	r, tried := e.Revision(), false
	p, err = confirmAndCommit(a, c, was, show, func(p *gate.Preview, confirm gate.Confirm) (err error) {
		tried = true
		res, err = e.Commit(ctx, p, confirm)
		return err
	})
	if !tried && !c.dryRun {
		err = auditRefusal(ctx, a, e, p, err)
	}
	if res == nil {
		return p, changeOutcome(tried, false, err), err
	}
	if res.Plan {
		ended, err := followPlan(ctx, a, e)
		return p, planOutcome(ended), err
	}
	lasts := ""
	if !r.Mode.IsPersistent() {
		lasts = "; sandbox only, lost on exit (--write-back also changes the files)"
	}
	fmt.Fprintf(a.Err, "%s: done in %s ms%s\n", p.Title, words.Thousands(res.Took.Milliseconds()), lasts)
	if res.ServerChanged != "" {
		fmt.Fprintf(a.Err, "%s: %s\n", p.Title, res.ServerChanged)
	}
	patience := followTime
	if c.within > 0 {
		patience = min(patience, c.within/4)
	}
	// Without a watched zone nobody reads rows.
	if r.Mode.Name != revision.ClusterMode || slices.ContainsFunc(e.Revision().Zones, (*model.ZoneState).IsCurrent) {
		ferr := followRows(ctx, a, e, res.Written, patience)
		if res.Trial != nil && errors.Is(ferr, context.Canceled) {
			ferr = nil // reported below, with the outcome
		}
		err = errors.Join(err, ferr)
	}
	if res.Trial != nil {
		if terr := awaitConfirm(ctx, a, e, res.Trial); terr != nil {
			return p, outcomePutBack, errors.Join(err, terr)
		}
	}
	return p, changeOutcome(tried, true, err), err
}

// confirmAndCommit shows a change, has it confirmed and makes it. If the change is different when the answer
// comes, it is shown and asked about again; with --yes it is rejected instead. It returns the preview shown
// last.
func confirmAndCommit(a *command.App, c *changeFlags, p *gate.Preview, show func(*gate.Preview) error,
	commit func(*gate.Preview, gate.Confirm) error) (*gate.Preview, error) {
	for {
		if err := show(p); err != nil {
			return p, err
		}
		if c.dryRun {
			return p, stopError(a, p, c.name)
		}
		if nothingToDo(p) {
			return p, nil
		}
		if p.Blocked != "" {
			err := fmt.Errorf("%s: %s: %w", p.Title, p.Blocked, command.ErrRefused)
			if p.AlreadyUndone {
				// If the undo could not be recorded as done, that error is returned too.
				if cerr := commit(p, gate.Confirm{Yes: true, By: "cli"}); !errors.Is(cerr, change.ErrBlocked) {
					err = errors.Join(err, cerr)
				}
			}
			return p, err
		}
		confirm, err := confirmPreview(a, c, p)
		if err != nil {
			return p, err
		}
		err = commit(p, confirm)
		var stale *gate.StaleError
		if !errors.As(err, &stale) || stale.Preview == nil {
			return p, err
		}
		p = stale.Preview
		if c.yes {
			if err := show(p); err != nil {
				return p, err
			}
			return p, fmt.Errorf("changed since the preview: %s: %w", stale.Difference, command.ErrRefused)
		}
		fmt.Fprintln(a.Err, "changed since the preview: "+words.CleanLine(stale.Difference))
	}
}

// stopError returns the error that ends a command which only shows a change: the change is blocked, it was not
// fully judged, or it hits a guard rail and confirmed is not the name to type. A change blocked only because
// changes are switched off is no error here, since nothing is to be written.
func stopError(a *command.App, p *gate.Preview, confirmed string) error {
	switch {
	case nothingToDo(p):
		return nil
	case p.Blocked != "" && !p.ReadOnly:
		return fmt.Errorf("%s: %s: %w", p.Title, p.Blocked, command.ErrRefused)
	case len(revision.UnjudgedOmissions(p.NotConsidered, a.Flags.AllowUnjudged...)) > 0:
		return command.ErrUnjudged
	case len(p.Guards) > 0 && (confirmed == "" || confirmed != p.ConfirmName):
		return command.ErrNo
	}
	return nil
}

// nothingToDo reports whether all objects are already as wanted (exit 0). It is false for a change that cannot
// be made. It is also false for a plan whose steps are all made, since that plan waits for zones.
func nothingToDo(p *gate.Preview) bool {
	return p.IsNoChange() && len(p.Errors) == 0 && p.Conflict == nil && len(p.Notes) > 0
}

// followTime is the longest time a change waits for the rows of every zone to show it.
const followTime = 10 * time.Second

// followRows waits until the rows of every zone show the change, and names the policies without rows: their
// old rows still decide.
func followRows(ctx context.Context, a *command.App, e *engine.Engine, written []model.PolicyKey, patience time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var behind []revision.ZoneShown
	err := e.WaitFor(wait, func(r *revision.Revision) bool {
		behind = behind[:0]
		rows := slices.DeleteFunc(slices.Clone(written), func(k model.PolicyKey) bool { return r.WhyNoRows(k) != nil })
		for _, z := range revision.ZonesShowing(r, rows, nil) {
			if !z.OK {
				behind = append(behind, z)
			}
		}
		return len(behind) == 0 && !slices.ContainsFunc(written, func(k model.PolicyKey) bool {
			return r.WhyNoRows(k) != nil && revision.SummarizePolicy(r, k, e.Now()).State == model.StateSettling
		})
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && len(behind) > 0:
		return fmt.Errorf("changed, but the rows of zone %s do not show it yet: %s: %w", behind[0].Zone, behind[0].Why, command.ErrBehind)
	}
	r := e.Revision()
	for _, k := range written {
		if none := r.WhyNoRows(k); none != nil {
			fmt.Fprintf(a.Err, "%s: %s: %s\n", k.Label(), revision.SummarizePolicy(r, k, e.Now()).Text, words.CleanLine(none.Message))
		}
	}
	return nil
}

// confirmPreview gets the answer to a preview from the flags or by asking. It returns an error for the answer
// no, and for a guard rail that needs more.
func confirmPreview(a *command.App, c *changeFlags, p *gate.Preview) (gate.Confirm, error) {
	confirm := gate.Confirm{Yes: c.yes, Name: c.name, By: "cli", TrialTime: c.within}
	named, prompt := p.ConfirmName != "" && confirm.Name != p.ConfirmName, "Apply? [y/N] "
	switch {
	case named && (c.yes || !a.CanAsk):
		return confirm, fmt.Errorf("stopped by a guard rail: %s; if you mean it: --confirm-name %s", p.Guards[0].Message,
			words.ShellJoin(p.ConfirmName))
	case named:
		prompt = "Type " + p.ConfirmName + " to confirm: "
	case c.yes:
		return confirm, nil
	}
	fmt.Fprint(a.Err, prompt)
	line, err := readAnswer(a.In)
	if err != nil {
		return confirm, err
	}
	confirm.Yes = slices.Contains([]string{"y", "yes"}, strings.ToLower(line))
	if named {
		confirm.Name, confirm.Yes = line, line == p.ConfirmName
	}
	switch {
	case confirm.Yes:
		return confirm, nil
	case named && line != "":
		return confirm, fmt.Errorf("not confirmed: a guard rail needs the name %s: %w", p.ConfirmName, command.ErrRefused)
	}
	return confirm, errDeclined
}

var errDeclined = fmt.Errorf("not confirmed: %w", command.ErrRefused)

// auditRefusal records in the audit a requested change that was not made, unless the answer was No.
func auditRefusal(ctx context.Context, a *command.App, e *engine.Engine, p *gate.Preview, why error) error {
	if why == nil || ctx.Err() != nil || errors.Is(why, errDeclined) {
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
	outcomePutBack   = "put back"  // made on trial, not confirmed in time: stderr says whether it was reverted
	outcomeStopped   = "stopped"   // plan only: some steps may be made
	outcomeKept      = "kept"      // plan only: ended, its policies stay as they are
)

// printsOneDocument reports whether the answer to a change is printed together with the outcome. A user who is
// asked has to see the answer before.
func printsOneDocument(a *command.App, c *changeFlags) bool {
	return c.yes && !c.dryRun && a.PrintsValues()
}

// changeOutcome returns the outcome of a change. tried says whether making it was attempted, made whether it was
// made; err is the error of the command.
func changeOutcome(tried, made bool, err error) string {
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
