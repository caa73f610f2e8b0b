package uitest

import (
	"context"
	"sync"
	"time"

	"rung/engine"
	"rung/model"
	"rung/model/plan"
	"rung/ui/view"
)

// Fake is a console that stands still. Its fields may be set before it is used;
// what was asked of it is in Calls.
type Fake struct {
	mu  sync.Mutex
	rev *engine.Revision
	now time.Time

	// OnPreview answers Preview; nil gives an empty preview of the mutation.
	OnPreview func(engine.Mutation) (*engine.Preview, error)
	// OnCommit answers Commit; nil is a result without rows.
	OnCommit func(*engine.Preview, engine.Confirm) (*engine.Result, error)
	// OnPlan answers PlanPreview; nil gives an empty preview.
	OnPlan func(*plan.Plan) (*engine.Preview, error)
	// OnController answers ControllerLog; nil is no cluster.
	OnController func(zone string, policy model.PolicyKey) (*engine.ControllerLog, error)

	Done      []model.Activity // for Activity
	Past      []engine.HistoryEntry
	LogStore  *engine.Logs
	WritesErr error
	// PlanErr is what starting a plan and going on with one say.
	PlanErr error
	// ContextNames and Current are the kubeconfig; ContextsErr is why there is none.
	ContextNames []string
	Current      string
	ContextsErr  error
	// Calls are the names of what was called, with what matters of it.
	Calls []string
	// Looked are the zones that were looked at last.
	Looked []string

	ticks chan struct{}
}

var _ view.Console = (*Fake)(nil)

// NewFake makes a console of the parts.
func NewFake(p *engine.Facts) *Fake {
	return &Fake{rev: engine.NewRevision(*p, nil), now: Now, ticks: make(chan struct{}, 1)}
}

// Set makes a new revision of the parts the current one.
func (f *Fake) Set(p *engine.Facts) {
	f.mu.Lock()
	f.rev = engine.NewRevision(*p, nil)
	f.mu.Unlock()
	select {
	case f.ticks <- struct{}{}:
	default:
	}
}

// Advance moves the clock.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *Fake) call(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls = append(f.Calls, s)
}

// Revision and the rest are the console.
func (f *Fake) Revision() *engine.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rev
}

func (f *Fake) Subscribe() (<-chan struct{}, func()) { return f.ticks, func() {} }

func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *Fake) Preview(_ context.Context, m engine.Mutation) (*engine.Preview, error) {
	f.call("preview " + string(m.Op) + " " + m.Policy.Name)
	if f.OnPreview != nil {
		return f.OnPreview(m)
	}
	return &engine.Preview{Mutation: m, Title: string(m.Op) + " " + m.Policy.Label()}, nil
}

func (f *Fake) Commit(_ context.Context, p *engine.Preview, c engine.Confirm) (*engine.Result, error) {
	f.call("commit " + p.Title)
	if f.OnCommit != nil {
		return f.OnCommit(p, c)
	}
	return &engine.Result{}, nil
}

func (f *Fake) SetWrites(on bool) error {
	if on {
		f.call("writes on")
	} else {
		f.call("writes off")
	}
	return f.WritesErr
}

// LookAt is kept in Looked.
func (f *Fake) LookAt(zones ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Looked = zones
}

// Contexts is ContextNames.
func (f *Fake) Contexts() ([]string, string, error) { return f.ContextNames, f.Current, f.ContextsErr }

// Activity is what of Done is newer.
func (f *Fake) Activity(after uint64) []model.Activity {
	var out []model.Activity
	for _, a := range f.Done {
		if a.Seq > after {
			out = append(out, a)
		}
	}
	return out
}

func (f *Fake) Logs() *engine.Logs { return f.LogStore }

// ControllerLog is what OnController gives.
func (f *Fake) ControllerLog(_ context.Context, zone string, policy model.PolicyKey) (*engine.ControllerLog, error) {
	f.call("controller log " + zone + " " + policy.Name)
	if f.OnController == nil {
		return nil, engine.ErrNotOnCluster
	}
	return f.OnController(zone, policy)
}

func (f *Fake) History() []engine.HistoryEntry { return f.Past }

// PlanPreview is a preview without rows; OnPlan answers otherwise.
func (f *Fake) PlanPreview(_ context.Context, p *plan.Plan) (*engine.Preview, error) {
	f.call("plan preview")
	if f.OnPlan != nil {
		return f.OnPlan(p)
	}
	return &engine.Preview{Mutation: engine.Mutation{Op: engine.OpMove, Plan: true}, Title: "Plan"}, nil
}

func (f *Fake) PlanStart(context.Context, *plan.Plan, *engine.Preview, engine.Confirm) error {
	f.call("plan start")
	return f.PlanErr
}

func (f *Fake) PlanResume(context.Context, *engine.Revision) error {
	f.call("plan resume")
	return f.PlanErr
}
func (f *Fake) PlanBack(context.Context, *engine.Revision) error {
	f.call("plan back")
	return f.PlanErr
}
func (f *Fake) PlanStop()          { f.call("plan stop") }
func (f *Fake) PlanDismiss() error { f.call("plan dismiss"); return nil }
