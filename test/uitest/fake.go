package uitest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/engine/logs"
	"rung/engine/trace"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict"
	"rung/revision"
	"rung/ui/view"
)

// Fake is a console that stands still. Its fields may be set before it is used;
// what was asked of it is in Calls.
type Fake struct {
	mu  sync.Mutex
	rev *revision.Revision
	now time.Time

	// OnPreview answers Preview; nil gives an empty preview of the mutation.
	OnPreview func(change.Mutation) (*gate.Preview, error)
	// OnCommit answers Commit; nil is a result without rows.
	OnCommit func(*gate.Preview, gate.Confirm) (*gate.Result, error)
	// OnPlan answers PlanPreview; nil gives an empty preview.
	OnPlan func(*plan.Plan) (*gate.Preview, error)
	// OnPlanAgain answers PlanResumePreview and, with back, PlanBackPreview; nil gives an
	// empty preview.
	OnPlanAgain func(back bool) (*gate.Preview, error)
	// OnOVNTrace answers OVNTrace; nil has nowhere to run it.
	OnOVNTrace func(verdict.Connection) (*revision.OVNTrace, error)
	// OnController answers ControllerLog; nil is no cluster.
	OnController func(zone string, policy model.PolicyKey) (*logs.Log, error)

	// OnProbe answers Probe; nil is no sandbox on OVN.
	OnProbe func(context.Context, verdict.Connection, func(trace.ProbePhase)) (*trace.Result, error)

	Done      []model.Activity // for Activity
	Changed   []history.Change // for Changes
	Past      []history.Entry
	LogStore  *logs.Store
	WritesErr error
	// PlanErr is the error of starting a plan and of going on with one.
	PlanErr error
	// ContextNames and Current are the kubeconfig; ContextsErr is why there is none.
	ContextNames []string
	Current      string
	ContextsErr  error
	// Calls are the names of what was called, with what matters of it.
	Calls []string
	// Looked are the zones that were looked at last, LookedFlows those whose flows were.
	Looked, LookedFlows []string

	ticks chan struct{}
}

var _ view.Console = (*Fake)(nil)

// NewFake makes a console of the parts.
func NewFake(p *revision.Facts) *Fake {
	f := &Fake{rev: revision.New(*p, nil), now: Now, ticks: make(chan struct{}, 1)}
	f.LogStore = logs.New(f.Revision, f.Now, 0)
	return f
}

// Set makes a new revision of the parts the current one.
func (f *Fake) Set(p *revision.Facts) {
	f.mu.Lock()
	f.rev = revision.New(*p, nil)
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

func (f *Fake) recordCall(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls = append(f.Calls, s)
}

// Revision and the rest are the console.
func (f *Fake) Revision() *revision.Revision {
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

func (f *Fake) Preview(_ context.Context, m change.Mutation) (*gate.Preview, error) {
	if m.Op == change.OpMove && m.IsWholePlan() {
		return f.previewPlan(m)
	}
	f.recordCall("preview " + string(m.Op) + " " + m.Policy.Name)
	if f.OnPreview != nil {
		return f.OnPreview(m)
	}
	return &gate.Preview{Mutation: m, Title: string(m.Op) + " " + m.Policy.Label()}, nil
}

func (f *Fake) Commit(_ context.Context, p *gate.Preview, c gate.Confirm) (*gate.Result, error) {
	if m := p.Mutation; m.Op == change.OpMove && m.IsWholePlan() {
		f.recordCall("plan " + planCall(m))
		return nil, f.PlanErr
	}
	f.recordCall("commit " + p.Title)
	if f.OnCommit != nil {
		return f.OnCommit(p, c)
	}
	return &gate.Result{}, nil
}

func (f *Fake) SetWrites(on bool) error {
	if on {
		f.recordCall("writes on")
	} else {
		f.recordCall("writes off")
	}
	return f.WritesErr
}

// LookAt is kept in Looked.
func (f *Fake) LookAt(zones ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Looked = zones
}

// LookAtFlows is kept in LookedFlows.
func (f *Fake) LookAtFlows(zones ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.LookedFlows = zones
}

// Contexts is ContextNames.
func (f *Fake) Contexts() ([]string, string, error) { return f.ContextNames, f.Current, f.ContextsErr }

// Activity returns the entries of Done after a number.
func (f *Fake) Activity(after uint64) []model.Activity {
	var out []model.Activity
	for _, a := range f.Done {
		if a.Seq > after {
			out = append(out, a)
		}
	}
	return out
}

// Changes returns the changes of Changed.
func (f *Fake) Changes() []history.Change { return f.Changed }

func (f *Fake) Logs() *logs.Store { return f.LogStore }

// ControllerLog returns the result of OnController.
func (f *Fake) ControllerLog(_ context.Context, zone string, policy model.PolicyKey) (*logs.Log, error) {
	f.recordCall("controller log " + zone + " " + policy.Name)
	if f.OnController == nil {
		return nil, logs.ErrNotOnCluster
	}
	return f.OnController(zone, policy)
}

// Probe returns the result of OnProbe.
func (f *Fake) Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error) {
	f.recordCall("probe " + c.String())
	if f.OnProbe == nil {
		return nil, trace.CheckPossible(f.Revision().Mode)
	}
	return f.OnProbe(ctx, c, at)
}

// OVNTrace returns the result of OnOVNTrace.
func (f *Fake) OVNTrace(_ context.Context, c verdict.Connection, told func(string)) (*revision.OVNTrace, error) {
	f.recordCall("ovn-trace " + c.String())
	told("zone ovn-worker: running ovn-trace")
	if f.OnOVNTrace == nil {
		return nil, errNoOVNTrace
	}
	return f.OnOVNTrace(c)
}

var errNoOVNTrace = errors.New("ovn-trace cannot run here: the sandbox does not run on OVN; see --sandbox-ovn")

func (f *Fake) History() []history.Entry { return f.Past }

// previewPlan is a preview of a plan without rows; OnPlan and OnPlanAgain answer otherwise.
func (f *Fake) previewPlan(m change.Mutation) (p *gate.Preview, err error) {
	f.recordCall("plan " + strings.TrimPrefix(planCall(m)+" preview", "start "))
	switch {
	case m.NewPlan != nil && f.OnPlan != nil:
		p, err = f.OnPlan(m.NewPlan)
	case m.NewPlan != nil:
		p = &gate.Preview{Title: "Plan"}
	case f.OnPlanAgain != nil:
		p, err = f.OnPlanAgain(m.Back)
	default:
		p = &gate.Preview{Title: map[bool]string{false: "Continue: Plan", true: "Roll back: Plan"}[m.Back]}
	}
	if p != nil {
		p.Mutation = m
	}
	return p, err
}

func planCall(m change.Mutation) string {
	switch {
	case m.NewPlan != nil:
		return "start"
	case m.Back:
		return "back"
	}
	return "resume"
}

// ConfirmTrial keeps what is on trial.
func (f *Fake) ConfirmTrial(by string) (string, error) {
	f.recordCall("confirm by " + by)
	u := f.Revision().Unconfirmed
	if !u.IsOpen() {
		return "", errors.New("no change waits to be confirmed")
	}
	return u.Title, nil
}

func (f *Fake) StopPlan() { f.recordCall("plan stop") }

func (f *Fake) KeepPlan(*revision.Revision) error {
	f.recordCall("plan keep")
	return f.PlanErr
}
