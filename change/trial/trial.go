package trial

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
	"rung/sources/retry"
)

// Trials reverts changes on trial that were not confirmed in time.
//
// One change of a context is on trial at a time, even if several processes share the state folder. How to
// revert it is on disk before it is made, and stays there until it was confirmed or reverted: the next process
// that starts does it. The process that made it, or a console that found it, holds the lock of its file, which
// ends with the process, and reverts it; others only look. Confirming it removes its file, under a second
// lock. An attempt to revert first marks the file under that lock, so one of the two wins. Policies that
// others changed meanwhile are left alone.
type Trials struct {
	gate *gate.Gate
	cfg  Config
	work *history.Work[revertJob] // the stored change

	attempts sync.Mutex // held during an attempt to revert

	mu        sync.Mutex
	job       *revertJob // nil if nothing is on trial
	holdsLock bool       // this process holds the lock and will revert it
	// isMaking: this process is making the change. isLeaving: it is about to end.
	isMaking, isLeaving bool
	done                chan struct{} // closed once it was made, or failed
	// foundEarlier: an earlier process made it. resumed: it had begun to revert it.
	foundEarlier, resumed bool
	heldElsewhere         bool // by another process
	dueAt                 time.Time
	retryAt               time.Time // time of the next attempt after a failed one
	failures              int
	state                 *revision.UnconfirmedChange // last published state
	wake                  chan struct{}
}

// Config holds the dependencies of Trials.
type Config struct {
	Publish func(*revision.UnconfirmedChange)
	// Dir is the state folder, empty if changes end with the process; Context is the name the change is kept
	// under.
	Dir, Context string
	Disk         files.FS
	// Adopts makes this process take over what an earlier process left, and count it down. Otherwise only
	// RevertExpired reverts it, once expired.
	Adopts bool
	// Revert nothing.
	ReadOnly bool
}

// New returns the trials of a gate, and registers them with it.
func New(g *gate.Gate, c Config) *Trials {
	r := &Trials{gate: g, cfg: c, work: c.trialStore(c.Dir), wake: make(chan struct{}, 1)}
	g.UseTrials(r)
	return r
}

// BeginTrial records how to revert a change about to be made on trial, or of several objects, and returns its
// id; "" for other changes.
func (r *Trials) BeginTrial(p *gate.Preview, c gate.Confirm, step bool) (id string, err error) {
	// A permanent change of several objects needs a way back that survives a kill; a step of a plan has one.
	switch lasts := r.work.Path != "" && !step && len(p.Objects) > 1; {
	case c.TrialTime <= 0 && !lasts:
		return "", nil
	case c.TrialTime <= 0:
		return r.beginPermanent(p, c)
	case step:
		return "", change.Blocked("it cannot be made on trial")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return "", err
	}
	if plan := r.gate.Config.CurrentRevision().Plan; plan.IsUnderWay() {
		return "", change.Blocked("a plan is under way, %s", plan)
	}
	if r.job != nil {
		return "", change.Blocked("%s", r.job.onTrialText())
	}
	if err := r.takeLock(lockTime); err != nil {
		return "", fmt.Errorf("recording how to revert it: %w", err)
	}
	return r.storeJob(p, c)
}

// storeJob stores how to revert a change about to be made. The caller holds mu and the lock.
func (r *Trials) storeJob(p *gate.Preview, c gate.Confirm) (id string, err error) {
	now := r.gate.Config.Now()
	host, _ := os.Hostname()
	job := &revertJob{ID: rand.Text(), Title: p.Title, By: c.By, PID: os.Getpid(), Host: words.CleanText(host),
		At: now, Until: now.Add(c.TrialTime), Within: c.TrialTime, Undoes: p.Undoes, Objects: history.NewObjects(p.Objects)}
	if err := r.work.SaveRecord(job); err != nil {
		r.releaseLock()
		return "", fmt.Errorf("recording how to revert it: %w", err)
	}
	r.job, r.holdsLock, r.heldElsewhere, r.isMaking, r.done = job, true, false, true, make(chan struct{})
	r.dueAt, r.retryAt, r.failures = now.Add(c.TrialTime), time.Time{}, 0
	return job.ID, nil
}

// ChangeMade notes that the change of an id was made, and starts its countdown. A permanent change has none:
// its record is removed.
func (r *Trials) ChangeMade(id string, entry uint64, files []change.FileChange) *revision.UnconfirmedChange {
	if id == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endMaking()
	if r.job == nil || r.job.ID != id {
		return nil
	}
	if r.job.isPermanent() {
		_ = r.work.RemoveRecord() // a file that remains is found to be complete
		r.dropJob()
		return nil
	}
	now := r.gate.Config.Now()
	r.dueAt = now.Add(r.job.Within)
	r.job.Made, r.job.Entry, r.job.Files, r.job.Until = true, entry, files, r.dueAt
	// If saving fails, the record stored before says the same less exactly.
	_ = r.work.SaveRecord(r.job)
	r.publishState()
	retry.Wake(r.wake)
	return r.state
}

