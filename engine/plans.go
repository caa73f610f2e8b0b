package engine

import (
	"fmt"
	"time"

	"rung/change/history"
	"rung/change/planrun"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/retry"
)

// startPlans creates the plan runner. Once the objects are known it looks for a plan that an earlier run did
// not finish.
func (e *Engine) startPlans(dir string, h *history.History) {
	name := e.cfg.stateIdentity()
	var runs planRuns // Publish is called for one state after the other
	e.Plans = planrun.New(e.gate, planrun.Config{
		Subscribe: e.Subscribe, Dir: dir, Context: name, Disk: e.cfg.Disk,
		// Whoever started a plan finds it in the next revision.
		Publish: func(p *revision.PlanState) {
			if a, ok := runs.runEnded(p, e.Revision().Mode.Kubectl, e.Now()); ok {
				e.loop.RecordActivity(a)
			}
			e.changeState(func(s *loopState) { s.plan = p })
		},
		Ctx: e.loop.Context(), Run: e.loop.Go,
	})
	if n := h.SkippedLines(); n > 0 {
		why := fmt.Sprintf("%s unreadable and skipped: their changes cannot be undone", words.Count(n, "line"))
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
		if err := e.Plans.Load(); err != nil {
			e.loop.RecordActivity(model.Activity{By: "user", Summary: "look for an unfinished plan", Error: err.Error()})
		}
		e.watchState()
	})
}

// KeptPlan returns the plan in the state folder if this process keeps none because its changes do not persist.
// Such a plan stopped on the same sources, or another Rung runs it. KeptPlan returns nil without one. The
// objects have to be known.
func (e *Engine) KeptPlan() (*revision.PlanState, error) {
	if e.cfg.Writer != nil || e.cfg.StateDir == "" {
		return nil, nil
	}
	return e.Plans.PlanInFolder(e.cfg.StateDir)
}

// stateEvery is the time between two looks at the state folder for other processes' work: size and time of two
// files.
const stateEvery = time.Second

// watchState follows how other processes with the same state folder change the plan and the history, until the
// engine ends.
func (e *Engine) watchState() {
	auditFailed := false
	for retry.Sleep(e.loop.Context(), stateEvery) {
		e.Plans.Refresh()
		e.gate.PollHistory()
		if err := e.ReadChanges(); err != nil && !auditFailed {
			auditFailed = true
			e.loop.RecordActivity(model.Activity{By: "user", Summary: "read the audit of changes", Error: err.Error()})
		}
	}
}
