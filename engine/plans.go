package engine

import (
	"fmt"
	"time"

	"rung/change/history"
	"rung/change/planrun"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// startPlans makes the runner, and looks for a plan that a former run did not
// finish once the objects are known.
func (e *Engine) startPlans(dir string, h *history.History) {
	name := e.cfg.stateIdentity()
	var runs planRuns // the states come one after the other
	e.Plans = planrun.New(e.gate, planrun.Config{
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
		if err := e.Plans.Load(); err != nil {
			e.loop.RecordActivity(model.Activity{By: "user", Summary: "look for an unfinished plan", Error: err.Error()})
		}
		e.watchState()
	})
}

// KeptPlan is the plan in the state folder of which this process keeps nothing itself,
// since what it changes does not last: one of the same sources that stopped, or that
// another Rung runs. It is nil for none. The objects have to be known.
func (e *Engine) KeptPlan() (*revision.PlanState, error) {
	if e.cfg.Writer != nil || e.cfg.StateDir == "" {
		return nil, nil
	}
	return e.Plans.PlanInFolder(e.cfg.StateDir)
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
			e.Plans.Refresh()
			e.gate.LookAtHistory()
			if err := e.ReadChanges(); err != nil && !auditFailed {
				auditFailed = true
				e.loop.RecordActivity(model.Activity{By: "user", Summary: "read the audit of changes", Error: err.Error()})
			}
		}
	}
}
