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

// revertJob is a change on trial, as it is stored.
type revertJob struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	By    string `json:"by,omitempty"`
	PID   int    `json:"pid"`
	Host  string `json:"host,omitempty"`
	// At is when it was begun. It is put back at Until, Within after it was made; with a
	// Within of 0 it was made for good, and partly says how much of it stands.
	At     time.Time     `json:"at"`
	Until  time.Time     `json:"until"`
	Within time.Duration `json:"within"`
	// Objects, and Files once it is made, are the data that an undo needs. Undoes is the
	// entry of the history that the change took back, Entry its own.
	Objects []history.Object    `json:"objects"`
	Files   []change.FileChange `json:"files,omitempty"`
	Undoes  uint64              `json:"undoes,omitempty"`
	Entry   uint64              `json:"entry,omitempty"`
	// Made says that it was made and is in the history. False: the outcome is unknown. Trying
	// says that it is being put back, Why why that was not possible the last time.
	Made   bool   `json:"made,omitempty"`
	Trying bool   `json:"trying,omitempty"`
	Why    string `json:"why,omitempty"`
	partly string
}

// maxRevert bounds what is read of a stored one, in bytes: texts before and after, and
// what was done to files.
const maxRevert = 64 << 20

// trialStore is where the change on trial of a context is stored.
func (c *Config) trialStore(dir string) *history.Work[revertJob] {
	return history.OpenWork(c.Disk, dir, history.Trial, c.Context, "the change that waits to be confirmed", maxRevert, decodeRevert)
}

// decodeRevert decodes a stored change on trial. It trusts nothing in the file.
func decodeRevert(raw []byte) (*revertJob, error) {
	j := &revertJob{}
	if err := json.Unmarshal(raw, j); err != nil {
		return nil, err
	}
	if j.ID == "" || len(j.Objects) == 0 || j.Within < 0 {
		return nil, errors.New("it lacks what is to be reverted")
	}
	if j.Entry >= history.MaxNumber || j.Undoes >= history.MaxNumber {
		return nil, errors.New("no number of the history is as large")
	}
	for _, o := range j.Objects {
		if !change.IsChangeable(o.Key.Kind) || o.Key.Name == "" {
			return nil, errors.New("it is about something that is no policy")
		}
	}
	j.Title, j.By, j.Host, j.Why = words.CleanText(j.Title), words.CleanText(j.By), words.CleanText(j.Host), words.CleanText(j.Why)
	return j, nil
}

// TrialInFolder is the change on trial of this context that is stored in another folder than the
// one this process keeps its own in, nil for none. Nothing is done about it.
func (r *Trials) TrialInFolder(dir string) *revision.UnconfirmedChange {
	o := &Trials{gate: r.gate, work: r.cfg.trialStore(dir)}
	job, _, elsewhere, err := o.work.Recover(false)
	if err != nil || job == nil {
		return nil // most often there is none; whoever may write puts aside what cannot be read
	}
	o.job, o.heldElsewhere = job, elsewhere
	if job.isFinal() && !o.heldElsewhere {
		job.partly = o.restText()
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

// refresh takes in what other processes did: it reads the stored file again when it changed, and
// takes notice when it is gone. The caller holds mu.
func (r *Trials) refresh() error {
	job, state, elsewhere, err := r.work.Recover(r.heldElsewhere)
	var unreadable *history.UnreadableError
	switch {
	case errors.As(err, &unreadable):
		return r.putAside(unreadable.Err)
	case err != nil:
		return err
	case state == history.Ended && r.job != nil:
		r.reportGone()
	case state == history.Anew && (r.job == nil || !r.holdsLock): // who has it is the only one that writes it
		r.job = job
	}
	r.heldElsewhere = r.job != nil && elsewhere
	return nil
}

// putAside gives a file that nobody can read another name, and says so once: it must not
// keep every change from being made.
func (r *Trials) putAside(why error) error {
	r.job = nil
	place, err := r.work.SetAside(false)
	if err != nil {
		return fmt.Errorf("the change that waits to be confirmed cannot be read (%w), nor its file %s be put aside: %w", why, r.work.Path, err)
	}
	return fmt.Errorf("a change waited to be confirmed, and its file cannot be read: look at the policies yourself; the file is now %s: %w",
		place, why)
}

// reportGone says what became of a change whose file is not there any more. The caller holds mu.
func (r *Trials) reportGone() {
	e, ok := r.gate.Config.History.EntryOfID(r.job.ID)
	switch {
	case r.job.isFinal() && r.job.partly == "":
		r.dropJob() // it was being made
	case r.job.isFinal() && !(ok && e.Undone):
		r.publishEnd(revision.ChangeFinished+" by another Rung", true)
	case ok && e.Undone:
		r.publishEnd("undone or reverted by another Rung", false)
	default:
		r.publishEnd(revision.TrialConfirmedElsewhere, true)
	}
}

// editLock is the file that keeps whoever confirms and whoever puts back apart.
const editLock = ".edit"

// lockTime is how long somebody else's look at a change on trial is waited for.
const lockTime = 200 * time.Millisecond

// takeLock takes the lock that says who puts the change back; somebody else's look lasts a
// moment. The caller holds mu.
func (r *Trials) takeLock(patience time.Duration) error {
	err := r.work.TakeLock(patience)
	if errors.Is(err, files.ErrLocked) {
		return change.Blocked("%w", errTaken)
	}
	return err
}

// errTaken says that another process just begins a trial, or ends one.
var errTaken = errors.New("another Rung is just making a change on trial")

// releaseLock gives the lock back. The caller holds mu.
func (r *Trials) releaseLock() {
	r.holdsLock = false
	r.work.ReleaseLock()
}

// adoptLeft takes over what an earlier process left. The caller holds mu.
func (r *Trials) adoptLeft() {
	if r.takeLock(lockTime) != nil {
		return // another one was faster
	}
	if err := r.refresh(); err != nil || r.job == nil {
		r.releaseLock()
		return
	}
	r.holdsLock, r.retryAt, r.failures, r.foundEarlier = true, time.Time{}, 0, true
	r.dueAt = time.Time{}
	r.dueAt = r.gate.Config.Now().Add(r.timeLeft())
}
