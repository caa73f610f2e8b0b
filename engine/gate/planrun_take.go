package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"rung/sources/safefile"
)

// One process runs the plan of a context at a time: the one that has the lock of its
// file. Others only look whether somebody has it, for a moment.

// lock takes the plan for this process; ErrLocked says that another has it.
func (r *Plans) lock() (release func(), err error) {
	f, err := safefile.TryLocked(safefile.Or(r.cfg.Disk), r.path+".lock")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// held says whether a process runs the plan: it has the lock.
func (r *Plans) held() (bool, error) {
	release, err := r.lock()
	if errors.Is(err, safefile.ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	release()
	return false, nil
}

// take takes the plan for this process, and says which one is stored then, nil for none.
func (r *Plans) take() (release func(), job *planJob, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return nil, nil, r.notStopped()
	}
	_ = r.look()
	if r.path == "" {
		if r.state.State != PlanDone {
			job = r.job
		}
		return func() {}, job, nil
	}
	for end := time.Now().Add(takeTime); ; time.Sleep(takeTime / 50) {
		release, err = r.lock()
		if err == nil || !errors.Is(err, safefile.ErrLocked) || time.Now().After(end) {
			break
		}
	}
	if errors.Is(err, safefile.ErrLocked) {
		if lerr := r.look(); lerr == nil && r.state.Elsewhere() {
			return nil, nil, r.notStopped()
		}
		return nil, nil, fmt.Errorf("%w: another Rung is just starting a plan", ErrPlan)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("taking the plan: %w", err)
	}
	// What another wrote until a moment ago is in the file now.
	if job, err = r.takeOver(); err != nil {
		release()
		return nil, nil, err
	}
	return release, job, nil
}

// takeTime is how long somebody else's look at a plan is waited for.
const takeTime = 200 * time.Millisecond

// takeOver reads the plan that is stored while this process has it.
func (r *Plans) takeOver() (*planJob, error) {
	r.bad = nil
	info, err := safefile.Or(r.cfg.Disk).Lstat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.job != nil && r.seen != nil {
			r.clear()
		}
		r.seen = nil
		if r.state.State == PlanDone {
			return nil, nil
		}
		return r.job, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the stored plan: %w", err)
	}
	if r.job == nil || !sameFile(r.seen, info) {
		r.job, r.seen = nil, info
		if r.job, r.bad = r.read(); r.bad != nil {
			return nil, nil
		}
		if err := r.lookAgain(r.gate.cfg.Current()); err != nil {
			return nil, err
		}
	}
	return r.job, nil
}
