package trial

import (
	"context"
	"fmt"
	"time"

	"rung/revision"
)

// Run puts back what is due, as long as ctx lasts.
func (r *Trials) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := r.runStep(ctx, r.cfg.Adopts)
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-t.C:
		}
		t.Stop()
	}
}

// SettleOverdue puts back what nobody confirmed in time and no other process puts back, and says
// how the change on trial stands then; nil for none.
func (r *Trials) SettleOverdue(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	err := r.refresh()
	r.judgeLeft()
	over := r.job != nil && !r.job.isFinal() && !r.holdsLock && !r.heldElsewhere && r.timeLeft() == 0
	r.mu.Unlock()
	if over {
		r.runStep(ctx, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.job == nil {
		r.tellProblem(err)
	}
	r.publishState()
	return r.state
}

// RevertAtExit puts the change on trial back at once, if this process is the one that would: it
// ends, and nobody would count down.
func (r *Trials) RevertAtExit(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	for r.isMaking && ctx.Err() == nil {
		done := r.done
		r.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
		}
		r.mu.Lock()
	}
	_ = r.refresh() // what is known still counts
	mine := r.job != nil && r.holdsLock && !r.job.isFinal() && !r.isMaking
	if mine {
		r.dueAt, r.retryAt, r.isLeaving = r.gate.Config.Now(), time.Time{}, true
	}
	r.mu.Unlock()
	if mine {
		r.runStep(ctx, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holdsLock && !r.isMaking {
		r.releaseLock() // the file stays for whoever starts next
	}
	return r.state
}

// The longest pauses: between two looks, and between two attempts to put a change back.
const (
	revertLook  = time.Second
	revertPause = 10 * time.Second
	revertIdle  = time.Hour // where nobody else can begin one: it is told then
)

// runStep does what is to be done now, and says when to come again.
func (r *Trials) runStep(ctx context.Context, adopts bool) time.Duration {
	r.attempts.Lock()
	defer r.attempts.Unlock()
	r.mu.Lock()
	if err := r.refresh(); err != nil {
		r.tellProblem(err)
	}
	r.judgeLeft()
	if r.job != nil && !r.job.isFinal() && !r.holdsLock && !r.heldElsewhere && adopts && !r.cfg.ReadOnly {
		r.adoptLeft()
	}
	r.publishState()
	left, none := r.timeLeft(), r.job == nil
	now := r.gate.Config.Now()
	due := r.job != nil && r.holdsLock && !r.job.isFinal() && !r.isMaking && left == 0 && !now.Before(r.retryAt) &&
		r.gate.Config.CurrentRevision().Loaded
	r.mu.Unlock()
	if due {
		r.putBack(ctx)
		return 0
	}
	switch {
	case left > 0:
		return min(left, revertLook)
	case r.work.Path == "" && none:
		return revertIdle
	}
	return revertLook
}

// timeLeft is how long there is to confirm the change. A clock that went back does not make
// it longer: by then nobody knows how long it was. The caller holds mu.
func (r *Trials) timeLeft() time.Duration {
	if r.job == nil {
		return 0
	}
	now := r.gate.Config.Now()
	left := r.job.Until.Round(0).Sub(now.Round(0))
	if !r.dueAt.IsZero() {
		left = min(left, r.dueAt.Sub(now))
	}
	if left < 0 || left > r.job.Within {
		return 0
	}
	return left
}

// publishState publishes how the change on trial stands. The caller holds mu.
func (r *Trials) publishState() {
	j := r.job
	if j == nil || r.isMaking || j.isFinal() && j.partly == "" {
		return // it is only being made
	}
	u := &revision.UnconfirmedChange{ID: j.ID, Title: j.Title, Until: j.Until, IsOver: r.timeLeft() == 0, Why: j.Why, IsOwn: r.holdsLock,
		FromEarlierRun: r.foundEarlier, File: r.work.Path}
	if j.isFinal() {
		u.IsOver, u.FromEarlierRun, u.Partly = false, true, fmt.Sprintf("%s, at %s", j.partly, j.At.Local().Format("15:04"))
	}
	if r.heldElsewhere {
		u.PID, u.Host = j.PID, j.Host
	}
	if u.IsOver && u.Why == "" && !r.holdsLock && !r.heldElsewhere && r.cfg.ReadOnly {
		u.Why = "started with --readonly"
	}
	r.publish(u)
}

func (r *Trials) tellProblem(err error) {
	r.publish(&revision.UnconfirmedChange{ID: err.Error(), Ended: err.Error()})
}

func (r *Trials) publish(u *revision.UnconfirmedChange) {
	if r.state != nil && *r.state == *u {
		return
	}
	r.state = u
	if r.cfg.Publish != nil {
		r.cfg.Publish(u)
	}
}