// ChangeFailed handles a change that was not completed. It reverts the part made of a change on trial at once.
// The part made of a permanent change is judged once the sources show it.
func (r *Trials) ChangeFailed(id string) {
	if id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endMaking()
	if r.job != nil && r.job.ID == id && r.job.isPermanent() {
		// The part made is examined once the sources show it.
		r.dropJob()
		r.retryAt = r.gate.Config.Now().Add(revertPause)
		return
	}
	if r.job != nil && r.job.ID == id {
		r.dueAt = r.gate.Config.Now()
		retry.Wake(r.wake)
	}
}

// endMaking records that the change is no longer being made, and wakes the callers that wait for it. The
// caller holds mu.
func (r *Trials) endMaking() {
	if r.isMaking {
		r.isMaking = false
		close(r.done)
	}
}

// ChangeUndone ends the trial of a change just undone.
func (r *Trials) ChangeUndone(p *gate.Preview) {
	if p.Undoes == 0 || p.Mutation.Op == change.OpRevert || p.Mutation.Op == change.OpFinish {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.job == nil || r.job.Entry != p.Undoes {
		return
	}
	if err := r.work.RemoveRecord(); err == nil {
		r.publishEnd("undone", false)
	}
}

// ReasonToWait returns why another change has to wait, or "". Undoing the one on trial is allowed.
func (r *Trials) ReasonToWait(p *gate.Preview) string {
	if p.Mutation.Op == change.OpRevert || p.Mutation.Op == change.OpFinish {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.refresh() // on an error use what is known
	if r.job == nil || p.Mutation.Op == change.OpUndo && p.Undoes != 0 && p.Undoes == r.job.Entry {
		return ""
	}
	if r.job.isPermanent() {
		if r.isMaking || r.heldElsewhere { // it is being made
			return ""
		}
		r.job.writtenPart = r.partlyWrittenText()
		if r.job.writtenPart == "" {
			return ""
		}
	}
	return r.job.onTrialText()
}

// onTrialText tells that a change is on trial, and what to do.
func (j *revertJob) onTrialText() string {
	if j.isPermanent() {
		return fmt.Sprintf("%q is incomplete, %s: finish it (rung confirm, in the console Y) or undo it first", j.Title, j.writtenPart)
	}
	return fmt.Sprintf("%q is not confirmed yet: confirm it (rung confirm, in the console Y) or undo it first", j.Title)
}

// ErrUnread says that a change cannot be finished before the objects are read.
var ErrUnread = errors.New("the objects are not read yet")

// ConfirmTrial makes the change on trial permanent, or completes a killed one. by is the author of the
// confirmation.
func (r *Trials) ConfirmTrial(by string) (title string, err error) {
	r.mu.Lock()
	if err := r.refresh(); err == nil && r.job != nil && r.job.isPermanent() && !r.heldElsewhere && !r.isMaking {
		r.mu.Unlock()
		if !r.gate.Config.CurrentRevision().Loaded {
			return "", ErrUnread
		}
		return r.finishRest(context.Background(), by)
	}
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return "", err
	}
	if r.job == nil {
		return "", change.Blocked("no change waits to be confirmed")
	}
	unlock, err := r.work.Lock(editLock)
	if err != nil {
		return "", fmt.Errorf("confirming %q: %w", r.job.Title, err)
	}
	defer unlock()
	if err := r.refresh(); err != nil {
		return "", err
	}
	j := r.job
	alive := r.holdsLock || r.heldElsewhere
	switch {
	case j == nil:
		return "", change.Blocked("it was confirmed or reverted a moment ago")
	case r.isMaking || !j.Made && r.heldElsewhere:
		return "", change.Blocked("%q is just being made", j.Title)
	case j.Trying && alive:
		return "", change.Blocked("too late: %q is just being reverted", j.Title)
	case r.timeLeft() == 0 && j.Why == "":
		return "", change.Blocked("too late: the time to confirm %q is over", j.Title)
	}
	if err := r.work.RemoveRecord(); err != nil {
		return "", fmt.Errorf("confirming %q: %w", j.Title, err)
	}
	r.publishEnd(revision.TrialConfirmed, true)
	r.gate.AuditNote(by, "confirm", "Confirm: "+j.Title)
	return j.Title, nil
}

// publishEnd publishes the outcome of the change on trial. The caller holds mu.
func (r *Trials) publishEnd(what string, kept bool) {
	j := r.job
	if r.holdsLock {
		r.releaseLock()
	}
	r.publish(&revision.UnconfirmedChange{ID: j.ID, Title: j.Title, Until: j.Until, FromEarlierRun: r.foundEarlier, Ended: what, Kept: kept})
	r.job, r.heldElsewhere, r.dueAt, r.foundEarlier = nil, false, time.Time{}, false
}
