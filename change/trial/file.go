package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
)

// revertJob is a change on trial, as stored.
type revertJob struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	By    string `json:"by,omitempty"`
	PID   int    `json:"pid"`
	Host  string `json:"host,omitempty"`
	// At is when it began. It is reverted at Until, Within after it was made. If Within is 0 it was permanent,
	// and partly says how much of it was written.
	At     time.Time     `json:"at"`
	Until  time.Time     `json:"until"`
	Within time.Duration `json:"within"`
	// Objects, and Files once it is made, are needed for the revert. Undoes is the history entry that the
	// change took back, Entry its own.
	Objects []history.Object    `json:"objects"`
	Files   []change.FileChange `json:"files,omitempty"`
	Undoes  uint64              `json:"undoes,omitempty"`
	Entry   uint64              `json:"entry,omitempty"`
	// Made is set once it is made and in the history; otherwise the outcome is unknown. Trying is set during a
	// revert; Why is the error of the last attempt.
	Made        bool   `json:"made,omitempty"`
	Trying      bool   `json:"trying,omitempty"`
	Why         string `json:"why,omitempty"`
	writtenPart string
}

// maxRevert limits a stored change, in bytes: texts before and after, and file changes.
const maxRevert = 64 << 20

// trialStore returns the store of a context's change on trial.
func (c *Config) trialStore(dir string) *history.Work[revertJob] {
	return history.OpenWork(c.Disk, dir, history.Trial, c.Context, "the change that waits to be confirmed", maxRevert, decodeRevert)
}

// decodeRevert decodes a stored change on trial. It does not trust the file.
func decodeRevert(raw []byte) (*revertJob, error) {
	j := &revertJob{}
	if err := json.Unmarshal(raw, j); err != nil {
		return nil, err
	}
	if j.ID == "" || len(j.Objects) == 0 || j.Within < 0 {
		return nil, errors.New("it holds nothing to revert")
	}
	if j.Entry >= history.MaxNumber || j.Undoes >= history.MaxNumber {
		return nil, errors.New("history number too large")
	}
	for _, o := range j.Objects {
		if !change.IsChangeable(o.Key.Kind) || o.Key.Name == "" {
			return nil, errors.New("it names an object that is not a policy")
		}
	}
	j.Title, j.By, j.Host, j.Why = words.CleanText(j.Title), words.CleanText(j.By), words.CleanText(j.Host), words.CleanText(j.Why)
	return j, nil
}

// TrialInFolder returns the change on trial of this context stored in another folder than this process's own,
// or nil. It changes nothing.
func (r *Trials) TrialInFolder(dir string) *revision.UnconfirmedChange {
	o := &Trials{gate: r.gate, work: r.cfg.trialStore(dir)}
	job, _, elsewhere, err := o.work.Recover(false)
	if err != nil || job == nil {
		return nil // usually there is none; a process that may write puts unreadable files aside
	}
	o.job, o.heldElsewhere = job, elsewhere
	if job.isPermanent() && !o.heldElsewhere {
		job.writtenPart = o.partlyWrittenText()
	}
	o.publishState()
	if o.state == nil {
		return nil
	}
	u := *o.state
	if u.IsOver && u.Why == "" && !o.heldElsewhere {
		u.Why = "this run does not write the files (--write-back)"
	}
	return &u
}

// refresh reads the stored file again if other processes changed it, and notices its removal. The caller holds
// mu.
func (r *Trials) refresh() error {
	job, state, elsewhere, err := r.work.Recover(r.heldElsewhere)
	var unreadable *history.UnreadableError
	switch {
	case errors.As(err, &unreadable):
		return r.renameUnreadable(unreadable.Err)
	case err != nil:
		return err
	case state == history.Ended && r.job != nil:
		r.reportGone()
	case state == history.Rewritten && (r.job == nil || !r.holdsLock): // its holder is the only one that writes it
		r.job = job
	}
	r.heldElsewhere = r.job != nil && elsewhere
	return nil
}

// renameUnreadable renames an unreadable file and reports that once, so that it does not block every change.
func (r *Trials) renameUnreadable(why error) error {
	r.job = nil
	place, err := r.work.RenameUnreadable(false)
	if err != nil {
		return fmt.Errorf("the change that waits to be confirmed cannot be read (%w), nor its file %s be put aside: %w", why, r.work.Path, err)
	}
	return fmt.Errorf("the record of an unconfirmed change cannot be read: check the policies yourself; the file is now %s: %w",
		place, why)
}

// reportGone publishes the outcome of a change whose file was removed. The caller holds mu.
func (r *Trials) reportGone() {
	e, ok := r.gate.Config.History.EntryOfID(r.job.ID)
	switch {
	case r.job.isPermanent() && r.job.writtenPart == "":
		r.dropJob() // it was being made
	case r.job.isPermanent() && !(ok && e.Undone):
		r.publishEnd(revision.ChangeFinished+" by another Rung", true)
	case ok && e.Undone:
		r.publishEnd("undone or reverted by another Rung", false)
	default:
		r.publishEnd(revision.TrialConfirmedElsewhere, true)
	}
}

// editLock is the lock that separates confirming from reverting.
const editLock = ".edit"

// lockTime is how long to wait for another process's look at a change on trial.
const lockTime = 200 * time.Millisecond

// takeLock takes the lock of the process that will revert the change. It waits for a process that only looks.
// The caller holds mu.
func (r *Trials) takeLock(patience time.Duration) error {
	err := r.work.TakeLock(patience)
	if errors.Is(err, files.ErrLocked) {
		return change.Blocked("%w", errTaken)
	}
	return err
}

// errTaken says that another process is just beginning or ending a trial.
var errTaken = errors.New("another Rung is just making a change on trial")

// releaseLock releases the lock. The caller holds mu.
func (r *Trials) releaseLock() {
	r.holdsLock = false
	r.work.ReleaseLock()
}

// adoptOrphan takes over what an earlier process left. The caller holds mu.
func (r *Trials) adoptOrphan() {
	if r.takeLock(lockTime) != nil {
		return // another process was faster
	}
	if err := r.refresh(); err != nil || r.job == nil {
		r.releaseLock()
		return
	}
	r.holdsLock, r.retryAt, r.failures, r.foundEarlier = true, time.Time{}, 0, true
	r.dueAt = time.Time{}
	r.dueAt = r.gate.Config.Now().Add(r.timeLeft())
}
