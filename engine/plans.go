package engine

import (
	"context"
	"fmt"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
)

// startPlans makes the runner, and looks for a plan that a former run did not
// finish once the objects are known.
func (e *Engine) startPlans(dir string, h *gate.History) {
	name := e.cfg.identity()
	e.plans = gate.NewPlans(e.gate, gate.PlanConfig{
		Subscribe: e.Subscribe, Dir: dir, Context: name, Disk: e.cfg.Disk,
		// Whoever started a plan finds it in the next revision it looks at.
		Publish: func(p *revision.PlanState) { e.do(func(s *state) { s.plan, s.dirty = p, true }) },
		Ctx:     e.ctx, Run: func(f func()) { e.goRun(f) },
	})
	if n := h.Skipped(); n > 0 {
		why := fmt.Sprintf("%s unreadable and skipped: what they held cannot be undone", words.Count(n, "line"))
		e.activity.add(model.Activity{At: e.now(), By: "user", Summary: "read the history of changes", Error: why})
		e.notices = append(e.notices, h.Path()+": "+why)
	}
	if dir == "" {
		return
	}
	e.goRun(func() {
		if e.Wait(e.ctx, func(r *revision.Revision) bool { return r != nil && r.Loaded }) != nil {
			return
		}
		if err := e.plans.Load(); err != nil {
			e.activity.add(model.Activity{At: e.now(), By: "user", Summary: "look for an unfinished plan", Error: err.Error()})
		}
	})
}

// PlanPreview works out what a whole plan does. Its ConfirmName is what PlanStart
// wants to have typed.
func (e *Engine) PlanPreview(ctx context.Context, p *plan.Plan) (*gate.Preview, error) {
	return e.plans.Preview(ctx, p)
}

// PlanStart runs a plan step by step; Revision.Plan tells how it goes. read is
// the preview that was confirmed: a plan that would do something else now is a
// StaleError.
func (e *Engine) PlanStart(ctx context.Context, p *plan.Plan, read *gate.Preview, c gate.Confirm) error {
	// One that a former run left must not be written over before it was looked for.
	if err := e.plans.Load(); err != nil {
		return err
	}
	return e.plans.Start(ctx, p, read, c)
}

// PlanResume goes on with a plan that stopped half way. read is the revision that
// was on the screen when that was confirmed: a StaleError says that the plan or
// its policies are others now.
func (e *Engine) PlanResume(_ context.Context, read *revision.Revision) error {
	return e.plans.Resume(read)
}

// PlanBack takes the steps that were done back, the last one first; read is as in
// PlanResume.
func (e *Engine) PlanBack(_ context.Context, read *revision.Revision) error {
	return e.plans.Back(read)
}

// PlanStop stops the running plan where it is; it can be resumed.
func (e *Engine) PlanStop() { e.plans.Stop() }

// PlanDismiss forgets a plan that stopped or is done; the policies stay where
// they are.
func (e *Engine) PlanDismiss() error { return e.plans.Dismiss() }
