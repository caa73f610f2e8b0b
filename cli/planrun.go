package cli

import (
	"context"
	"errors"
	"fmt"

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

// continuePlan goes on with a plan that stopped half way, or rolls it back, after what
// that does was confirmed; with neither it is ended where it is.
func (a *app) continuePlan(ctx context.Context, c *changeFlags, resume, back bool) error {
	if err := a.mayAsk(c); err != nil {
		return err
	}
	return a.live(ctx, func(e *engine.Engine, _ *revision.Revision) error {
		st, err := e.Plan()
		switch {
		case err != nil:
			return err
		case st == nil:
			return errors.New("no plan has stopped; plans are kept with --write-back")
		case !resume && !back:
			return a.keepPlan(ctx, e, c, st)
		}
		work, start := e.PlanResumePreview, e.PlanResume
		if back {
			work, start = e.PlanBackPreview, e.PlanBack
		}
		preview, err := work(ctx)
		if err != nil {
			return err
		}
		show := func(p *gate.Preview) error { return a.print(stepsAnswer(p)) }
		started := false
		_, err = a.confirmed(c, preview, show, func(p *gate.Preview, confirm gate.Confirm) error {
			if err := start(ctx, p, confirm); err != nil {
				return err
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

// keepPlan ends a plan that stopped, and leaves the policies as they are.
func (a *app) keepPlan(ctx context.Context, e *engine.Engine, c *changeFlags, st *revision.PlanState) error {
	read := e.Revision()
	fmt.Fprintf(a.err, "%s: stopped, %s; the policies stay as they are\n", st.Title, st)
	if c.dryRun {
		return nil
	}
	if _, err := a.confirm(c, &gate.Preview{}); err != nil {
		return err
	}
	return e.PlanKeep(ctx, read)
}

// followPlan says how a plan goes until it ends.
func (a *app) followPlan(ctx context.Context, e *engine.Engine) error {
	var last revision.PlanState
	said := ""
	err := e.Wait(ctx, func(r *revision.Revision) bool {
		if r.Plan == nil {
			return true
		}
		st := *r.Plan
		line := st.String()
		if st.State == gate.PlanWaiting {
			line += ", " + st.Why
		}
		if line != said && st.State != gate.PlanStopped {
			fmt.Fprintln(a.err, oneLine(line))
			said = line
		}
		last = st
		return st.State == gate.PlanDone || st.State == gate.PlanStopped
	})
	if err == nil && last.State != gate.PlanStopped && !last.Unrecorded {
		return nil
	}
	why := last.Why
	if err != nil {
		why = "interrupted"
	}
	stopped := fmt.Errorf("the plan stopped at %d of %d: %s", last.Done, last.Total, why)
	if last.State == gate.PlanDone && err == nil {
		stopped = errors.New(why)
	}
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
	return fmt.Errorf("%w; %s", err, planNext)
}

// exitWith is an error that ends the command as another does, whose words it has
// already.
type exitWith struct {
	error
	as error
}

// Unwrap makes it both (errors.Is).
func (e exitWith) Unwrap() []error { return []error{e.error, e.as} }
