package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/gate"
	"rung/engine"
	"rung/model"
	"rung/revision"
	"rung/revision/omitted"
	"rung/revision/policies"
)

// changeFlags are those of every mutation.
type changeFlags struct {
	dryRun, yes bool
	name        string
	within      time.Duration // it is put back unless it is confirmed; 0 for good
}

func (c *changeFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "show the consequences and change nothing")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&c.name, "confirm-name", "", "policy name that a guard rail asks for")
}

// registerTrial adds the flag of changes that can be made on trial.
func (c *changeFlags) registerTrial(cmd *cobra.Command) {
	c.register(cmd)
	cmd.Flags().DurationVar(&c.within, "confirm", 0,
		"put the change back after this `time`, such as 60s, unless it is confirmed: by enter, or rung confirm")
}

// mayAsk refuses a change that nobody could be asked about, and one where the
// rows would not follow.
func (a *app) mayAsk(c *changeFlags) error {
	if len(a.flags.nb) > 0 && len(a.flags.files) > 0 {
		return errors.New("--nb databases are read-only: leave --nb out to change policies")
	}
	if err := a.mayTry(c); err != nil {
		return err
	}
	if !c.dryRun && !c.yes && !a.asks {
		return errors.New("no terminal to ask on: give --yes to change policies, or --dry-run to see the consequences")
	}
	return nil
}

// change previews a mutation, has it confirmed and commits it.
func (a *app) change(ctx context.Context, c *changeFlags,
	mutation func(*revision.Revision) (change.Mutation, error)) error {
	if err := a.mayAsk(c); err != nil {
		return err
	}
	return a.changing(ctx, func(e *engine.Engine, r *revision.Revision) error {
		m, err := mutation(r)
		if err != nil {
			return err
		}
		p, err := e.Preview(ctx, m)
		if err != nil {
			return err
		}
		tells := a.tells(c)
		show := func(p *gate.Preview) error {
			if tells {
				return nil
			}
			return a.print(changeAnswer(p, ""))
		}
		p, outcome, err := a.made(ctx, e, c, p, show)
		if tells {
			err = errors.Join(err, a.print(changeAnswer(p, outcome)))
		}
		return err
	})
}

// changeAnswer is the preview of a change, with what became of it where that is known.
func changeAnswer(p *gate.Preview, outcome string) *answer {
	if len(p.Steps) > 0 {
		return stepsAnswer(p, outcome)
	}
	return previewAnswer(p, outcome)
}

// made has a change confirmed, makes it, waits for the rows and says what became of it. p
// is the change as it was shown last.
func (a *app) made(ctx context.Context, e *engine.Engine, c *changeFlags, was *gate.Preview, show func(*gate.Preview) error) (p *gate.Preview, outcome string, err error) {
	var res *gate.Result
	r, tried := e.Revision(), false
	p, err = a.confirmed(c, was, show, func(p *gate.Preview, confirm gate.Confirm) (err error) {
		tried = true
		res, err = e.Commit(ctx, p, confirm)
		return err
	})
	if !tried && !c.dryRun {
		err = a.refused(ctx, e, p, err)
	}
	if res == nil {
		return p, outcomeOf(tried, false, err), err
	}
	if res.Plan {
		ended, err := a.followPlan(ctx, e)
		return p, planOutcome(ended), err
	}
	fmt.Fprintf(a.err, "%s: done in %d ms%s\n", p.Title, res.Took.Milliseconds(), a.lasting(r))
	patience := followTime
	if c.within > 0 {
		patience = min(patience, c.within/4)
	}
	// Where no zone is watched nobody looks at rows.
	if r.Mode.Name != revision.ClusterMode || anyCurrent(e.Revision()) {
		ferr := a.follow(ctx, e, res.Written, patience)
		if res.Trial != nil && errors.Is(ferr, context.Canceled) {
			ferr = nil // what becomes of the change then is said below
		}
		err = errors.Join(err, ferr)
	}
	if res.Trial != nil {
		if terr := a.awaitConfirm(ctx, e, res.Trial); terr != nil {
			return p, outcomePutBack, errors.Join(err, terr)
		}
	}
	return p, outcomeOf(tried, true, err), err
}

