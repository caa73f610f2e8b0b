package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/sources/safefile"
)

// The states of a plan.
const (
	PlanRunning = "running"
	PlanPaused  = "paused"
	PlanStopped = "stopped"
	PlanDone    = "done"
)

// ErrPlan marks a request that the plan's state does not allow.
var ErrPlan = errors.New("not now")

// Plans moves policies step by step. A step starts only when the rows of
// every zone show the one before; conditions do not count. Progress is written
// down before a step and after it, so that it survives a kill.
type Plans struct {
	gate *Gate
	cfg  PlanConfig
	path string // of the stored progress; empty keeps none

	mu      sync.Mutex
	job     *planJob // nil: there is no plan
	state   revision.PlanState
	running bool
	// unrecorded says that the last step was made and could not be written down.
	unrecorded bool
	stop       context.CancelFunc
}

// PlanConfig says what the plans of a gate work with.
type PlanConfig struct {
	Subscribe func() (ticks <-chan struct{}, stop func())
	Publish   func(*revision.PlanState) // nil takes the state off the screen
	// Dir is the state folder, empty where progress is not kept; Context is what it
	// is kept under.
	Dir, Context string
	Disk         safefile.FS
	// Run starts a goroutine that ends with Ctx.
	Ctx context.Context
	Run func(func())
}

// NewPlans runs plans through a gate.
func NewPlans(g *Gate, c PlanConfig) *Plans {
	return &Plans{gate: g, cfg: c, path: planPath(c.Dir, c.Context)}
}

// planJob is a plan under way, as it is stored.
type planJob struct {
	Progress *plan.Progress  `json:"-"`
	Encoded  json.RawMessage `json:"progress"` // Progress, as it was stored last
	// Guards were confirmed for the whole plan, by By.
	Guards []Guard `json:"guards,omitempty"`
	By     string  `json:"by,omitempty"`
	// Read are the digests of the policies as they were when the plan was
	// confirmed, by name: a step of another policy was not. An earlier Rung stored
	// none.
	Read map[string]string `json:"read,omitempty"`
}

// planPath is where the progress of a context's plan is stored.
func planPath(dir, context string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "plan", slug(context)+".json")
}

// Preview is one preview of a whole plan: what it changes in the end, and every
// guard rail a step runs into. Its ConfirmName confirms all of them.
func (r *Plans) Preview(ctx context.Context, p *plan.Plan) (*Preview, error) {
	rev := r.gate.cfg.Current()
	out := &Preview{Title: "Plan of " + words.Count(len(p.Steps), "step"), Mutation: Mutation{Op: OpMove, Plan: true},
		seen: see(rev)}
	out.Notes = append(out.Notes, p.Notes...)
	if why := r.refuses(rev, p); why != "" {
		out.Blocked = why
		return out, nil
	}
	at := rev
	for i, s := range p.Steps {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("previewing the plan: %w", err)
		}
		one := r.gate.resolve(at, stepMutation(s))
		if one.Blocked != "" && out.Blocked == "" {
			out.Blocked = fmt.Sprintf("step %d, %s: %s", i+1, stepText(s), one.Blocked)
		}
		for _, g := range one.Guards {
			if !confirmed(out.Guards, g) {
				out.Guards = append(out.Guards, g)
			}
		}
		out.Objects = append(out.Objects, one.Objects...)
		out.Commands = append(out.Commands, one.Commands...)
		at = after(at, one.Objects)
	}
	out.ConfirmName = confirmName(out.Guards, out.Objects)
	r.gate.tryPlan(ctx, rev, out)
	out.seen.note(out.Notes...)
	out.seen.reach(rev.Cluster, firstOf(out.Objects))
	if out.Blocked == "" && len(out.Objects) > 0 {
		out.Rows = rowsOf(rev, after(rev, out.Objects), out.Objects)
		out.seen.rows(out.Rows)
	}
	return out, nil
}

