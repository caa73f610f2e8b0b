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
)

// Trials puts a change back that was made on trial and that nobody confirmed in time.
//
// One change of a context is on trial at a time, whatever number of processes share the
// state folder. How to put it back is on the disk before it is made, and stays there until
// it was confirmed or put back: whoever starts next does it. The process that made it, or
// a console that found it, holds the lock of its file, which ends with the process, and
// puts it back; the others only look. It is confirmed by taking its file away, under
// another lock, for which an attempt to put it back marks the file first: one of the two
// wins. A policy that others changed meanwhile is left alone.
type Trials struct {
	gate *gate.Gate
	cfg  Config
	work *history.Work[revertJob] // the pending revert that is stored

	attempts sync.Mutex // held while one is put back

	mu        sync.Mutex
	job       *revertJob // nil: nothing is on trial
	holdsLock bool       // this process has the lock and puts it back
	// isMaking says that this process is just making the change, isLeaving that it ends.
	isMaking, isLeaving bool
	done                chan struct{} // closed when it was made, or could not be
	// foundEarlier says that an earlier process made it, resumed that it began to put it back.
	foundEarlier, resumed bool
	heldElsewhere         bool // by another process
	dueAt                 time.Time
	retryAt               time.Time // when it is tried next, after it could not be put back
	failures              int
	state                 *revision.UnconfirmedChange // as it was published last
	wake                  chan struct{}
}

// Config says what the reverts of a gate work with.
type Config struct {
	Publish func(*revision.UnconfirmedChange)
	// Dir is the state folder, empty where changes end with the process; Context is what
	// the pending revert is kept under.
	Dir, Context string
	Disk         files.FS
	// Adopts takes over what an earlier process left, and counts it down. Else it is only
	// put back by SettleOverdue, once its time is over.
	Adopts bool
	// ReadOnly puts nothing back.
	ReadOnly bool
}

// New lets changes of a gate be made on trial.
func New(g *gate.Gate, c Config) *Trials {
	r := &Trials{gate: g, cfg: c, work: c.trialStore(c.Dir), wake: make(chan struct{}, 1)}
	g.UseTrials(r)
	return r
}

// BeginTrial writes down how a change is put back that is about to be made on trial, or that is
// of several objects, and returns its id; it is empty for every other one.
func (r *Trials) BeginTrial(p *gate.Preview, c gate.Confirm, step bool) (id string, err error) {
	// A change of several objects that lasts needs a way back that a kill does not take; a step of
	// a plan has one.
	switch lasts := r.work.Path != "" && !step && len(p.Objects) > 1; {
	case c.TrialTime <= 0 && !lasts:
		return "", nil
	case c.TrialTime <= 0:
		return r.beginForGood(p, c)
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
		return "", fmt.Errorf("writing down how to put it back: %w", err)
	}
	return r.storeJob(p, c)
}

// storeJob stores how a change is put back that is about to be made. The caller holds mu, and
// the lock.
func (r *Trials) storeJob(p *gate.Preview, c gate.Confirm) (id string, err error) {
	now := r.gate.Config.Now()
	host, _ := os.Hostname()
	job := &revertJob{ID: rand.Text(), Title: p.Title, By: c.By, PID: os.Getpid(), Host: words.CleanText(host),
		At: now, Until: now.Add(c.TrialTime), Within: c.TrialTime, Undoes: p.Undoes, Objects: history.ObjectsOf(p.Objects)}
	if err := r.work.SaveRecord(job); err != nil {
		r.releaseLock()
		return "", fmt.Errorf("writing down how to put it back: %w", err)
	}
	r.job, r.holdsLock, r.heldElsewhere, r.isMaking, r.done = job, true, false, true, make(chan struct{})
	r.dueAt, r.retryAt, r.failures = now.Add(c.TrialTime), time.Time{}, 0
	return job.ID, nil
}

