package reconciler

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"

	"rung/compiler"
	"rung/model"
	"rung/reconciler/tracker"
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
	cfg.fill()
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
	r.box.edit(func(m *mail) { m.addDesired(d, delta, loaded) })
}

// SetMode switches between observing and writing. A transaction that was sent is
// not called back.
func (r *Reconciler) SetMode(mode Mode) { r.box.edit(func(m *mail) { m.addMode(mode) }) }

// SetGuard says whether a fenced zone may be written by what others do there. A
// transaction that was sent is not called back.
func (r *Reconciler) SetGuard(g Guard) { r.box.edit(func(m *mail) { m.addGuard(g) }) }

// Run keeps the zone until ctx ends, and returns when all its goroutines have
// ended. It is called once.
func (r *Reconciler) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	w := newWorker(r)
	var wg sync.WaitGroup
	wg.Go(func() {
		r.cfg.Zone.Run(ctx, func(u model.ZoneUpdate) { r.box.edit(func(m *mail) { m.addLive(u) }) })
	})
	wg.Go(func() {
		for {
			k, shutdown := w.retries.Get()
			if shutdown {
				return
			}
			select {
			case w.due <- k:
			case <-ctx.Done():
			}
			w.retries.Done(k)
		}
	})
	w.loop(ctx)
	cancel()
	w.retries.ShutDown()
	w.flights.sending.Wait()
	wg.Wait()
}

func newWorker(r *Reconciler) *worker {
	cfg := &r.cfg
	w := &worker{
		Reconciler: r,
		mode:       cfg.Mode,
		zone:       *r.state.Load(),
		queue: queue{t: tracker.New(cfg.Zone.Name()), ready: map[model.PolicyKey]struct{}{}, alone: map[model.PolicyKey]struct{}{},
			busy: map[model.PolicyKey]*hold{}, late: map[model.PolicyKey]int{}, fails: map[model.PolicyKey]*failure{}},
		unshown: map[model.PolicyKey]struct{}{},
		due:     make(chan model.PolicyKey),
		flights: flights{results: make(chan outcome, maxFlights)},
		reports: newReporter(cfg),
		fence:   fencing{Fence: cfg.Fence},
	}
	if cfg.Members != nil {
		w.t.MembersOf = func(s *compiler.SetSpec) []string { return cfg.Members(w.t.Desired, s) }
	}
	if cfg.Fence != nil {
		w.fence.guard = cfg.Fence.Guard
	}
	w.retries = workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[model.PolicyKey](cfg.BackoffMin, cfg.BackoffMax))
	return w
}

// now returns the time for reports; waiting goes by the process's timers.
func (w *worker) now() time.Time { return w.cfg.Clock() }

// tooManyChanges is where a list of changed rows is worth less than a resync.
const tooManyChanges = 1 << 18

// mail is the news that came in since the loop looked last, taken together.
type mail struct {
	desired *compiler.Desired // nil: no news
	delta   *compiler.Delta
	steps   uint64 // how many desired and delta are
	loaded  bool
	live    *model.ZoneUpdate
	grows   bool // the changes in live are the mailbox's own, to be added to
	mode    *Mode
	stopped bool // mode was Observe in between, whatever it is now
	guard   *Guard
	stops   uint64 // how often writing was stopped since the start, by mode or guard
}

// mailbox gathers what others send while the loop is busy, without loss and
// without making them wait.
type mailbox struct {
	mu     sync.Mutex
	mail   mail
	signal chan struct{} // one element: there is mail
}

func (b *mailbox) edit(f func(*mail)) {
	b.mu.Lock()
	f(&b.mail)
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

func (b *mailbox) take() mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.mail
	b.mail = mail{loaded: m.loaded, stops: m.stops}
	return m
}

// stopsSaid counts the stops up to now, also those the worker has not taken out yet.
func (b *mailbox) stopsSaid() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mail.stops
}

func (m *mail) addMode(mode Mode) {
	m.mode = &mode
	if mode == Observe {
		m.stopped = true
		m.stops++
	}
}

func (m *mail) addGuard(g Guard) {
	m.guard = &g
	if g.Hold != "" {
		m.stops++
	}
}

func (m *mail) addDesired(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	if m.desired == nil {
		m.delta = delta
	} else {
		m.delta = tracker.MergeDeltas(m.delta, delta)
	}
	m.desired = d
	m.steps++
	m.loaded = m.loaded || loaded
}

// addLive takes two updates together: the last says how the connection and the
// rows are, the changes add up, and a resync among them stays one.
func (m *mail) addLive(u model.ZoneUpdate) {
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
