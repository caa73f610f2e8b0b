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

// runPlan runs a plan, after its consequences were confirmed.
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
		if err := noOther(e); err != nil && !c.dryRun {
			return err
		}
		preview, err := e.PlanPreview(ctx, p)
		if err != nil {
			return err
		}
		show := func(p *gate.Preview) error {
			_, err := fmt.Fprint(a.err, guardsText(p))
			return err
		}
		return a.startPlan(ctx, e, c, preview, show, func(read *gate.Preview, confirm gate.Confirm) error {
			return e.PlanStart(ctx, p, read, confirm)
		})
	})
}

// startPlan has the preview of a plan confirmed, starts it and says how it goes.
func (a *app) startPlan(ctx context.Context, e *engine.Engine, c *changeFlags, p *gate.Preview, show func(*gate.Preview) error, start func(*gate.Preview, gate.Confirm) error) error {
	started := false
	_, err := a.confirmed(c, p, show, func(p *gate.Preview, confirm gate.Confirm) error {
		err := start(p, confirm)
		started = err == nil
		return err
	})
	if !started {
		return err
	}
	return a.followPlan(ctx, e)
}

// noOther refuses a new plan while there is another.
func noOther(e *engine.Engine) error {
	st, err := e.Plan()
	switch {
	case err != nil || !st.Open():
		return nil // what cannot be read is put aside when the plan starts
	case st.Active():
		return fmt.Errorf("%w: the plan is %s", gate.ErrPlan, st.RunBy())
	}
	return fmt.Errorf("%w: another plan stopped at %d of %d; %s", gate.ErrPlan, st.Done, st.Total, planNext)
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
	return a.live(ctx, func(e *engine.Engine, r *revision.Revision) error {
		st, err := e.Plan()
		switch {
		case err != nil:
			return err
		case st == nil && keepsPlans(r):
			return errors.New("no plan has stopped")
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
		return a.startPlan(ctx, e, c, preview, show, func(read *gate.Preview, confirm gate.Confirm) error {
			return start(ctx, read, confirm)
		})
	})
}

// keepPlan ends a plan that stopped, and leaves the policies as they are.
func (a *app) keepPlan(ctx context.Context, e *engine.Engine, c *changeFlags, st *revision.PlanState) error {
	if by := st.RunBy(); by != "" {
		return fmt.Errorf("%w: the plan is %s", gate.ErrPlan, by)
	}
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
	ended := err == nil && last.State == gate.PlanDone
	if ended {
		stopped = errors.New(why)
	}
	if last.Unrecorded {
		stopped = exitWith{stopped, gate.ErrNotRecorded}
	}
	if ended {
		return stopped // with nothing to continue
	}
	return a.planError(e.Revision(), stopped)
}

// planError adds what can be done about a plan that stopped.
func (a *app) planError(r *revision.Revision, err error) error {
	if !keepsPlans(r) {
		return err
	}
	return fmt.Errorf("%w; %s", err, planNext)
}

// keepsPlans says whether a plan that stopped outlives the program.
func keepsPlans(r *revision.Revision) bool {
	return r.Mode.WriteBack || r.Mode.Name == revision.ClusterMode
}

// exitWith is an error that ends the command as another does, whose words it has
// already.
type exitWith struct {
	error
	as error
}

// Unwrap makes it both (errors.Is).
func (e exitWith) Unwrap() []error { return []error{e.error, e.as} }
