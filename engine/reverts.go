package engine

import (
	"context"
	"time"

	"rung/change/trial"
	"rung/model"
	"rung/revision"
)

// startReverts lets changes be made on trial, and puts back what is due once the objects
// are known.
func (e *Engine) startReverts(dir string) {
	e.reverts = trial.New(e.gate, trial.Config{Dir: dir, Context: e.cfg.stateIdentity(), Disk: e.cfg.Disk, Adopts: e.cfg.Screen,
		ReadOnly: e.cfg.ReadOnly, Publish: func(u *revision.UnconfirmedChange) {
			if u.Ended != "" {
				a := model.Activity{At: e.Now(), By: "user", Summary: u.Title + ": " + u.Ended}
				if u.Title == "" {
					a = model.Activity{At: e.Now(), By: "user", Summary: "look for a change that waits to be confirmed", Error: u.Ended}
				}
				e.loop.RecordActivity(a)
			}
			e.runInLoop(func(s *loopState) {
				s.unconfirmed = u
				s.MarkChanged()
			})
		}})
	e.loop.Go(func() {
		if e.WaitFor(e.loop.Context(), func(r *revision.Revision) bool { return r != nil && r.Loaded }) == nil {
			e.reverts.Run(e.loop.Context())
		}
	})
}

// ConfirmTrial makes the change that waits to be confirmed one for good, and says which it was.
func (e *Engine) ConfirmTrial(by string) (title string, err error) { return e.reverts.ConfirmTrial(by) }

// SettleUnconfirmed puts a change back that an earlier run made, whose time is over, and says
// how the one that waits to be confirmed stands then; nil for none. The objects have to
// be known. A run whose changes do not last only says how it stands.
func (e *Engine) SettleUnconfirmed(ctx context.Context) *revision.UnconfirmedChange {
	if e.cfg.Writer != nil || e.cfg.StateDir == "" {
		return e.reverts.SettleOverdue(ctx)
	}
	return e.reverts.TrialInFolder(e.cfg.StateDir)
}

// PutBack puts the change back at once that this process made and nobody confirmed, as
// Close does, and says what became of it; nil for none.
func (e *Engine) PutBack(ctx context.Context) *revision.UnconfirmedChange {
	return e.reverts.RevertAtExit(ctx)
}

// leaveTime is how long Close tries to put a change back; if it cannot, the next start
// does.
const leaveTime = 5 * time.Second

// leaveReverts puts back what nobody confirmed: nobody would count down.
func (e *Engine) leaveReverts() {
	if e.cfg.Writer == nil {
		return // it ends with the process
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.loop.Context()), leaveTime)
	defer cancel()
	e.reverts.RevertAtExit(ctx)
}
