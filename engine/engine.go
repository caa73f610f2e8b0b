package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/change/gate"
	"rung/change/planrun"
	"rung/change/trial"
	"rung/engine/logs"
	"rung/engine/source"
	"rung/model"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/nbdb/dbfile"
	"rung/sources/sandbox"
)

// Clock tells the time; tests bring their own.
type Clock func() time.Time

// Engine runs a cluster. Its methods may be called from any goroutine: what is in it
// never changes after New, or locks itself. What changes without a lock is in state,
// which only functions sent to the loop are given.
type Engine struct {
	cfg   Config
	now   Clock
	rev   atomic.Pointer[revision.Revision]
	inbox chan func(*state)

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	done   chan struct{}

	runMu sync.Mutex // orders goRun and Close
	ended bool

	subs revision.Subscribers

	activity  *activityLog
	arrivals  arrivals
	notices   []string // of the start
	logs      *logs.Store
	gate      *gate.Gate
	plans     *planrun.Plans
	reverts   *trial.Trials
	differs   differs
	keep      keeper
	looks     looks
	flowLooks looks // at logical flows
	daemons   daemons
	slots     slots
	share     *nbdb.Sharing // of all zones
	dials     *nbdb.Limiter // of the zones given by address
	owners    *owners
	archives  *dbfile.Archives
	ovnTraces *ovnTraces
	traffic   atomic.Pointer[sandbox.Traffic] // the sandbox's, nil where there is none
}

// New starts an engine; it returns at once, with an empty first revision.
// Close ends it.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &Engine{
		cfg: cfg, now: cfg.Clock, inbox: make(chan func(*state), 256),
		ctx: ctx, cancel: cancel, done: make(chan struct{}),
		arrivals: newArrivals(), looks: newLooks(), flowLooks: newLooks(), daemons: newDaemons(), share: nbdb.NewSharing(),
		dials: nbdb.NewLimiter(nbdb.DefaultDials), archives: dbfile.NewArchives(),
		ovnTraces: newOVNTraces(),
	}
	e.activity = &activityLog{news: e.notify}
	if cfg.Screen {
		e.slots = newSlots()
	}
	if e.cfg.ExecZones && e.cfg.ZoneOf == nil {
		e.cfg.ZoneOf = e.execZones()
	}
	var err error
	if e.owners, err = e.newOwners(); err != nil {
		cancel()
		return nil, err
	}
	s := newState(e)
	e.logs = logs.New(e.Revision, cfg.Clock, cfg.LogLines)
	if err := e.startGate(); err != nil {
		cancel()
		return nil, fmt.Errorf("prepare the history and audit files in %s: %w", cfg.StateDir, err)
	}
	if cfg.KeepCounts && cfg.StateDir != "" {
		if k := e.openCounts(); k != nil {
			e.goRun(k.run)
		}
	}
	s.publish()
	e.goRun(func() { e.loop(s) })
	for _, src := range cfg.Sources {
		e.goRun(func() { e.runSource(src) })
	}
	e.goRun(func() { e.logs.Run(ctx) })
	if cfg.judgesArrivals() {
		e.goRun(e.runArrivals)
	}
	e.goRun(e.runLogSessions)
	e.goRun(e.runFlowLooks)
	e.goRun(e.runFlowJoins)
	if r := e.owners.reporter; r != nil {
		e.goRun(func() { r.Run(ctx) })
	}
	if cfg.Kube != nil && !cfg.LogFiles.Only {
		e.goRun(e.runPodLogs)
		if cfg.ExecZones {
			e.goRun(func() { e.runMeters(metersInPodEvery, e.metersInPod) })
		}
	}
	if len(cfg.LogFiles.Paths) > 0 {
		e.goRun(e.runLogFiles)
	}
	if cfg.Sandbox != nil {
		e.goRun(e.runSandbox)
	} else {
		e.goRun(e.runLooks)
		if cfg.Kube != nil {
			e.goRun(e.runDialectConfig)
		}
		if e.cfg.readsDialects() {
			e.goRun(e.runDialects)
		}
		if len(cfg.NB) > 0 {
			e.goRun(e.runEndpoints)
		}
		if e.cfg.ZoneOf != nil {
			e.goRun(e.runNodeZones)
		}
	}
	return e, nil
}

