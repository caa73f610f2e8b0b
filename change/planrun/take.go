package planrun

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"rung/revision"
	"rung/sources/safefile"
)

// One process runs the plan of a context at a time: the one that has the lock of its
// file. Others only look whether somebody has it, for a moment.

// lock takes the plan for this process; ErrLocked says that another has it. A file system
// without locks keeps nobody out, which the previews of plans say. The caller holds mu.
func (r *Plans) lock() (release func(), err error) {
	if r.holding.Load() {
		return nil, fmt.Errorf("taking the plan: %w", safefile.ErrLocked)
	}
	f, err := safefile.Open(safefile.Or(r.cfg.Disk), r.path+".lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = f.TryLock()
	r.lockless = errors.Is(err, errors.ErrUnsupported)
	if err != nil && !r.lockless {
		_ = f.Close()
		return nil, fmt.Errorf("locking %s.lock: %w", r.path, err)
	}
	return func() { _ = f.Close() }, nil
}

// hold is lock for longer than a look, until release. The caller holds mu.
func (r *Plans) hold() (release func(), err error) {
	unlock, err := r.lock()
	if err != nil {
		return nil, err
	}
	r.holding.Store(true)
	return func() {
		unlock()
		r.holding.Store(false)
	}, nil
}

// held says whether another process runs the plan: it has the lock, and for longer than a
// look takes. The caller holds mu.
func (r *Plans) held() (bool, error) {
	for end := time.Now().Add(cmp.Or(r.looks, lookTime)); ; time.Sleep(lookTime / 10) {
		release, err := r.lock()
		switch {
		case err == nil:
			release()
			return false, nil
		case !errors.Is(err, safefile.ErrLocked):
			return false, err
		case r.state.Elsewhere() || time.Now().After(end):
			return true, nil
		}
	}
}

// How long somebody else's look at a plan may take, and how long it is waited for by
// whoever wants to have the plan.
const (
	lookTime = 20 * time.Millisecond
	takeTime = 200 * time.Millisecond
)

// take takes the plan for this process, and says which one is stored then, nil for none.
func (r *Plans) take() (release func(), job *planJob, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return nil, nil, r.notStopped()
	}
	_ = r.look()
	if r.path == "" {
		if r.state.State != revision.PlanDone {
			job = r.job
		}
		return func() {}, job, nil
	}
	for end := time.Now().Add(takeTime); ; time.Sleep(takeTime / 50) {
		release, err = r.hold()
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

// takeOver reads the plan that is stored while this process has it.
func (r *Plans) takeOver() (*planJob, error) {
	r.bad = nil
	info, err := safefile.Or(r.cfg.Disk).Lstat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.job != nil && r.seen != nil {
			r.clear()
		}
		r.seen = nil
		if r.state.State == revision.PlanDone {
			return nil, nil
		}
		return r.job, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the stored plan: %w", err)
	}
	// What is in the file counts, whatever was read of it before.
	job, err := r.read()
	switch {
	case errors.Is(err, errNoPlan):
		r.job, r.seen, r.bad = nil, info, err
		return nil, nil
	case err != nil:
		return nil, err // it may be readable in a moment
	}
	r.job, r.seen = job, info
	if err := r.lookAgain(r.gate.Config.Current()); err != nil {
		return nil, err
	}
	if r.state.State == revision.PlanDone || r.state.State == "" {
		return nil, nil // it was at its end
	}
	return r.job, nil
}
