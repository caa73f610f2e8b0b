package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/cli/command"
	"rung/engine"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/difference"
	told "rung/pages/plan"
	"rung/revision"
)

// runPlan runs a plan once its consequences are confirmed.
func runPlan(ctx context.Context, a *command.App, c *changeFlags, f *planFlags) error {
	if err := checkCanAsk(a, c); err != nil {
		return err
	}
	return a.WithRows(ctx, func(e *engine.Engine, r *revision.Revision) error {
		if r.System.Bands != nil {
			return errNoSpacing
		}
		_, in, p, err := arrangePlan(a, r, f)
		if err == nil && in != nil && p == nil {
			err = fmt.Errorf("nothing to run: %d is free between them already", in.Priority)
		}
		if err != nil {
			return err
		}
		ans := &command.Answer{Value: p, Text: func(bool) string { return planText(p) }, NotConsidered: revision.OmissionsOfAnswers(r, false)}
		tells := printsOneDocument(a, c)
		if !tells {
			if err := a.PrintAnswer(ans); err != nil {
				return err
			}
		}
		outcome, err := runShownPlan(ctx, a, e, c, p)
		if tells {
			ans.Value = planRunOut{outcome, p}
			err = errors.Join(err, a.PrintAnswer(ans))
		}
		return err
	})
}

// planRunOut is the JSON of a plan that was run, with its outcome.
type planRunOut struct {
	Outcome string `json:"outcome"`
	*plan.Plan
}

// runShownPlan runs a plan that was shown, and returns its outcome.
func runShownPlan(ctx context.Context, a *command.App, e *engine.Engine, c *changeFlags, p *plan.Plan) (outcome string, err error) {
	if len(p.Steps) == 0 {
		return outcomeUnchanged, nil
	}
	if err := checkNoOtherPlan(e); err != nil && !c.dryRun {
		return outcomeRefused, err
	}
	preview, err := e.Preview(ctx, change.RunPlan(p))
	if err != nil {
		return outcomeFailed, err
	}
	show := func(p *gate.Preview) error {
		_, err := fmt.Fprint(a.Err, guardsText(p))
		return err
	}
	_, outcome, err = confirmAndFollow(ctx, a, e, c, preview, show)
	return outcome, err
}

// checkNoOtherPlan rejects a new plan while another is open.
func checkNoOtherPlan(e *engine.Engine) error {
	st, err := e.ReadPlan()
	switch {
	case err != nil || !st.IsOpen():
		return nil // an unreadable plan is put aside when the new one starts
	case st.IsUnderWay():
		return fmt.Errorf("%w: the plan is %s", planrun.ErrPlan, st.RunBy())
	}
	return fmt.Errorf("%w: another plan stopped at %s; %s", planrun.ErrPlan, st.PlaceText(), planNext)
}

// guardsText returns lines about a plan: its effect on connections, its steps, and the guard rails that stop
// it.
func guardsText(p *gate.Preview) string {
	t := difference.PreviewText(p)
	var b strings.Builder
	writePreviewPoints(&b, "", t.Headline)
	writeHarm(&b, "", t)
	return b.String()
}

// continuePlan continues or rolls back a stopped plan, once its consequences are confirmed; with neither flag
// it ends the plan.
func continuePlan(ctx context.Context, a *command.App, c *changeFlags, resume, back bool) error {
	if err := checkCanAsk(a, c); err != nil {
		return err
	}
	return a.WithRows(ctx, func(e *engine.Engine, r *revision.Revision) error {
		st, err := e.ReadPlan()
		switch {
		case err != nil:
			return err
		case st == nil && keepsPlans(r):
			return errors.New("no plan has stopped")
		case st == nil:
			return errors.New("no plan has stopped; plans are kept with --write-back")
		case !resume && !back:
			return keepPlan(ctx, a, e, c, st)
		}
		return runChange(ctx, a, e, c, change.ContinuePlan(back), nil)
	})
}

// keepPlan ends a stopped plan and leaves the policies unchanged.
func keepPlan(ctx context.Context, a *command.App, e *engine.Engine, c *changeFlags, st *revision.PlanState) error {
	if by := st.RunBy(); by != "" {
		return fmt.Errorf("%w: the plan is %s", planrun.ErrPlan, by)
	}
	read := e.Revision()
	fmt.Fprintf(a.Err, "%s: stopped, %s; the policies stay as they are\n", st.Title, st)
	if c.dryRun {
		return nil
	}
	if _, err := confirmPreview(a, c, &gate.Preview{}); err != nil {
		return err
	}
	if err := e.KeepPlan(read); err != nil || !printsOneDocument(a, c) {
		return err
	}
	out := told.NewFacts(st)
	out.Outcome = outcomeKept
	return a.PrintAnswer(&command.Answer{Value: out})
}

// followPlan prints the progress of a plan until it ends or stops.
func followPlan(ctx context.Context, a *command.App, e *engine.Engine) (ended bool, err error) {
	var last revision.PlanState
	said := ""
	err = e.WaitFor(ctx, func(r *revision.Revision) bool {
		if r.Plan == nil {
			return true
		}
		st := *r.Plan
		line := st.String()
		if st.State == revision.PlanWaiting {
			line += ", " + st.Why
		}
		if line != said && st.State != revision.PlanStopped {
			fmt.Fprintln(a.Err, words.CleanLine(line))
			said = line
		}
		last = st
		return st.State == revision.PlanDone || st.State == revision.PlanStopped
	})
	if err == nil && last.State != revision.PlanStopped && !last.Unrecorded {
		return true, nil
	}
	why := last.Why
	if err != nil && last.IsShownByZones() {
		return true, nil // only its end was not reported yet
	}
	if err != nil {
		why = "interrupted"
	}
	stopped := fmt.Errorf("the plan stopped at %s: %s", last.PlaceText(), why)
	ended = err == nil && last.State == revision.PlanDone
	if ended {
		stopped = errors.New(why)
	}
	if last.Unrecorded {
		stopped = exitWith{stopped, change.ErrNotRecorded}
	}
	if !ended && keepsPlans(e.Revision()) {
		stopped = fmt.Errorf("%w; %s", stopped, planNext)
	}
	return ended, stopped
}

// keepsPlans reports whether a stopped plan outlives the program.
func keepsPlans(r *revision.Revision) bool {
	return r.Mode.WriteBack || r.Mode.Name == revision.ClusterMode
}

// exitWith is an error that ends the command like another error, without repeating its text.
type exitWith struct {
	error
	as error
}

// Unwrap returns both errors, for errors.Is.
func (e exitWith) Unwrap() []error { return []error{e.error, e.as} }