// ChangeMade counts down from now on: the change of that id was made.
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
	if r.job.isFinal() {
		_ = r.work.RemoveRecord() // one that stays is found to be wholly made
		r.dropJob()
		return nil
	}
	now := r.gate.Config.Now()
	r.dueAt = now.Add(r.job.Within)
	r.job.Made, r.job.Entry, r.job.Files, r.job.Until = true, entry, files, r.dueAt
	// Save may fail: the record stored before says the same, less exactly.
	_ = r.work.SaveRecord(r.job)
	r.publishState()
	r.wakeRun()
	return r.state
}

// ChangeFailed has a change looked at whose making failed: what of it was made all the same is
// put back at once.
func (r *Trials) ChangeFailed(id string) {
	if id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endMaking()
	if r.job != nil && r.job.ID == id && r.job.isFinal() {
		// The part that was made is looked at once the sources show it.
		r.dropJob()
		r.retryAt = r.gate.Config.Now().Add(revertPause)
		return
	}
	if r.job != nil && r.job.ID == id {
		r.dueAt = r.gate.Config.Now()
		r.wakeRun()
	}
}

// endMaking says that the change is not being made any more. The caller holds mu.
func (r *Trials) endMaking() {
	if r.isMaking {
		r.isMaking = false
		close(r.done)
	}
}

// ChangeUndone ends the trial of a change that was just undone.
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

// ReasonToWait says why another change has to wait, empty where it has not. The one on trial
// can be undone.
func (r *Trials) ReasonToWait(p *gate.Preview) string {
	if p.Mutation.Op == change.OpRevert || p.Mutation.Op == change.OpFinish {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.refresh() // what is known still counts
	if r.job == nil || p.Mutation.Op == change.OpUndo && p.Undoes != 0 && p.Undoes == r.job.Entry {
		return ""
	}
	if r.job.isFinal() {
		if r.isMaking || r.heldElsewhere { // it is being made
			return ""
		}
		r.job.partly = r.restText()
		if r.job.partly == "" {
			return ""
		}
	}
	return r.job.onTrialText()
}

// onTrialText says that a change is on trial.
func (j *revertJob) onTrialText() string {
	if j.isFinal() {
		return fmt.Sprintf("of %q only %s: finish it (rung confirm, in the console Y) or undo it first", j.Title, j.partly)
	}
	return fmt.Sprintf("%q is not confirmed yet: confirm it (rung confirm, in the console Y) or undo it first", j.Title)
}

// ErrUnread says that a change cannot be finished before the objects are known.
var ErrUnread = errors.New("the objects are not read yet")

// ConfirmTrial makes the change on trial one for good, or the rest of one that was killed. by is
// who says so.
func (r *Trials) ConfirmTrial(by string) (title string, err error) {
	r.mu.Lock()
	if err := r.refresh(); err == nil && r.job != nil && r.job.isFinal() && !r.heldElsewhere && !r.isMaking {
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
		return "", change.Blocked("too late: the time of %q is over", j.Title)
	}
	if err := r.work.RemoveRecord(); err != nil {
		return "", fmt.Errorf("confirming %q: %w", j.Title, err)
	}
	r.publishEnd(revision.TrialConfirmed, true)
	r.gate.AuditNote(by, "confirm", "Confirm: "+j.Title)
	return j.Title, nil
}

// wakeRun has Run look at once.
func (r *Trials) wakeRun() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// publishEnd publishes what became of the change on trial. The caller holds mu.
func (r *Trials) publishEnd(what string, kept bool) {
	j := r.job
	if r.holdsLock {
		r.releaseLock()
	}
	r.publish(&revision.UnconfirmedChange{ID: j.ID, Title: j.Title, Until: j.Until, FromEarlierRun: r.foundEarlier, Ended: what, Kept: kept})
	r.job, r.heldElsewhere, r.dueAt, r.foundEarlier = nil, false, time.Time{}, false
}
