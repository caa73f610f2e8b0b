package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rung/engine"
	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model/plan"
)

// runPlan carries a plan out, after its consequences were confirmed.
func (a *app) runPlan(ctx context.Context, c *changeFlags, f *planFlags) error {
	if err := a.mayAsk(c); err != nil {
		return err
	}
	return a.live(ctx, func(e *engine.Engine, r *revision.Revision) error {
		p, err := a.planToRun(r, f)
		if err != nil {
			return err
		}
		if err := a.print(planView(p)); err != nil || len(p.Steps) == 0 {
			return err
		}
		preview, err := e.PlanPreview(ctx, p)
		if err != nil {
			return err
		}
		started := false
		show := func(p *gate.Preview) error {
			_, err := fmt.Fprint(a.err, guardsText(p))
			return err
		}
		_, err = a.confirmed(c, preview, show, func(preview *gate.Preview, confirm gate.Confirm) error {
			if err := e.PlanStart(ctx, p, preview, confirm); err != nil {
				return a.planError(r, err)
			}
			started = true
			return nil
		})
		if !started {
			return err
		}
		return a.followPlan(ctx, e)
	})
}

// planToRun is the plan that was asked for.
func (a *app) planToRun(r *revision.Revision, f *planFlags) (*plan.Plan, error) {
	_, in, p, err := a.arrange(r, f)
	if err == nil && in != nil && p == nil {
		err = fmt.Errorf("nothing to run: %d is free between them already", in.Priority)
	}
	return p, err
}

// guardsText is what a plan runs into.
func guardsText(p *gate.Preview) string {
	s := ""
	for _, g := range p.Guards {
		s += fmt.Sprintf("guard %s: %s\n", g.Code, g.Message)
	}
	return s
}

// continuePlan goes on with a plan that stopped half way, or takes it back; with
// neither it is forgotten.
func (a *app) continuePlan(ctx context.Context, c *changeFlags, resume, back bool) error {
	if err := a.mayAsk(c); err != nil {
		return err
	}
	return a.live(ctx, func(e *engine.Engine, _ *revision.Revision) error {
		// The stored plan is looked for once the objects are known.
		wait, cancel := context.WithTimeout(ctx, storedPlan)
		err := e.Wait(wait, func(r *revision.Revision) bool { return r.Plan != nil })
		cancel()
		if err != nil {
			return errors.New("there is no plan that stopped; plans are kept with --write-back")
		}
		read := e.Revision()
		st := read.Plan
		fmt.Fprintf(a.err, "the plan stopped with %d of %d done: %s\n", st.Done, st.Total, st.Why)
		if c.dryRun {
			return nil
		}
		if _, err := a.confirm(c, &gate.Preview{}); err != nil {
			return err
		}
		switch {
		case resume:
			err = e.PlanResume(ctx, read)
		case back:
			err = e.PlanBack(ctx, read)
		default:
			return e.PlanDismiss()
		}
		if err != nil {
			return err
		}
		return a.followPlan(ctx, e)
	})
}

// followPlan says how a plan goes until it ends.
func (a *app) followPlan(ctx context.Context, e *engine.Engine) error {
	var last revision.PlanState
	err := e.Wait(ctx, func(r *revision.Revision) bool {
		if r.Plan == nil {
			return true
		}
		st := *r.Plan
		if st.Done != last.Done || last.Total == 0 || st.State != last.State && st.State == gate.PlanPaused {
			line := fmt.Sprintf("%d of %d done", st.Done, st.Total)
			if st.State == gate.PlanPaused {
				line += ", paused: " + st.Why
			}
			fmt.Fprintln(a.err, oneLine(line))
		}
		last = st
		return st.State == gate.PlanDone || st.State == gate.PlanStopped
	})
	if err == nil && last.State != gate.PlanStopped {
		return nil
	}
	why := last.Why
	if err != nil {
		why = "interrupted"
	}
	stopped := fmt.Errorf("the plan stopped with %d of %d done: %s", last.Done, last.Total, why)
	if last.Unrecorded {
		stopped = exitWith{stopped, gate.ErrNotRecorded}
	}
	return a.planError(e.Revision(), stopped)
}

// planError adds how a plan that stopped can go on.
func (a *app) planError(r *revision.Revision, err error) error {
	if !r.Mode.WriteBack {
		return err
	}
	return fmt.Errorf("%w; go on with rung plan --resume, or back with --back", err)
}

// storedPlan is how long the plan of a former run is waited for: it is read as
// soon as the objects are known.
const storedPlan = 500 * time.Millisecond

// exitWith is an error that ends the command as another does, whose words it has
// already.
type exitWith struct {
	error
	as error
}

// Unwrap makes it both (errors.Is).
func (e exitWith) Unwrap() []error { return []error{e.error, e.as} }
