package planrun

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
)

// ErrPlan marks a request that the plan's state does not allow.
var ErrPlan = errors.New("refused")

// Plans moves policies step by step. A step starts only when the rows of every zone, read after the step
// before, show that step; conditions do not count.
//
// One plan of a context runs at a time, even if several processes share the state folder: the runner holds the
// lock of the plan's file, which ends with the process. Every step stores its progress, which survives a kill.
// The file is read again before every answer.
type Plans struct {
	gate *gate.Gate
	cfg  Config
	work *history.Work[planJob] // stored progress

	beginMu sync.Mutex // held while a plan is being started

	mu        sync.Mutex
	job       *planJob // nil without a plan
	state     revision.PlanState
	isRunning bool  // by this process
	loadError error // why the stored plan cannot be read
	// Revision by which the stored plan was last judged.
	located *revision.Revision
	// Set if the last step was made but could not be stored.
	unrecorded bool
	stopping   bool // asked to stop after this step
	stop       context.CancelFunc
	// How long a source may take to show a written step.
	patience time.Duration
}

// Config holds the dependencies of Plans.
type Config struct {
	Subscribe func() (ticks <-chan struct{}, stop func())
	Publish   func(*revision.PlanState) // nil removes the state from the screen
	// Dir is the state folder, empty if progress is not kept. Context names the plan there.
	Dir, Context string
	Disk         files.FS
	// Run starts a goroutine that ends with Ctx; it returns false once nothing may be started.
	Ctx context.Context
	Run func(func()) bool
}

// New returns the plans of a gate, and registers them for gate.Preview and Commit of a plan's undo.
func New(g *gate.Gate, c Config) *Plans {
	r := &Plans{gate: g, cfg: c, work: c.planStore(c.Dir), patience: showTime}
	if g != nil {
		g.UsePlans(r)
	}
	return r
}

// BeginPlan starts the plan of a preview once it is confirmed, unless the plan differs from what was read.
func (r *Plans) BeginPlan(ctx context.Context, read *gate.Preview, c gate.Confirm) error {
	switch {
	case read == nil:
		return change.Blocked("the plan: there is no preview")
	case !c.Yes:
		return fmt.Errorf("the plan: %w", change.ErrNotConfirmed)
	case !r.beginMu.TryLock():
		return fmt.Errorf("%w: a plan is just being started", ErrPlan)
	}
	defer r.beginMu.Unlock()
	job, err := r.takePlan()
	if err != nil {
		return err
	}
	if err := r.startLocked(ctx, read, c, job); err != nil {
		r.work.ReleaseLock()
		return err
	}
	return nil
}

// startLocked is BeginPlan with the plan's lock held; a started plan takes the lock over.
func (r *Plans) startLocked(ctx context.Context, read *gate.Preview, c gate.Confirm, was *planJob) error {
	a, err := r.newAsk(read.Mutation, was)
	if err != nil {
		return err
	}
	r.mu.Lock()
	state, bad := r.state, r.loadError
	r.mu.Unlock()
	if a.isNew() && was != nil {
		return fmt.Errorf("%w: another plan stopped at %s", ErrPlan, state.PlaceText())
	}
	fresh, err := r.previewAsk(ctx, a)
	if err != nil {
		return err
	}
	if fresh.Blocked == "" && !slices.Equal(read.Steps, fresh.Steps) {
		return &gate.StaleError{Title: fresh.Title, Difference: state.String() + " now", Preview: fresh}
	}
	if err := gate.CheckAgreement(read, fresh, c); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	job := &a.planJob
	job.Guards, job.By, job.Read = fresh.Guards, c.By, map[string]string{}
	if a.isNew() {
		job.After = new(r.gate.Config.History.NewestID())
	}
	for _, o := range change.FirstPerKey(fresh.Objects) {
		job.Read[o.Key.Name] = policyDigest(o.Old)
	}
	host, _ := os.Hostname()
	job.Runner = &planRunner{PID: os.Getpid(), Host: words.CleanText(host), Since: r.gate.Config.Now().UTC()}
	if bad != nil {
		r.loadError = nil
		if _, err := r.work.RenameUnreadable(false); err != nil {
			return fmt.Errorf("putting an unreadable stored plan aside: %w", err)
		}
	}
	if err := r.storeProgress(job); err != nil {
		return err
	}
	r.job = job
	return r.launchJob()
}

