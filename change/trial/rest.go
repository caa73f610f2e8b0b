package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model/words"
	"rung/revision"
)

// A change of several objects that is made for good is written down as one on trial is, and
// forgotten once all of it was made. The part that a killed process made is not put back by
// itself, since its author wanted the change. The console tells of it, and it is finished
// or undone.

// sweeper is a Writer that may leave files of its own behind when it is killed.
type sweeper interface{ SweepLeftovers(before time.Time) }

// isFinal says that the change is made for good: it is not put back at any time.
func (j *revertJob) isFinal() bool { return j.Within == 0 }

// beginForGood writes down what a change of several objects does. Where one is on trial,
// this is its end; where another process just makes one, that is waited for.
func (r *Trials) beginForGood(p *gate.Preview, c gate.Confirm) (id string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return "", err
	}
	if r.job != nil && !(r.job.isFinal() && r.heldElsewhere) {
		if !r.job.isFinal() || r.holdsLock || r.restText() != "" {
			return "", nil
		}
	}
	if err := r.takeLock(restTime); err != nil {
		return "", fmt.Errorf("writing down how to put it back: %w", err)
	}
	if err := r.refresh(); err != nil {
		r.releaseLock()
		return "", err
	}
	if r.job != nil && r.restText() != "" {
		r.releaseLock()
		return "", change.Blocked("%s", r.job.onTrialText())
	}
	return r.storeJob(p, c)
}

// restTime is how long a change of several objects waits for another process to make one.
const restTime = 5 * time.Second

// restText says how much of a change that is made for good stands, as "2 of 11 written"; it is
// empty where nothing or all of it does. The caller holds mu.
func (r *Trials) restText() string {
	written, missing := r.countObjects()
	if r.job == nil || written == 0 || missing == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s written", words.Thousands(written), words.Thousands(len(r.job.Objects)))
}

// countObjects is how many objects stand as the change leaves them, and how many as they were.
// The caller holds mu.
func (r *Trials) countObjects() (written, missing int) {
	if r.job == nil {
		return 0, 0
	}
	return r.gate.CountWritten(r.job.Objects)
}

// judgeLeft looks what a killed process left of a change that it made for good: that is said
// and waits for an answer, or there is nothing to answer. The caller holds mu.
func (r *Trials) judgeLeft() {
	j := r.job
	if j == nil || !j.isFinal() || r.holdsLock || r.heldElsewhere || r.gate.Config.Now().Before(r.retryAt) ||
		!r.gate.Config.CurrentRevision().Loaded {
		return
	}
	j.partly = r.restText()
	if r.cfg.ReadOnly {
		return
	}
	if r.takeLock(lockTime) != nil {
		return // another process has it
	}
	defer r.work.ReleaseLock()
	if err := r.refresh(); err != nil || r.job == nil {
		return
	}
	j = r.job
	if w, ok := r.gate.Config.Writer.(sweeper); ok {
		w.SweepLeftovers(time.Now())
	}
	written, _ := r.countObjects()
	if written > 0 {
		if err := r.recordEntry(); err != nil {
			j.Why = err.Error()
		}
		_ = r.work.SaveRecord(j) // without its number it is found by its id
		r.gate.TellHistory()
	}
	switch j.partly = r.restText(); {
	case j.partly != "" || r.work.RemoveRecord() != nil:
	case written > 0:
		r.publishEnd("ended while it was made: all of it was written", true)
	default:
		r.dropJob() // there is nothing to say
	}
}

// dropJob forgets in memory what is made for good, without a word. The caller holds mu.
func (r *Trials) dropJob() {
	if r.holdsLock {
		r.releaseLock()
	}
	r.job, r.heldElsewhere, r.dueAt = nil, false, time.Time{}
}

// finishRest makes the rest of a change that was killed.
func (r *Trials) finishRest(ctx context.Context, by string) (title string, err error) {
	p := r.gate.PreviewRest(ctx, change.OpFinish)
	if len(p.Objects) > 0 || !p.IsNoChange() && len(p.LeftAlone) == 0 {
		_, err = r.gate.CommitRest(ctx, p, by)
	}
	if err != nil && !errors.Is(err, change.ErrNotRecorded) {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.job == nil {
		return p.Title, err
	}
	title = r.job.Title
	if ferr := r.work.RemoveRecord(); ferr != nil {
		return title, errors.Join(err, fmt.Errorf("it is finished, and its record cannot be removed: %w", ferr))
	}
	what := revision.ChangeFinished
	if len(p.LeftAlone) > 0 {
		what += " but for " + leftAloneText(p.LeftAlone)
	}
	r.publishEnd(what, true)
	return title, err
}
