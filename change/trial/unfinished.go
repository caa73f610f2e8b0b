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

// A permanent change of several objects is recorded like one on trial until all of it was made. A killed
// process may leave it half made. That part is not reverted, since its author wanted the change; the console
// shows it, to be finished or undone.

// sweeper is a Writer that may leave temporary files behind when killed.
type sweeper interface{ SweepLeftovers(before time.Time) }

// isPermanent reports whether the change is permanent, and never reverted by time.
func (j *revertJob) isPermanent() bool { return j.Within == 0 }

// beginPermanent records a permanent change of several objects. If a change is on trial, p ends the trial. If
// another process is making a change, it waits.
func (r *Trials) beginPermanent(p *gate.Preview, c gate.Confirm) (id string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return "", err
	}
	if r.job != nil && !(r.job.isPermanent() && r.heldElsewhere) {
		if !r.job.isPermanent() || r.holdsLock || r.partlyWrittenText() != "" {
			return "", nil
		}
	}
	if err := r.takeLock(restTime); err != nil {
		return "", fmt.Errorf("recording how to revert it: %w", err)
	}
	if err := r.refresh(); err != nil {
		r.releaseLock()
		return "", err
	}
	if r.job != nil && r.partlyWrittenText() != "" {
		r.releaseLock()
		return "", change.Blocked("%s", r.job.onTrialText())
	}
	return r.storeJob(p, c)
}

// restTime is how long a change of several objects waits for another process's change.
const restTime = 5 * time.Second

// partlyWrittenText returns how much of a permanent change was written, as "2 of 11 written"; empty if nothing or all
// was. The caller holds mu.
func (r *Trials) partlyWrittenText() string {
	written, missing := r.countObjects()
	if r.job == nil || written == 0 || missing == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s written", words.Thousands(written), words.Thousands(len(r.job.Objects)))
}

// countObjects returns how many objects are as the change leaves them, and how many are still as before it.
// The caller holds mu.
func (r *Trials) countObjects() (written, missing int) {
	if r.job == nil {
		return 0, 0
	}
	return r.gate.CountWritten(r.job.Objects)
}

// judgeUnfinished judges what a killed process left of a permanent change. An unfinished change is shown and needs
// an answer. The caller holds mu.
func (r *Trials) judgeUnfinished() {
	j := r.job
	if j == nil || !j.isPermanent() || r.holdsLock || r.heldElsewhere || r.gate.Config.Now().Before(r.retryAt) ||
		!r.gate.Config.CurrentRevision().Loaded {
		return
	}
	j.writtenPart = r.partlyWrittenText()
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
		r.gate.PublishUndoTitles()
	}
	switch j.writtenPart = r.partlyWrittenText(); {
	case j.writtenPart != "" || r.work.RemoveRecord() != nil:
	case written > 0:
		r.publishEnd("interrupted, but all of it was written", true)
	default:
		r.dropJob() // nothing to report
	}
}

// dropJob removes a permanent change from memory silently. The caller holds mu.
func (r *Trials) dropJob() {
	if r.holdsLock {
		r.releaseLock()
	}
	r.job, r.heldElsewhere, r.dueAt = nil, false, time.Time{}
}

// finishRest completes a killed change.
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
		return title, errors.Join(err, fmt.Errorf("finished, but its record cannot be removed: %w", ferr))
	}
	what := revision.ChangeFinished
	if len(p.LeftAlone) > 0 {
		what += " but for " + changedByOthersText(p)
	}
	r.publishEnd(what, true)
	return title, err
}