// StopPlan stops a plan of this process once the step under way is written.
func (r *Plans) StopPlan() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stopping = true
		r.publishState(r.state.State, r.state.Why, r.state.Waits)
		r.stop()
	}
}

// KeepPlan ends a stopped plan and leaves the policies unchanged. The history gets one change for all steps
// made. A completed plan is removed. read is the revision on screen at the confirmation.
func (r *Plans) KeepPlan(read *revision.Revision) error {
	if !r.beginMu.TryLock() {
		return fmt.Errorf("%w: a plan is just being started", ErrPlan)
	}
	defer r.beginMu.Unlock()
	job, err := r.takePlan()
	if err != nil {
		return err
	}
	defer r.work.ReleaseLock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if job == nil {
		r.clearState()
		return nil
	}
	var was *revision.PlanState
	if read != nil {
		was = read.Plan
	}
	if was == nil || was.Title != r.state.Title || was.StepsMade() != r.state.StepsMade() || was.Step != r.state.Step {
		return &gate.StaleError{Title: job.Title, Difference: r.state.String() + " now"}
	}
	// If the history cannot record it, the plan keeps its file, to be recorded later.
	if err := r.recordHistory(job); err != nil {
		return err
	}
	if err := r.removeStored(); err != nil {
		return err
	}
	r.clearState()
	return nil
}

// clearState removes the plan from the screen. The caller holds mu.
func (r *Plans) clearState() {
	r.job, r.state, r.unrecorded = nil, revision.PlanState{}, false
	r.cfg.Publish(nil)
}

// planAsk is a request for a plan, before it is carried out.
type planAsk struct {
	planJob // stored once it runs
	request change.Mutation
	refused string // reason why it cannot be done at all
	heading string // title of the preview, if different
}

// isUndo reports whether the plan undoes or redoes one of the history.
func (a *planAsk) isUndo() bool { return a.request.Op != change.OpMove }

// isNew reports whether the plan is not a stopped one.
func (a *planAsk) isNew() bool { return a.isUndo() || a.request.NewPlan != nil }

// newAsk works out what a mutation requests; stored is the stored plan, or nil.
func (r *Plans) newAsk(m change.Mutation, stored *planJob) (planAsk, error) {
	switch {
	case m.Op != change.OpMove:
		return r.askUndo(m)
	case m.NewPlan != nil:
		return newJob(m, &plan.PlanProgress{Context: r.cfg.Context, Plan: *m.NewPlan}, titleOfPlan(m.NewPlan)), nil
	}
	return r.askContinue(m, stored)
}

// newJob requests a plan that has not stopped before.
func newJob(m change.Mutation, p *plan.PlanProgress, title string) planAsk {
	return planAsk{request: m, planJob: planJob{Progress: p, Shown: new(p.Done), ID: rand.Text(), Title: title}}
}

// askContinue requests the rest of a stopped plan, or its rollback.
func (r *Plans) askContinue(m change.Mutation, job *planJob) (planAsk, error) {
	if job == nil {
		return planAsk{}, fmt.Errorf("%w: no plan has stopped", ErrPlan)
	}
	r.mu.Lock() // Refresh may be judging it
	p := *job.Progress
	a := planAsk{request: m, heading: "Continue: " + job.Title,
		planJob: planJob{Progress: &p, Shown: new(*job.Shown), Top: job.Top, ID: job.ID, Title: job.Title, Undoes: job.Undoes, After: job.After}}
	r.mu.Unlock()
	wasBack := p.Back
	p.Back = m.Back
	if p.Back {
		a.heading = "Roll back: " + job.Title
	}
	var err error
	if p.Done, err = locateSteps(r.gate.Config.CurrentRevision(), &p); err != nil {
		a.refused = stuckText(err)
	}
	switch {
	case !p.Back:
		a.Top = 0
	case !wasBack:
		a.Top = p.StepsMade(p.Done)
	}
	return a, nil
}

func planBoard(rev *revision.Revision) (*plan.Board, error) {
	return plan.BoardOfCluster(rev.Cluster, rev.Flags.MaxPriority, rev.Flags.CompileCNP)
}

func titleOfPlan(p *plan.Plan) string {
	if p.Title != "" {
		return change.Capitalize(p.Title)
	}
	return "Plan of " + words.Count(len(p.Steps), "step")
}
