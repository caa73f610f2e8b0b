package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model"
)

// changeFlags are those of every mutation.
type changeFlags struct {
	dryRun, yes bool
	name        string
}

func (c *changeFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "show the consequences and change nothing")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&c.name, "confirm-name", "", "policy name that a guard rail asks for")
}

// mayAsk refuses a change that nobody could be asked about, and one where the
// rows would not follow.
func (a *app) mayAsk(c *changeFlags) error {
	if len(a.flags.nb) > 0 && len(a.flags.files) > 0 {
		return errors.New("--nb databases are read-only: leave --nb out to change policies")
	}
	if !c.dryRun && !c.yes && !a.asks {
		return errors.New("no terminal to ask on: give --yes to change policies, or --dry-run to see the consequences")
	}
	return nil
}

// change previews a mutation, has it confirmed and commits it.
func (a *app) change(ctx context.Context, c *changeFlags,
	mutation func(*revision.Revision) (gate.Mutation, error)) error {
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
		var res *gate.Result
		show := func(p *gate.Preview) error {
			if len(p.Steps) > 0 {
				return a.print(stepsAnswer(p))
			}
			return a.print(previewAnswer(p))
		}
		p, err = a.confirmed(c, p, show, func(p *gate.Preview, confirm gate.Confirm) (err error) {
			res, err = e.Commit(ctx, p, confirm)
			return err
		})
		if res == nil {
			return err
		}
		if res.Plan {
			return a.followPlan(ctx, e)
		}
		fmt.Fprintf(a.err, "%s: done in %d ms%s\n", p.Title, res.Took.Milliseconds(), a.lasting(r))
		if r.Mode.Name == revision.ClusterMode && !anyCurrent(e.Revision()) {
			return err // nobody looks at rows here
		}
		return errors.Join(err, a.follow(ctx, e, res.Written))
	})
}

// confirmed shows a change, has it confirmed and makes it. A change that became
// another between the question and the answer is shown as it is now and asked about
// once more; where nobody is asked nothing is changed. What it returns is the change
// that was shown last.
func (a *app) confirmed(c *changeFlags, p *gate.Preview, show func(*gate.Preview) error,
	commit func(*gate.Preview, gate.Confirm) error) (*gate.Preview, error) {
	for {
		if err := show(p); err != nil || nothingToDo(p) {
			return p, err
		}
		if p.Blocked != "" {
			return p, fmt.Errorf("%s: %s: %w", p.Title, p.Blocked, errRefused)
		}
		if c.dryRun {
			return p, nil
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

// nothingToDo says whether all objects are as they should be already: that is
// fine, and exit 0.
func nothingToDo(p *gate.Preview) bool {
	return len(p.Objects) == 0 && len(p.Errors) == 0 && p.Conflict == nil && len(p.Notes) > 0
}

// lasting says how long a change lasts that is not written into the files.
func (a *app) lasting(r *revision.Revision) string {
	if r.Mode.WriteBack || r.Mode.Name == revision.ClusterMode {
		return ""
	}
	return "; only in the sandbox, which ends now (--write-back also changes the files)"
}

// followTime is how long a change waits for the rows of every zone to show it.
const followTime = 10 * time.Second

// follow waits until every zone's rows show the change, and says which policies
// have none to show: their old rows go on to decide.
func (a *app) follow(ctx context.Context, e *engine.Engine, written []model.PolicyKey) error {
	wait, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	var behind []revision.Shown
	err := e.Wait(wait, func(r *revision.Revision) bool {
		behind = behind[:0]
		for _, z := range r.Shows(withRows(r, written), nil) {
			if !z.OK {
				behind = append(behind, z)
			}
		}
		return len(behind) == 0 && !slices.ContainsFunc(written, func(k model.PolicyKey) bool {
			return r.None(k) != nil && r.Summary(k, e.Now()).State == model.StateSettling
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
			fmt.Fprintf(a.err, "%s: %s: %s\n", k.Label(), r.Summary(k, e.Now()).Text, oneLine(none.Message))
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