// refuses says why a plan cannot be run at all.
func (r *Plans) refuses(rev *revision.Revision, p *plan.Plan) string {
	if len(p.Steps) == 0 {
		return "nothing to do"
	}
	if len(rev.Zones) == 0 {
		return "there is no zone whose rows could show that a step is done"
	}
	for _, z := range rev.Zones {
		if z.Conn == model.ConnReadOnly {
			return fmt.Sprintf("zone %s is a file: its rows never follow", z.Name)
		}
	}
	b, err := plan.FromCluster(rev.Cluster, rev.Flags.MaxPriority)
	if err == nil {
		err = plan.Verify(p.Steps, b.Slots(), rev.Flags.MaxPriority)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func stepMutation(s plan.Step) Mutation {
	k := model.PolicyKey{Kind: model.KindANP, Name: s.Policy}
	return Mutation{Op: OpMove, Policy: k, Priority: s.To, Plan: true}
}

func stepText(s plan.Step) string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// Start runs a plan that was confirmed: the one of the preview that was read.
func (r *Plans) Start(ctx context.Context, p *plan.Plan, read *Preview, c Confirm) error {
	if read == nil {
		return fmt.Errorf("the plan: there is no preview: %w", ErrBlocked)
	}
	if !c.Yes {
		return fmt.Errorf("the plan: %w", ErrNotConfirmed)
	}
	fresh, err := r.Preview(ctx, p)
	if err != nil {
		return err
	}
	if err := judge(read, fresh, approval{Confirm: c}); err != nil {
		return fmt.Errorf("the plan: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running || r.job != nil && r.state.State != PlanDone {
		return fmt.Errorf("another plan is %s, with %d of %d steps done: %w",
			r.state.State, r.state.Done, r.state.Total, ErrPlan)
	}
	job := &planJob{Progress: &plan.Progress{Context: r.cfg.Context, Plan: *p}, Guards: fresh.Guards,
		Read: map[string]string{}, By: c.By}
	for _, o := range firstOf(fresh.Objects) {
		job.Read[o.Key.Name] = digest(o.Old)
	}
	if err := r.store(job); err != nil {
		return err
	}
	r.job = job
	r.launch()
	return nil
}

// Resume goes on with a plan that stopped, back turns it round. read is the
// revision that was on the screen when that was confirmed.
func (r *Plans) Resume(read *revision.Revision) error { return r.again(read, false) }

func (r *Plans) Back(read *revision.Revision) error { return r.again(read, true) }

func (r *Plans) again(read *revision.Revision, back bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.job == nil || r.state.State == PlanDone && !back:
		return fmt.Errorf("there is no plan to go on with: %w", ErrPlan)
	case r.running && !back:
		return fmt.Errorf("the plan is running: %w", ErrPlan)
	case r.running:
		return fmt.Errorf("the plan is running: stop it first: %w", ErrPlan)
	}
	now := r.gate.cfg.Current()
	if what := r.otherPlan(read, now); what != "" {
		return &StaleError{Title: "the plan", What: what}
	}
	if err := r.locate(now); err != nil {
		r.report(PlanStopped, err.Error(), "")
		return err
	}
	r.job.Progress.Back = back
	r.job.Read = readOf(r.job.Progress, now)
	if err := r.store(r.job); err != nil {
		return err
	}
	r.launch()
	return nil
}

// Stop stops a running plan after the step under way was written.
func (r *Plans) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
}

// Dismiss forgets a plan that is not running.
func (r *Plans) Dismiss() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return fmt.Errorf("the plan is running: %w", ErrPlan)
	}
	r.job = nil
	r.cfg.Publish(nil)
	return r.forget()
}

// locate finds out how far the plan really is.
func (r *Plans) locate(rev *revision.Revision) error {
	b, err := plan.FromCluster(rev.Cluster, rev.Flags.MaxPriority)
	if err != nil {
		return fmt.Errorf("the plan: %w", err)
	}
	done, err := r.job.Progress.Locate(b.Slots())
	if err != nil {
		return fmt.Errorf("the plan cannot go on: %w", err)
	}
	r.job.Progress.Done = done
	return nil
}

// Load finds a plan that a former run left. It is called once the objects are
// known.
func (r *Plans) Load() error {
	if r.path == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.job != nil {
		return nil
	}
	raw, err := safefile.Read(safefile.Or(r.cfg.Disk), r.path, 2*plan.MaxProgressSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the stored plan: %w", err)
	}
	job := &planJob{}
	if err := json.Unmarshal(raw, job); err != nil {
		return fmt.Errorf("reading the stored plan %s: %w", r.path, err)
	}
	if job.Progress, err = plan.DecodeProgress(job.Encoded); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	if job.Progress.Context != r.cfg.Context {
		return fmt.Errorf("%s belongs to %q, not to %q", r.path, job.Progress.Context, r.cfg.Context)
	}
	r.job = job
	why := "interrupted"
	if err := r.locate(r.gate.cfg.Current()); err != nil {
		why = err.Error()
	}
	if r.job.Progress.Finished() {
		r.job = nil // the last step was done, only that was not written down
		return r.forget()
	}
	r.report(PlanStopped, why, "")
	return nil
}

// store writes the progress down.
func (r *Plans) store(j *planJob) error {
	if r.path == "" {
		return nil
	}
	var err error
	if j.Encoded, err = j.Progress.Encode(); err != nil {
		return err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("storing the progress of a plan: %w", err)
	}
	if err := safefile.Replace(safefile.Or(r.cfg.Disk), r.path, text); err != nil {
		return fmt.Errorf("storing the progress of a plan: %w", err)
	}
	return nil
}

func (r *Plans) forget() error {
	if r.path == "" {
		return nil
	}
	if err := safefile.Or(r.cfg.Disk).Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forgetting the plan: %w", err)
	}
	return nil
}

// report publishes the state. The caller holds mu.
func (r *Plans) report(state, why, step string) {
	p := r.job.Progress
	next := revision.PlanState{Total: len(p.Plan.Steps), Done: p.Done, State: state, Why: why, Step: step,
		Unrecorded: r.unrecorded}
	if step == "" {
		if s, ok := p.Next(); ok {
			next.Step = stepText(s)
		}
	}
	if next == r.state {
		return
	}
	r.state = next
	r.cfg.Publish(&next)
}
