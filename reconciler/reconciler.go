package reconciler

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/compiler"
	"rung/model"
)

// Reconciler keeps one zone. Its methods may be called from any goroutine and
// do not wait for the zone.
type Reconciler struct {
	cfg   Config
	box   mailbox
	state atomic.Pointer[model.ZoneState]
}

// NewZone makes the reconciler of one zone; Run starts it.
func NewZone(cfg Config) *Reconciler {
	cfg.setDefaults()
	r := &Reconciler{cfg: cfg, box: mailbox{signal: make(chan struct{}, 1)}}
	r.state.Store(&model.ZoneState{Name: cfg.Zone.Name(), Endpoint: cfg.Zone.Endpoint(), Conn: model.ConnStarting,
		ConnAt: cfg.Clock(), Writes: cfg.Mode == Write})
	return r
}

// State is the newest published state; never nil.
func (r *Reconciler) State() *model.ZoneState { return r.state.Load() }

// SetDesired hands over the next desired rows. delta is what changed since the
// Desired of the last call; nil means anything may have. loaded says that every
// source of objects has delivered once: until then nothing is written, because
// what is not there yet would be taken for deleted. It cannot be taken back.
// ZoneState.Steps counts the calls that a state takes into account.
func (r *Reconciler) SetDesired(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	r.box.addMail(func(m *mailItems) { m.addDesired(d, delta, loaded) })
}

// SetMode switches between observing and writing. A transaction that was sent is
// not called back.
func (r *Reconciler) SetMode(mode Mode) { r.box.addMail(func(m *mailItems) { m.addMode(mode) }) }

// SetGuard says whether a fenced zone may be written by what others do there. A
// transaction that was sent is not called back.
func (r *Reconciler) SetGuard(g ZoneGuard) { r.box.addMail(func(m *mailItems) { m.addGuard(g) }) }

// Run keeps the zone until ctx ends, and returns when all its goroutines have
// ended. It is called once.
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
		writeQueue: writeQueue{tracker: New(cfg.Zone.Name()), readyPolicies: map[model.PolicyKey]struct{}{},
			oneByOne:    map[model.PolicyKey]struct{}{},
			unconfirmed: map[model.PolicyKey]*writtenHold{}, unseenCount: map[model.PolicyKey]int{}, failures: map[model.PolicyKey]*writeFailure{}},
		unshown: map[model.PolicyKey]struct{}{},
		flights: flights{results: make(chan flightOutcome, maxFlights)},
		reports: newReporter(cfg),
		fence:   fenceState{ZoneFence: cfg.Fence},
	}
	if cfg.Members != nil {
		w.tracker.MembersOf = func(s *compiler.SetSpec) []string { return cfg.Members(w.tracker.Desired, s) }
	}
	if cfg.Fence != nil {
		w.fence.guard = cfg.Fence.Guard
	}
	return w
}

// now returns the time for reports; waiting goes by the process's timers.
func (w *worker) now() time.Time { return w.cfg.Clock() }

// tooManyChanges is where a list of changed rows is worth less than a resync.
const tooManyChanges = 1 << 18

// mailItems is the news that came in since the loop looked last, taken together.
type mailItems struct {
	desired *compiler.Desired // nil: no news
	delta   *compiler.Delta
	steps   uint64 // how many desired and delta are
	loaded  bool
	live    *model.ZoneUpdate
	grows   bool // the changes in live are the mailbox's own, to be added to
	mode    *Mode
	stopped bool // mode was Observe in between, whatever it is now
	guard   *ZoneGuard
	stops   uint64 // how often writing was stopped since the start, by mode or guard
}

// mailbox gathers what others send while the loop is busy, without loss and
// without making them wait.
type mailbox struct {
	mu     sync.Mutex
	mail   mailItems
	signal chan struct{} // one element: there is mail
}

func (b *mailbox) addMail(f func(*mailItems)) {
	b.mu.Lock()
	f(&b.mail)
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

func (b *mailbox) takeMail() mailItems {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.mail
	b.mail = mailItems{loaded: m.loaded, stops: m.stops}
	return m
}

// countStops counts the stops up to now, also those the worker has not taken out yet.
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
	if m.desired == nil {
		m.delta = delta
	} else {
		m.delta = MergeDeltas(m.delta, delta)
	}
	m.desired = d
	m.steps++
	m.loaded = m.loaded || loaded
}

// addLive takes two updates together: the last says how the connection and the
// rows are, the changes add up, and a resync among them stays one.
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
		if !m.grows {
			m.grows, old.Changes = true, slices.Clone(old.Changes)
		}
		u.Changes = append(old.Changes, u.Changes...)
	}
	if len(u.Changes) > tooManyChanges {
		u.Resync = true
	}
	if u.Resync {
		u.Changes = nil
	}
	if u.Server == "" {
		u.Server = old.Server
	}
	m.live = &u
}