// goRun starts a goroutine that Close waits for; once Close was called it starts
// none and says so.
func (e *Engine) goRun(f func()) bool {
	e.runMu.Lock()
	defer e.runMu.Unlock()
	if e.ended {
		return false
	}
	e.wg.Go(f)
	return true
}

// Close ends every goroutine, connection and child process of the engine and
// waits for them.
func (e *Engine) Close() {
	e.leaveReverts()
	e.cancel()
	e.runMu.Lock()
	e.ended = true
	e.runMu.Unlock()
	e.wg.Wait()
}

// Revision is the newest revision; never nil.
func (e *Engine) Revision() *revision.Revision { return e.rev.Load() }

// Now is the engine's time.
func (e *Engine) Now() time.Time { return e.now() }

// Subscribe returns a channel that gets a tick after every new revision, after
// every entry of the activity, and when a state of the newest revision changes by
// the time alone: settling becomes behind. Several of these may share a tick. The
// function ends the subscription.
func (e *Engine) Subscribe() (<-chan struct{}, func()) { return e.subs.Subscribe() }

func (e *Engine) notify() { e.subs.Notify() }

// Wait blocks until the condition holds for a revision, or ctx ends. The condition
// is looked at with every tick of Subscribe, and at the times that are given: those
// after which it may hold although nothing else happens.
func (e *Engine) Wait(ctx context.Context, holds func(*revision.Revision) bool, times ...time.Time) error {
	ticks, stop := e.Subscribe()
	defer stop()
	var due alarm
	defer due.stop()
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	for {
		if holds(e.Revision()) {
			return nil
		}
		if due.timer == nil && len(times) > 0 {
			due.set(time.Until(times[0]) + settleSlack)
			times = times[1:]
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-e.ctx.Done():
			return context.Canceled
		case <-ticks:
		case <-due.rings():
			due.stop()
		}
	}
}

// do runs f in the loop and waits for it and the revision it makes. ok is false
// when the engine ended first.
func (e *Engine) do(f func(*state)) (ok bool) {
	ran := make(chan struct{})
	if !e.send(func(s *state) {
		f(s)
		s.after = append(s.after, func() { close(ran) })
	}) {
		return false
	}
	select {
	case <-ran:
		return true
	case <-e.done:
		return false
	}
}

// send runs f in the loop without waiting for it.
func (e *Engine) send(f func(*state)) bool {
	select {
	case e.inbox <- f:
		return true
	case <-e.ctx.Done():
		return false
	}
}

func (e *Engine) runSource(src source.Source) {
	src.Run(e.ctx, func(u source.Update) {
		e.send(func(s *state) { s.source(src.Name(), u) })
	})
}

// startedReadOnly is why changes cannot be switched on.
const startedReadOnly = "started with --readonly"

// SetWrites switches changes on or off for the rest of the session. It is
// refused where the engine was started read-only. The caller has had it
// confirmed.
func (e *Engine) SetWrites(on bool) error {
	if on && e.cfg.ReadOnly {
		return fmt.Errorf("changes stay off: %s: %w", startedReadOnly, model.ErrRefused)
	}
	if !e.do(func(s *state) { s.writes, s.dirty = on, true }) {
		return fmt.Errorf("switch changes: the engine has ended: %w", context.Canceled)
	}
	note := "changes switched off"
	if on {
		note = "changes switched on"
	}
	e.gate.Note("console", "writes", note)
	return nil
}

// Activity returns what was done after the entry with that number, oldest
// first.
func (e *Engine) Activity(after uint64) []model.Activity { return e.activity.since(after) }

// Logs is the store of ACL log lines.
func (e *Engine) Logs() *logs.Store { return e.logs }
