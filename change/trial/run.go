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
		wait := r.step(ctx, r.cfg.Adopts)
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-t.C:
		}
		t.Stop()
	}
}

// Settle puts back what nobody confirmed in time and no other process puts back, and says
// how the change on trial stands then; nil for none.
func (r *Trials) Settle(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	err := r.look()
	r.judge()
	over := r.job != nil && !r.job.forGood() && !r.mine && !r.held && r.left() == 0
	r.mu.Unlock()
	if over {
		r.step(ctx, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.job == nil {
		r.tellProblem(err)
	}
	r.tell()
	return r.state
}

// Leave puts the change on trial back at once, if this process is the one that would: it
// ends, and nobody would count down.
func (r *Trials) Leave(ctx context.Context) *revision.UnconfirmedChange {
	r.mu.Lock()
	for r.making && ctx.Err() == nil {
		done := r.done
		r.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
		}
		r.mu.Lock()
	}
	_ = r.look() // what is known still counts
	mine := r.job != nil && r.mine && !r.job.forGood() && !r.making
	if mine {
		r.due, r.again, r.leaving = r.gate.Config.Now(), time.Time{}, true
	}
	r.mu.Unlock()
	if mine {
		r.step(ctx, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mine && !r.making {
		r.free() // the file stays for whoever starts next
	}
	return r.state
}

// The longest pauses: between two looks, and between two attempts to put a change back.
const (
	revertLook  = time.Second
	revertPause = 10 * time.Second
	revertIdle  = time.Hour // where nobody else can begin one: it is told then
)

// step does what is to be done now, and says when to come again.
func (r *Trials) step(ctx context.Context, adopts bool) time.Duration {
	r.attempts.Lock()
	defer r.attempts.Unlock()
	r.mu.Lock()
	if err := r.look(); err != nil {
		r.tellProblem(err)
	}
	r.judge()
	if r.job != nil && !r.job.forGood() && !r.mine && !r.held && adopts && !r.cfg.ReadOnly {
		r.adopt()
	}
	r.tell()
	left, none := r.left(), r.job == nil
	now := r.gate.Config.Now()
	due := r.job != nil && r.mine && !r.job.forGood() && !r.making && left == 0 && !now.Before(r.again) && r.gate.Config.Current().Loaded
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

// left is how long there is to confirm the change. A clock that went back does not make
// it longer: by then nobody knows how long it was. The caller holds mu.
func (r *Trials) left() time.Duration {
	if r.job == nil {
		return 0
	}
	now := r.gate.Config.Now()
	left := r.job.Until.Round(0).Sub(now.Round(0))
	if !r.due.IsZero() {
		left = min(left, r.due.Sub(now))
	}
	if left < 0 || left > r.job.Within {
		return 0
	}
	return left
}

// tell publishes how the change on trial stands. The caller holds mu.
func (r *Trials) tell() {
	j := r.job
	if j == nil || r.making || j.forGood() && j.partly == "" {
		return // it is only being made
	}
	u := &revision.UnconfirmedChange{ID: j.ID, Title: j.Title, Until: j.Until, Over: r.left() == 0, Why: j.Why, Here: r.mine,
		Found: r.found, File: r.work.Path}
	if j.forGood() {
		u.Over, u.Found, u.Partly = false, true, fmt.Sprintf("%s, at %s", j.partly, j.At.Local().Format("15:04"))
	}
	if r.held {
		u.PID, u.Host = j.PID, j.Host
	}
	if u.Over && u.Why == "" && !r.mine && !r.held && r.cfg.ReadOnly {
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
