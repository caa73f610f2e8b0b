package engine

import (
	"context"
	"time"

	"rung/change/trial"
	"rung/model"
	"rung/revision"
)

// startReverts allows changes on trial, and reverts overdue ones once the objects are known.
func (e *Engine) startReverts(dir string) {
	e.reverts = trial.New(e.gate, trial.Config{Dir: dir, Context: e.cfg.stateIdentity(), Disk: e.cfg.Disk, Adopts: e.cfg.Screen,
		ReadOnly: e.cfg.ReadOnly, Publish: func(u *revision.UnconfirmedChange) {
			switch {
			case u.Ended != "" && u.Title == "":
				e.loop.RecordActivity(model.Activity{By: "user", Summary: "look for an unconfirmed change", Error: u.Ended})
			case u.Ended != "":
				e.loop.RecordActivity(model.Activity{By: "user", Summary: u.Title + ": " + u.Ended})
			}
			e.changeState(func(s *loopState) { s.unconfirmed = u })
		}})
	e.loop.Go(func() {
		if e.WaitFor(e.loop.Context(), func(r *revision.Revision) bool { return r != nil && r.Loaded }) == nil {
			e.reverts.Run(e.loop.Context())
		}
	})
}

// ConfirmTrial makes the change on trial permanent and returns its title.
func (e *Engine) ConfirmTrial(by string) (title string, err error) { return e.reverts.ConfirmTrial(by) }

// SettleTrial reverts an earlier run's overdue trial and returns the state of the pending one; nil if
// none. The objects have to be known. A run whose changes do not persist only returns the state.
func (e *Engine) SettleTrial(ctx context.Context) *revision.UnconfirmedChange {
	if e.cfg.Writer != nil || e.cfg.StateDir == "" {
		return e.reverts.RevertExpired(ctx)
	}
	return e.reverts.TrialInFolder(e.cfg.StateDir)
}

// RevertNow reverts this process's unconfirmed change at once, as Close does, and returns the outcome; nil if
// none.
func (e *Engine) RevertNow(ctx context.Context) *revision.UnconfirmedChange {
	return e.reverts.RevertAtExit(ctx)
}

// revertTimeout bounds how long Close tries to revert a change; if it fails, the next start does.
const revertTimeout = 5 * time.Second

// revertAtClose reverts the unconfirmed change, since no process would count down.
func (e *Engine) revertAtClose() {
	if e.cfg.Writer == nil {
		return // changes end with the process
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.loop.Context()), revertTimeout)
	defer cancel()
	e.reverts.RevertAtExit(ctx)
}
