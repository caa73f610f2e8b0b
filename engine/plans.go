package engine

import (
	"context"
	"fmt"
	"time"

	"rung/change/gate"
	"rung/change/history"
	"rung/change/planrun"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
)

// startPlans makes the runner, and looks for a plan that a former run did not
// finish once the objects are known.
func (e *Engine) startPlans(dir string, h *history.History) {
	name := e.cfg.stateIdentity()
	var runs planRuns // the states come one after the other
	e.plans = planrun.New(e.gate, planrun.Config{
		Subscribe: e.Subscribe, Dir: dir, Context: name, Disk: e.cfg.Disk,
		// Whoever started a plan finds it in the next revision it looks at.
		Publish: func(p *revision.PlanState) {
			if a, ok := runs.runEnded(p, e.Revision().Mode.Kubectl, e.Now()); ok {
				e.loop.RecordActivity(a)
			}
			e.runInLoop(func(s *loopState) {
				s.plan = p
				s.MarkChanged()
			})
		},
		Ctx: e.loop.Context(), Run: e.loop.Go,
	})
	if n := h.SkippedLines(); n > 0 {
		why := fmt.Sprintf("%s unreadable and skipped: what they held cannot be undone", words.Count(n, "line"))
		e.loop.RecordActivity(model.Activity{By: "user", Summary: "read the history of changes", Error: why})
		e.notices = append(e.notices, h.Path()+": "+why)
	}
	if dir == "" {
		return
	}
	e.loop.Go(func() {
		if e.WaitFor(e.loop.Context(), func(r *revision.Revision) bool { return r != nil && r.Loaded }) != nil {
			return
		}
		if err := e.plans.Load(); err != nil {
			e.loop.RecordActivity(model.Activity{By: "user", Summary: "look for an unfinished plan", Error: err.Error()})
		}
		e.watchState()
	})
}

// PlanPreview works out the effect of a whole plan. Its ConfirmName is the name to type
// for PlanStart.
func (e *Engine) PlanPreview(ctx context.Context, p *plan.Plan) (*gate.Preview, error) {
	return e.plans.PreviewPlan(ctx, p)
}

// PlanStart runs a plan step by step; Revision.Plan tells how it goes. read is
// the preview that was confirmed: a plan that would do something else now is a
// StaleError.
func (e *Engine) PlanStart(ctx context.Context, p *plan.Plan, read *gate.Preview, c gate.Confirm) error {
	return e.plans.StartPlan(ctx, p, read, c)
}

// PlanResumePreview is the preview of what a plan that stopped has left, PlanBackPreview
// that of rolling it back: all guard rails of all steps, confirmed by one ConfirmName.
func (e *Engine) PlanResumePreview(ctx context.Context) (*gate.Preview, error) {
	return e.plans.ContinuePreview(ctx, false)
}

// PlanBackPreview is described at PlanResumePreview.
func (e *Engine) PlanBackPreview(ctx context.Context) (*gate.Preview, error) {
	return e.plans.ContinuePreview(ctx, true)
}

// PlanResume goes on with a plan that stopped half way. read is the preview that was
// confirmed: a StaleError has the one as it is now.
func (e *Engine) PlanResume(ctx context.Context, read *gate.Preview, c gate.Confirm) error {
	return e.plans.ContinuePlan(ctx, false, read, c)
}

// PlanBack rolls the steps back that were done, the last one first; read is as in
// PlanResume.
func (e *Engine) PlanBack(ctx context.Context, read *gate.Preview, c gate.Confirm) error {
	return e.plans.ContinuePlan(ctx, true, read, c)
}

// PlanStop stops the plan that runs here after its step; it can be resumed.
func (e *Engine) PlanStop() { e.plans.Stop() }

// PlanKeep ends a plan that stopped, and leaves the policies as they are; one that is
// done is put away. read is the revision that was on the screen.
func (e *Engine) PlanKeep(_ context.Context, read *revision.Revision) error {
	return e.plans.KeepAsIs(read)
}

// ReadPlan reads the stored plan again and says how it stands, nil for no plan. The objects
// have to be known.
func (e *Engine) ReadPlan() (*revision.PlanState, error) { return e.plans.ReadState() }

// KeptPlan is the plan in the state folder of which this process keeps nothing itself,
// since what it changes does not last: one of the same sources that stopped, or that
// another Rung runs. It is nil for none. The objects have to be known.
func (e *Engine) KeptPlan() (*revision.PlanState, error) {
	if e.cfg.Writer != nil || e.cfg.StateDir == "" {
		return nil, nil
	}
	return e.plans.PlanInFolder(e.cfg.StateDir)
}

// stateEvery is how often the state folder is looked at for what other processes do: two
// files, by their size and time.
const stateEvery = time.Second

// watchState follows what other processes on the same state folder do with the plan and
// the history, until the engine ends.
func (e *Engine) watchState() {
	auditFailed := false
	t := time.NewTicker(stateEvery)
	defer t.Stop()
	for {
		select {
		case <-e.loop.Context().Done():
			return
		case <-t.C:
			e.plans.Refresh()
			e.gate.LookAtHistory()
			if err := e.ReadChanges(); err != nil && !auditFailed {
				auditFailed = true
				e.loop.RecordActivity(model.Activity{By: "user", Summary: "read the audit of changes", Error: err.Error()})
			}
		}
	}
}
