package reconciler

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/sources/retry"
)

// Reconciler reconciles one zone. Any goroutine may call its methods; they do not wait for the zone.
type Reconciler struct {
	cfg   Config
	box   mailbox
	state atomic.Pointer[model.ZoneState]
}

// NewZone returns the reconciler of one zone; Run starts it.
func NewZone(cfg Config) *Reconciler {
	cfg.setDefaults()
	r := &Reconciler{cfg: cfg, box: mailbox{signal: make(chan struct{}, 1)}}
	r.state.Store(&model.ZoneState{Name: cfg.Zone.Name(), Endpoint: cfg.Zone.Endpoint(), Conn: model.ConnStarting,
		ConnAt: cfg.Clock(), Writes: cfg.Mode == Write})
	return r
}

// State returns the newest published state, never nil.
func (r *Reconciler) State() *model.ZoneState { return r.state.Load() }

// SetDesired hands over the next desired rows. delta is the difference since the last call; nil means anything
// may have changed. loaded says that every source of objects has delivered once, and stays set. Nothing is
// written before: missing objects would look deleted. ZoneState.Steps counts the calls that a state includes.
func (r *Reconciler) SetDesired(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	r.box.addMail(func(m *mailItems) { m.addDesired(d, delta, loaded) })
}

// SetMode switches between observing and writing. A transaction already sent is not recalled.
func (r *Reconciler) SetMode(mode Mode) { r.box.addMail(func(m *mailItems) { m.addMode(mode) }) }

// SetGuard allows or forbids writing a fenced zone, given its other writers. A transaction already sent is not
// recalled.
func (r *Reconciler) SetGuard(g ZoneGuard) { r.box.addMail(func(m *mailItems) { m.addGuard(g) }) }

// Run reconciles the zone until ctx ends, and returns when all its goroutines have ended. Call it once.
func (r *Reconciler) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	w := newWorker(r)
	var wg sync.WaitGroup
	wg.Go(func() {
		r.cfg.Zone.Run(ctx, func(u model.ZoneUpdate) { r.box.addMail(func(m *mailItems) { m.addLive(u) }) })
	})
	w.runLoop(ctx)
	cancel()
	w.flights.sending.Wait()
	wg.Wait()
}

func newWorker(r *Reconciler) *worker {
	cfg := &r.cfg
	w := &worker{
		Reconciler: r,
		mode:       cfg.Mode,
		zone:       *r.state.Load(),
		writeQueue: writeQueue{tracker: NewTracker(cfg.Zone.Name()), readyPolicies: map[model.PolicyKey]struct{}{},
			oneByOne:    map[model.PolicyKey]struct{}{},
			unconfirmed: map[model.PolicyKey]*writtenHold{}, unseenCount: map[model.PolicyKey]int{}, failures: map[model.PolicyKey]*writeFailure{}},
		unpublished: map[model.PolicyKey]struct{}{},
		flights:     flights{results: make(chan flightOutcome, maxFlights)},
		reports:     newReporter(cfg),
		fence:       fenceState{ZoneFence: cfg.Fence},
	}
	if cfg.Members != nil {
		w.tracker.ListMembers = func(s *compiler.SetSpec) []string { return cfg.Members(w.tracker.Desired, s) }
	}
	if cfg.Fence != nil {
		w.fence.guard = cfg.Fence.Guard
	}
	return w
}

// now returns the time for reports; waits use the process's timers.
func (w *worker) now() time.Time { return w.cfg.Clock() }

// tooManyChanges is the number of changed rows above which a resync is cheaper.
const tooManyChanges = 1 << 18

// mailItems is all news since the loop last looked, merged.
type mailItems struct {
	desired     *compiler.Desired // nil: no news
	delta       *compiler.Delta
	steps       uint64 // number of merged desired and delta
	loaded      bool
	live        *model.ZoneUpdate
	ownsChanges bool // the mailbox owns the changes in live and may append to them
	mode        *Mode
	stopped     bool // mode was Observe in between, whatever it is now
	guard       *ZoneGuard
	stops       uint64 // number of times that writing was stopped since the start, by mode or guard
}

// mailbox collects news for the busy loop, without loss and without making senders wait.
type mailbox struct {
	mu     sync.Mutex
	mail   mailItems
	signal chan struct{} // one element: there is mail
}

func (b *mailbox) addMail(f func(*mailItems)) {
	b.mu.Lock()
	f(&b.mail)
	b.mu.Unlock()
	retry.Wake(b.signal)
}

func (b *mailbox) takeMail() mailItems {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.mail
	b.mail = mailItems{loaded: m.loaded, stops: m.stops}
	return m
}

// countStops counts all stops, including those the worker has not taken yet.
func (b *mailbox) countStops() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mail.stops
}

func (m *mailItems) addMode(mode Mode) {
	m.mode = &mode
	if mode == Observe {
		m.stopped = true
		m.stops++
	}
}

func (m *mailItems) addGuard(g ZoneGuard) {
	m.guard = &g
	if g.WhyHeld != "" {
		m.stops++
	}
}

func (m *mailItems) addDesired(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	if m.desired != nil {
		delta = MergeDeltas(m.delta, delta)
	}
	m.desired, m.delta = d, delta
	m.steps++
	m.loaded = m.loaded || loaded
}

// addLive merges two updates. The newer connection state and rows win; changes are concatenated, and a resync
// remains a resync.
func (m *mailItems) addLive(u model.ZoneUpdate) {
	if m.live == nil {
		m.live = &u
		return
	}
	old := m.live
	u.Resync = u.Resync || old.Resync
	switch {
	case u.DB == nil:
		u.DB, u.Changes = old.DB, old.Changes
	case old.DB != nil:
		if !m.ownsChanges {
			m.ownsChanges, old.Changes = true, slices.Clone(old.Changes)
		}
		u.Changes = append(old.Changes, u.Changes...)
	}
	u.Resync = u.Resync || len(u.Changes) > tooManyChanges
	if u.Resync {
		u.Changes = nil
	}
	u.Server = cmp.Or(u.Server, old.Server)
	m.live = &u
}
