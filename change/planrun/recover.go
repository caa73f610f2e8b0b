package planrun

import (
	"errors"
	"fmt"
	"time"

	"rung/change/history"
	"rung/revision"
	"rung/sources/files"
)

// takePlan takes the plan's lock for this process and returns the stored plan, or nil.
func (r *Plans) takePlan() (job *planJob, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isRunning {
		return nil, r.notStoppedError()
	}
	_ = r.load()
	err = r.work.TakeLock(takeTime)
	if errors.Is(err, files.ErrLocked) {
		if lerr := r.load(); lerr == nil && r.state.RunsElsewhere() {
			return nil, r.notStoppedError()
		}
		return nil, fmt.Errorf("%w: another Rung is just starting a plan", ErrPlan)
	}
	if err != nil {
		return nil, fmt.Errorf("taking the plan: %w", err)
	}
	if job, err = r.takeOverPlan(); err != nil {
		r.work.ReleaseLock()
	}
	return job, err
}

// takeOverPlan returns the stored plan, nil if no work is left. This process holds the lock, so it reads even
// what another process wrote a moment ago.
func (r *Plans) takeOverPlan() (*planJob, error) {
	r.loadError = nil
	job, state, _, err := r.work.Recover(true)
	var unreadable *history.UnreadableError
	if errors.As(err, &unreadable) {
		r.job, r.loadError = nil, err
		return nil, nil
	}
	if err != nil {
		return nil, err // it may be readable soon
	}
	switch state {
	case history.Rewritten:
		r.job = job
		if err := r.rejudgeStored(r.gate.Config.CurrentRevision()); err != nil {
			return nil, err
		}
	case history.Ended:
		if r.job != nil {
			r.clearState()
		}
	}
	if r.state.State == revision.PlanDone || r.state.State == "" {
		return nil, nil // it was completed
	}
	return r.job, nil
}

// takeTime is how long taking a plan waits for another process's look at it.
const takeTime = 200 * time.Millisecond

// endStopped ends a plan that stopped after its last step once every zone shows that step, and a plan that was
// ended although its file remains. The caller holds mu.
func (r *Plans) endStopped() error {
	if !r.work.HoldsLock() {
		err := r.work.TakeLock(0)
		if errors.Is(err, files.ErrLocked) {
			return nil // another Rung does it
		}
		if err != nil {
			return err
		}
		defer r.work.ReleaseLock()
	}
	p := r.job.Progress
	kept := !p.IsFinished() // kept unchanged; only the file remains
	if err := r.recordHistory(r.job); err != nil {
		return err
	}
	if err := r.removeStored(); err != nil {
		return err
	}
	r.unrecorded = false
	if r.state.State == "" || kept {
		r.clearState() // or it ended before this process began
	} else {
		r.job.Shown = new(p.Done)
		r.publishState(revision.PlanDone, "", nil)
	}
	return nil
}

// rejudgeStored publishes the state of a stored plan that nobody runs. The caller holds mu.
func (r *Plans) rejudgeStored(now *revision.Revision) error {
	r.located = now
	if _, ended := r.gate.Config.History.EntryOfID(r.job.ID); ended {
		return r.endStopped() // ended; only the file remains
	}
	if r.job.Runner != nil || r.job.Why == "" {
		r.job.Why, r.job.Runner, r.job.Waits = interrupted, nil, nil // its process was killed
	}
	if err := r.locateProgress(now); err != nil {
		r.publishState(revision.PlanStopped, stuckText(err), r.zonesNotShowing(now))
		return nil
	}
	waits := r.zonesNotShowing(now)
	if p := r.job.Progress; p.IsFinished() && *r.job.Shown == p.Done {
		return r.endStopped()
	}
	r.publishState(revision.PlanStopped, r.job.Why, waits)
	return nil
}

// load is Load for callers that hold mu.
func (r *Plans) load() error {
	if r.isRunning || r.work.HoldsLock() {
		return nil // it is being judged here
	}
	job, state, elsewhere, err := r.work.Recover(r.state.RunsElsewhere())
	switch {
	case err != nil:
		return err
	case state == history.NoRecord || state == history.Ended:
		if state == history.Ended && r.job != nil && !r.finishedElsewhere() {
			r.clearState()
		}
		return nil
	case state == history.Rewritten:
		r.job = job
	}
	now := r.gate.Config.CurrentRevision()
	if state == history.Same && (elsewhere || r.located == now && !r.unrecorded) {
		return nil
	}
	if elsewhere && r.job.Runner != nil {
		r.reportOther()
		return nil
	}
	return r.rejudgeStored(now) // its holder is just starting or ending
}
