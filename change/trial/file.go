package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/change/journal"
	"rung/model/clean"
	"rung/revision"
	"rung/sources/safefile"
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
	// Objects, and Files once it is made, are what an undo needs. Undoes is the entry of
	// the history that the change took back, Entry its own.
	Objects []history.Object    `json:"objects"`
	Files   []change.FileChange `json:"files,omitempty"`
	Undoes  uint64              `json:"undoes,omitempty"`
	Entry   uint64              `json:"entry,omitempty"`
	// Made says that it was made and is in the history: without it nobody knows. Trying
	// says that it is being put back, Why why that was not possible the last time.
	Made   bool   `json:"made,omitempty"`
	Trying bool   `json:"trying,omitempty"`
	Why    string `json:"why,omitempty"`
	partly string
}

// maxRevert bounds what is read of a stored one, in bytes: texts before and after, and
// what was done to files.
const maxRevert = 64 << 20

// revertPath is where the change on trial of a context is stored.
func revertPath(dir, context string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "revert", journal.FileName(context)+".json")
}

// decodeRevert is what a stored file says, of which nothing is trusted.
func decodeRevert(raw []byte) (*revertJob, error) {
	j := &revertJob{}
	if err := json.Unmarshal(raw, j); err != nil {
		return nil, err
	}
	if j.ID == "" || len(j.Objects) == 0 || j.Within < 0 {
		return nil, errors.New("it lacks what is to be put back")
	}
	if j.Entry >= journal.MaxNumber || j.Undoes >= journal.MaxNumber {
		return nil, errors.New("no number of the history is as large")
	}
	for _, o := range j.Objects {
		if !change.IsChangeable(o.Key.Kind) || o.Key.Name == "" {
			return nil, errors.New("it is about something that is no policy")
		}
	}
	j.Title, j.By, j.Host, j.Why = clean.Text(j.Title), clean.Text(j.By), clean.Text(j.Host), clean.Text(j.Why)
	return j, nil
}

// Kept is the change on trial of this context that is stored in another folder than the
// one this process keeps its own in, nil for none. Nothing is done about it.
func (r *Trials) Kept(dir string) *revision.Unconfirmed {
	o := &Trials{gate: r.gate, path: revertPath(dir, r.cfg.Context)}
	o.cfg.Disk = r.cfg.Disk
	raw, err := safefile.Read(safefile.Or(o.cfg.Disk), o.path, maxRevert)
	if err != nil {
		return nil // most often there is none
	}
	if o.job, err = decodeRevert(raw); err != nil {
		return nil // whoever may write says so, and puts it aside
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.look()
	if o.job == nil {
		return nil
	}
	if o.job.forGood() && !o.held {
		o.job.partly = o.rest()
	}
	if o.tell(); o.state == nil {
		return nil
	}
	u := *o.state
	if u.Over && u.Why == "" && !o.held {
		u.Why = "this run does not write the files (--write-back)"
	}
	return &u
}

// look takes in what other processes did. The caller holds mu.
func (r *Trials) look() error {
	if r.path == "" {
		return nil
	}
	if err := r.refresh(); err != nil || r.job == nil || r.mine != nil {
		return err
	}
	f, err := safefile.TryLocked(safefile.Or(r.cfg.Disk), r.path+".lock")
	if r.held = errors.Is(err, safefile.ErrLocked); err == nil {
		_ = f.Close()
	}
	return nil
}

// refresh reads the stored file again when it changed, and takes notice when it is gone.
// The caller holds mu.
func (r *Trials) refresh() error {
	if r.path == "" {
		return nil
	}
	info, err := safefile.Or(r.cfg.Disk).Lstat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.job != nil {
			r.gone()
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the change that waits to be confirmed: %w", err)
	}
	if r.job != nil && (r.mine != nil || journal.SameFile(r.seen, info)) {
		return nil // this process is the only one that writes it
	}
	raw, err := safefile.Read(safefile.Or(r.cfg.Disk), r.path, maxRevert)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, safefile.ErrTooLarge) {
		return fmt.Errorf("reading the change that waits to be confirmed: %w", err)
	}
	var job *revertJob
	if err == nil {
		job, err = decodeRevert(raw)
	}
	if err != nil {
		return r.putAside(err)
	}
	r.job, r.seen = job, info
	return nil
}

// putAside gives a file that nobody can read another name, and says so once: it must not
// keep every change from being made.
func (r *Trials) putAside(why error) error {
	r.job, r.seen = nil, nil
	place := ""
	err := journal.SetAside(r.path, func(name string) error {
		place = name
		return safefile.Or(r.cfg.Disk).Place(r.path, name)
	})
	if err != nil {
		return fmt.Errorf("the change that waits to be confirmed cannot be read (%w), nor its file %s be put aside: %w", why, r.path, err)
	}
	return fmt.Errorf("a change waited to be confirmed, and its file cannot be read: look at the policies yourself; the file is now %s: %w", place, why)
}

// gone says what became of a change whose file is not there any more. The caller holds mu.
func (r *Trials) gone() {
	e, ok := r.gate.Config.History.Trial(r.job.ID)
	switch {
	case r.job.forGood() && r.job.partly == "":
		r.drop() // it was being made
	case r.job.forGood() && !(ok && e.Undone):
		r.end(revision.ChangeFinished+" by another Rung", true)
	case ok && e.Undone:
		r.end("undone or put back by another Rung", false)
	default:
		r.end(revision.TrialConfirmedElsewhere, true)
	}
}

// lockTime is how long somebody else's look at a change on trial is waited for.
const lockTime = 200 * time.Millisecond

// take takes the lock that says who puts the change back. Somebody else's look lasts a
// moment. The caller holds mu.
func (r *Trials) take(patience time.Duration) (release func(), err error) {
	if r.path == "" {
		return func() {}, nil
	}
	for end := time.Now().Add(patience); ; time.Sleep(lockTime / 50) {
		f, err := safefile.TryLocked(safefile.Or(r.cfg.Disk), r.path+".lock")
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil
		case !errors.Is(err, safefile.ErrLocked):
			return nil, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%w: %w", errTaken, change.ErrBlocked)
		}
	}
}

// adopt takes over what an earlier process left. The caller holds mu.
func (r *Trials) adopt() {
	release, err := r.take(lockTime)
	if err != nil {
		return // another one was faster
	}
	if err := r.refresh(); err != nil || r.job == nil {
		release()
		return
	}
	r.mine, r.again, r.fails, r.found = release, time.Time{}, 0, true
	r.due = time.Time{}
	r.due = r.gate.Config.Now().Add(r.left())
}

// lock keeps whoever confirms and whoever puts back apart. The caller holds mu.
func (r *Trials) lock() (unlock func(), err error) {
	if r.path == "" {
		return func() {}, nil
	}
	f, err := safefile.Locked(safefile.Or(r.cfg.Disk), r.path+".edit")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// store writes the change on trial down. The caller holds mu.
func (r *Trials) store(j *revertJob) error {
	if r.path == "" {
		return nil
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := safefile.Replace(safefile.Or(r.cfg.Disk), r.path, text); err != nil {
		return err
	}
	r.seen, _ = safefile.Or(r.cfg.Disk).Lstat(r.path)
	return nil
}

// forget removes the stored change, for good. The caller holds mu.
func (r *Trials) forget() error {
	if r.path == "" {
		return nil
	}
	disk := safefile.Or(r.cfg.Disk)
	if err := disk.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = disk.SyncFolder(filepath.Dir(r.path)) // not every file system can
	return nil
}
