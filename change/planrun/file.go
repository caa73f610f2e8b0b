package planrun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
)

// planJob is a plan under way, as stored.
type planJob struct {
	Progress *plan.PlanProgress `json:"-"`
	Encoded  json.RawMessage    `json:"progress"` // Progress, as last stored
	// Identifies this run, which is recorded in the history once.
	ID    string `json:"id,omitempty"`
	Title string `json:"title,omitempty"`
	// Undoes is the history entry that this run takes back, or 0. After is the newest entry when it began: later
	// changes were made during the run. Earlier Rungs stored none.
	Undoes uint64  `json:"undoes,omitempty"`
	After  *uint64 `json:"after,omitempty"`
	// Number of steps done when every zone was last seen to show them. Steps between it and Progress.Done were
	// made, but not yet seen in every zone. Earlier Rungs stored none.
	Shown *int `json:"shown,omitempty"`
	// Number of steps made before the rollback of Run began.
	Top int `json:"top,omitempty"`
	// Guard rails that By confirmed for the whole plan.
	Guards []change.Guard `json:"guards,omitempty"`
	By     string         `json:"by,omitempty"`
	// Digests of the policies when the plan was confirmed, by name: a step of a different policy was not
	// confirmed. Earlier Rungs stored none.
	Read map[string]string `json:"read,omitempty"`
	// Runner runs the plan while it holds the lock, nil if the plan stopped. Waits are the zones it waits for,
	// Why the reason why it waits or stopped.
	Runner *planRunner         `json:"runner,omitempty"`
	Waits  []revision.PlanWait `json:"waits,omitempty"`
	Why    string              `json:"why,omitempty"`
}

// planRunner is the process that runs a plan.
type planRunner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
}

// errNoPlan is the error for a stored plan's file that holds no valid plan.
var errNoPlan = errors.New("not a readable plan")

// planStore returns the store of a context's plan.
func (c *Config) planStore(dir string) *history.Work[planJob] {
	return history.OpenWork(c.Disk, dir, history.PlanJournal, c.Context, "the stored plan", 2*plan.MaxProgressSize,
		func(text []byte) (*planJob, error) {
			job, err := decodePlan(text, c.Context)
			if err != nil {
				err = fmt.Errorf("%w: %w", errNoPlan, err)
			}
			return job, err
		})
}

// interrupted is why a plan stopped whose process ended, or that a user stopped.
const interrupted = "interrupted"

// Load finds a plan that an earlier run left, or that another Rung runs. Call it once the objects are known.
func (r *Plans) Load() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.load()
}

// Refresh reads the stored plan again if it changed, its runner ended or the policies moved.
func (r *Plans) Refresh() {
	if err := r.Load(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		// A plan whose file has become unreadable cannot continue. The file is read again next time.
		if r.job != nil && !r.isRunning && !r.unrecorded && r.state.State != revision.PlanDone {
			r.located = nil
			r.publishState(revision.PlanStopped, err.Error(), nil)
		}
	}
}

// ReadPlan reads the stored plan again and returns its state; nil without a plan.
func (r *Plans) ReadPlan() (*revision.PlanState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.load()
	if r.job == nil {
		return nil, err
	}
	st := r.state
	return &st, err
}

// PlanInFolder returns the plan of this context stored in another folder than this process's own, or nil. It
// changes nothing.
func (r *Plans) PlanInFolder(dir string) (*revision.PlanState, error) {
	o := &Plans{gate: r.gate, cfg: r.cfg, work: r.cfg.planStore(dir)}
	o.cfg.Publish = func(*revision.PlanState) {}
	job, _, elsewhere, err := o.work.Recover(false)
	o.job = job
	if err != nil || job == nil {
		return nil, err
	}
	if elsewhere && job.Runner != nil {
		o.reportOther()
		return &o.state, nil
	}
	why := job.Why
	if job.Runner != nil || why == "" {
		why = interrupted
	}
	if err := o.locateProgress(o.gate.Config.CurrentRevision()); err != nil {
		why = stuckText(err)
	}
	o.publishState(revision.PlanStopped, why, nil)
	return &o.state, nil
}

// finishedElsewhere reports, and publishes, whether another Rung completed a plan that this one followed and
// whose file is gone. The caller holds mu.
func (r *Plans) finishedElsewhere() bool {
	if !r.state.RunsElsewhere() {
		return false
	}
	p := r.job.Progress
	done := p.CurrentPart().From // end of a rollback
	if e, _ := r.gate.Config.History.EntryOfID(r.job.ID); e.Plan != nil {
		done = e.Plan.To
	} else if !p.Back {
		return false
	}
	p.Done, r.job.Shown, r.job.Runner = done, &done, nil
	r.publishState(revision.PlanDone, "", nil)
	return true
}

// decodePlan decodes the stored plan of a context. It does not trust the file.
func decodePlan(raw []byte, context string) (job *planJob, err error) {
	job = &planJob{}
	if err := json.Unmarshal(raw, job); err != nil {
		return nil, err
	}
	if job.Progress, err = plan.DecodeProgress(job.Encoded); err != nil {
		return nil, err
	}
	p := job.Progress
	if p.Context != context {
		return nil, fmt.Errorf("it belongs to %q, not to %q", p.Context, context)
	}
	w := p.CurrentPart()
	low, high := min(w.From, w.To), max(w.From, w.To)
	if job.Shown == nil || *job.Shown < low || *job.Shown > high {
		// All but the last step made.
		shown := p.Done - 1
		if p.Back != (w.From > w.To) {
			shown = p.Done + 1
		}
		shown = min(max(shown, low), high)
		job.Shown = &shown
	}
	job.ID, job.By, job.Why = words.CleanText(job.ID), words.CleanText(job.By), words.CleanText(job.Why)
	job.Title = cmp.Or(words.CleanText(job.Title), titleOfPlan(&p.Plan))
	if job.Top < 0 || job.Top > len(p.AllSteps()) {
		job.Top = 0
	}
	for i := range job.Waits {
		job.Waits[i].Zone, job.Waits[i].Why = words.CleanText(job.Waits[i].Zone), words.CleanText(job.Waits[i].Why)
	}
	if job.Runner != nil {
		job.Runner.Host = words.CleanText(job.Runner.Host)
	}
	return job, nil
}

// locateProgress determines the plan's progress from the policies. The caller holds mu.
func (r *Plans) locateProgress(rev *revision.Revision) error {
	done, err := locateSteps(rev, r.job.Progress)
	if err != nil {
		return fmt.Errorf("the plan: %w", err)
	}
	r.job.Progress.Done = done
	return nil
}

// locateSteps returns the number of steps done, by the policies.
func locateSteps(rev *revision.Revision, p *plan.PlanProgress) (int, error) {
	b, err := planBoard(rev)
	if err != nil {
		return p.Done, err
	}
	return p.LocateSteps(b.Placements())
}

// storeProgress stores the progress.
func (r *Plans) storeProgress(j *planJob) (err error) {
	if j.Encoded, err = j.Progress.Encode(); err != nil {
		return err
	}
	if err := r.work.SaveRecord(j); err != nil {
		return fmt.Errorf("storing the progress of a plan: %w", err)
	}
	return nil
}

// removeStored removes the stored plan.
func (r *Plans) removeStored() error {
	if err := r.work.RemoveRecord(); err != nil {
		return fmt.Errorf("forgetting the plan: %w", err)
	}
	return nil
}