// confirmed shows a change, has it confirmed and makes it. A change that became
// another between the question and the answer is shown as it is now and asked about
// once more; where nobody is asked nothing is changed. What it returns is the change
// that was shown last.
func (a *app) confirmed(c *changeFlags, p *gate.Preview, show func(*gate.Preview) error,
	commit func(*gate.Preview, gate.Confirm) error) (*gate.Preview, error) {
	for {
		if err := show(p); err != nil {
			return p, err
		}
		if c.dryRun {
			return p, a.stops(p, c.name)
		}
		if nothingToDo(p) {
			return p, nil
		}
		if p.Blocked != "" {
			err := fmt.Errorf("%s: %s: %w", p.Title, p.Blocked, errRefused)
			if p.Stands {
				// What could not be written down comes with it.
				if cerr := commit(p, gate.Confirm{Yes: true, By: "cli"}); !errors.Is(cerr, change.ErrBlocked) {
					err = errors.Join(err, cerr)
				}
			}
			return p, err
		}
		confirm, err := a.confirm(c, p)
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
			return p, fmt.Errorf("changed: look again: %s: %w", stale.What, errRefused)
		}
		fmt.Fprintln(a.err, "changed: look again: "+oneLine(stale.What))
	}
}

// stops is what a change that is only shown ends with, the same whichever command shows it:
// that it cannot be made, or that a guard rail stops it, unless confirmed is the name that
// the rail asks for. Nobody wants to write, so that changes are switched off stops nothing.
func (a *app) stops(p *gate.Preview, confirmed string) error {
	switch {
	case nothingToDo(p):
		return nil
	case p.Blocked != "" && !p.ReadOnly:
		return fmt.Errorf("%s: %s: %w", p.Title, p.Blocked, errRefused)
	case len(omitted.Unjudged(p.NotConsidered, a.flags.allowUnjudged...)) > 0:
		return errUnjudged
	case len(p.Guards) > 0 && (confirmed == "" || confirmed != p.ConfirmName):
		return errNo
	}
	return nil
}

// nothingToDo says whether all objects are as they should be already: that is
// fine, and exit 0. What cannot be done is not, nor is a plan whose steps are all made:
// it waits for zones.
func nothingToDo(p *gate.Preview) bool {
	return p.Nothing() && len(p.Errors) == 0 && p.Conflict == nil && len(p.Notes) > 0
}

// lasting says how long a change lasts that is not written into the files.
func (a *app) lasting(r *revision.Revision) string {
	if r.Mode.Lasts() {
		return ""
	}
	return "; only in the sandbox, which ends now (--write-back also changes the files)"
}

// followTime is how long a change waits for the rows of every zone to show it.
const followTime = 10 * time.Second

// follow waits until every zone's rows show the change, and says which policies
// have none to show: their old rows go on to decide.
func (a *app) follow(ctx context.Context, e *engine.Engine, written []model.PolicyKey, patience time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var behind []policies.Shown
	err := e.Wait(wait, func(r *revision.Revision) bool {
		behind = behind[:0]
		for _, z := range policies.Shows(r, withRows(r, written), nil) {
			if !z.OK {
				behind = append(behind, z)
			}
		}
		return len(behind) == 0 && !slices.ContainsFunc(written, func(k model.PolicyKey) bool {
			return r.None(k) != nil && policies.Summarize(r, k, e.Now()).State == model.StateSettling
		})
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && len(behind) > 0:
		return fmt.Errorf("changed, but the rows of zone %s do not show it yet: %s: %w", behind[0].Zone, behind[0].Why,
			errBehind)
	}
	r := e.Revision()
	for _, k := range written {
		if none := r.None(k); none != nil {
			fmt.Fprintf(a.err, "%s: %s: %s\n", k.Label(), policies.Summarize(r, k, e.Now()).Text, oneLine(none.Message))
		}
	}
	return nil
}

// anyCurrent says whether the rows of a zone are being watched.
func anyCurrent(r *revision.Revision) bool {
	return slices.ContainsFunc(r.Zones, func(z *model.ZoneState) bool { return z.Current() })
}

// withRows are the policies that should have rows.
func withRows(r *revision.Revision, all []model.PolicyKey) []model.PolicyKey {
	return slices.DeleteFunc(slices.Clone(all), func(k model.PolicyKey) bool { return r.None(k) != nil })
}
