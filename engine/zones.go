package engine

import (
	"context"
	"sync"
	"time"

	"rung/compiler"
	"rung/engine/ownership"
	"rung/model"
	"rung/reconciler"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

// zoneSet holds the zones: those that are followed, each with a reconciler, and
// those that are swept. It is a part of state: the loop's alone. What it shares with
// other goroutines (differs, keeper, looks) locks itself and is the Engine's.
type zoneSet struct {
	e         *Engine
	loops     map[string]*zoneLoop
	sandbox   *sandbox.Sandbox
	wasLoaded bool

	// members are the zones that are followed or swept as their rank allows; the
	// sandbox's are not among them.
	members map[string]*zoneMember
	running int // reads under way
	// steps counts those of the desired rows, changes says what they changed.
	steps, forgotten uint64
	changes          *model.ChangeSteps
	began            time.Time
}

// zoneLoop is a running reconciler.
type zoneLoop struct {
	*reconciler.Reconciler
	zone   reconciler.Zone
	stop   context.CancelFunc
	done   chan struct{}
	writes bool

	// steps counts what SetDesired was told; changed and all are the last steps
	// that changed a policy, or anything.
	steps, all uint64
	first      uint64 // the zoneSet's number of the first
	changed    map[model.PolicyKey]uint64
}

func newZoneSet(e *Engine) *zoneSet {
	return &zoneSet{e: e, loops: map[string]*zoneLoop{}, members: map[string]*zoneMember{}, began: time.Now()}
}

// desired hands a step on to everybody who follows the cluster.
func (z *zoneSet) desired(s *state, changes []model.Change, delta *compiler.Delta) {
	c, d, loaded := s.cluster, s.desired, s.allLoaded()
	z.note(s, d, delta, loaded && !z.wasLoaded)
	was := z.wasLoaded
	z.wasLoaded = loaded
	for _, l := range z.loops {
		l.step(d, delta, loaded && (!l.writes || s.whole()))
	}
	if z.sandbox != nil {
		z.sandbox.SetPods(c, changes)
	}
	z.e.logs.Observe(changes)
	switch {
	case len(z.members) == 0:
	case loaded && !was:
		z.rank(s)
	default:
		z.schedule(s)
	}
}

// add starts the reconciler of a zone; the loop runs this.
func (z *zoneSet) add(s *state, zone reconciler.Zone, write bool) {
	mode := reconciler.Observe
	if write {
		mode = reconciler.Write
	}
	e := z.e
	name := zone.Name()
	first := e.firstDialect(write)
	l := &zoneLoop{zone: zone, writes: write, done: make(chan struct{}), changed: map[model.PolicyKey]uint64{}}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(e.loop.Context())
	rc := reconciler.Config{
		Zone: zone, Mode: mode, Clock: e.loop,
		OnState: func(st *model.ZoneState) {
			found := first(st)
			e.send(func(s *state) {
				s.set.arrived(s, l, st)
				s.dialectOf(name, found)
			})
		},
		OnActivity:  e.loop.Record,
		MaxPriority: e.cfg.MaxPriority, Slot: e.slots.Take,
	}
	if e.cfg.Sandbox == nil {
		rc.Members = e.differs.members // the sandbox has few zones, and no differs
	}
	rc.Status, rc.Events = s.reports.Of(name), s.reports.Of(name)
	var own *ownership.Zone
	if write && e.cfg.Sandbox == nil {
		own = e.owners.Own(name, &rc)
	}
	l.Reconciler = reconciler.NewZone(rc)
	z.loops[name] = l
	l.first = z.steps
	l.step(s.desired, &compiler.Delta{All: true}, s.allLoaded() && (!write || s.whole()))
	z.arrived(s, l, l.State())
	if !e.loop.Go(func() {
		defer close(l.done)
		var other sync.WaitGroup
		defer other.Wait()
		other.Go(func() { own.Run(ctx, l.Reconciler) })
		l.Run(ctx)
	}) {
		l.stop()
		close(l.done)
	}
}

// dial makes a zone's connection; what it has in common with others is filled in.
func (e *Engine) dial(cfg nbdb.Config) *nbdb.Conn {
	cfg.Slot, cfg.Share = e.slots.Take, e.share
	return nbdb.Dial(cfg)
}

// byAddress is a zone given by its address.
func (e *Engine) byAddress(name, addr string) *zoneMember {
	return &zoneMember{name: name, writes: e.cfg.Reconcile && !isFile(addr),
		open: func() (reconciler.Zone, error) { return e.openNB(name, addr), nil }}
}
