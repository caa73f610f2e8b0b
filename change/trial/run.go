package trial

import (
	"context"
	"fmt"
	"time"

	"rung/revision"
	"rung/sources/retry"
)

// Run reverts expired changes until ctx ends.
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

// RevertExpired reverts an expired change that no other process reverts, and returns the state of the change
// on trial, or nil.
func (r *Trials) RevertExpired(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	err := r.refresh()
	r.judgeUnfinished()
	over := r.job != nil && !r.job.isPermanent() && !r.holdsLock && !r.heldElsewhere && r.timeLeft() == 0
	r.mu.Unlock()
	if over {
		r.runStep(ctx, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.job == nil {
		r.reportProblem(err)
	}
	r.publishState()
	return r.state
}

// RevertAtExit reverts the change on trial at once if this process is the one to revert it, since the process
// ends.
func (r *Trials) RevertAtExit(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	for r.isMaking && ctx.Err() == nil {
		done := r.done
		r.mu.Unlock()
		retry.Await(ctx, done)
		r.mu.Lock()
	}
	_ = r.refresh() // on an error use what is known
	mine := r.job != nil && r.holdsLock && !r.job.isPermanent() && !r.isMaking
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
		r.releaseLock() // the file stays for the next process
	}
	return r.state
}

// Longest pauses between two looks, and between two attempts to revert.
const (
	revertLook  = time.Second
	revertPause = 10 * time.Second
	revertIdle  = time.Hour // without a state folder no other process begins a change, and one begun here wakes Run
)

// runStep does what is due, and returns when to call it again.
func (r *Trials) runStep(ctx context.Context, adopts bool) time.Duration {
	r.attempts.Lock()
	defer r.attempts.Unlock()
	r.mu.Lock()
	if err := r.refresh(); err != nil {
		r.reportProblem(err)
	}
	r.judgeUnfinished()
	if r.job != nil && !r.job.isPermanent() && !r.holdsLock && !r.heldElsewhere && adopts && !r.cfg.ReadOnly {
		r.adoptOrphan()
	}
	r.publishState()
	left, none := r.timeLeft(), r.job == nil
	now := r.gate.Config.Now()
	due := r.job != nil && r.holdsLock && !r.job.isPermanent() && !r.isMaking && left == 0 && !now.Before(r.retryAt) &&
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

// timeLeft returns the time left to confirm the change. A clock that went back does not extend it: the real
// time left is then unknown. The caller holds mu.
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

// publishState publishes the state of the change on trial. The caller holds mu.
func (r *Trials) publishState() {
	j := r.job
	if j == nil || r.isMaking || j.isPermanent() && j.writtenPart == "" {
		return // it is still being made
	}
	u := &revision.UnconfirmedChange{ID: j.ID, Title: j.Title, Until: j.Until, IsOver: r.timeLeft() == 0, Why: j.Why, IsOwn: r.holdsLock,
		FromEarlierRun: r.foundEarlier, File: r.work.Path}
	if j.isPermanent() {
		u.IsOver, u.FromEarlierRun, u.Partly = false, true, fmt.Sprintf("%s, at %s", j.writtenPart, j.At.Local().Format("15:04"))
	}
	if r.heldElsewhere {
		u.PID, u.Host = j.PID, j.Host
	}
	if u.IsOver && u.Why == "" && !r.holdsLock && !r.heldElsewhere && r.cfg.ReadOnly {
		u.Why = "started with --readonly"
	}
	r.publish(u)
}

func (r *Trials) reportProblem(err error) {
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
