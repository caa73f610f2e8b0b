package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/clean"
	"rung/model/nb"
	"rung/reconciler"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

// zoneSet holds the reconciler of every zone. Its methods but snapshot are
// called from the loop only.
type zoneSet struct {
	e         *Engine
	loops     map[string]*zoneLoop
	sandbox   *sandbox.Sandbox
	wasLoaded bool

	mu  sync.Mutex
	dbs map[string]*nb.DB
}

// zoneLoop is a running reconciler.
type zoneLoop struct {
	*reconciler.Reconciler
	stop context.CancelFunc
	done chan struct{}

	// steps counts what SetDesired was told; changed and all are the last steps
	// that changed a policy, or anything. The engine's loop owns them.
	steps, all uint64
	changed    map[model.PolicyKey]uint64
}

func newZoneSet(e *Engine) *zoneSet {
	return &zoneSet{e: e, loops: map[string]*zoneLoop{}, dbs: map[string]*nb.DB{}}
}

func (z *zoneSet) loaded() bool { return z.wasLoaded }

// desired hands a step on to everybody who follows the cluster.
func (z *zoneSet) desired(c *model.Cluster, changes []model.Change, d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	z.wasLoaded = loaded
	for _, l := range z.loops {
		l.step(d, delta, loaded)
	}
	if z.sandbox != nil {
		z.sandbox.SetPods(c, changes)
	}
	z.e.logs.Observe(changes)
}

// add starts the reconciler of a zone; the loop runs this.
func (z *zoneSet) add(s *state, zone reconciler.Zone, write bool) {
	mode := reconciler.Observe
	if write {
		mode = reconciler.Write
	}
	e := z.e
	name := zone.Name()
	l := &zoneLoop{done: make(chan struct{}), changed: map[model.PolicyKey]uint64{}}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(e.ctx)
	l.Reconciler = reconciler.NewZone(reconciler.Config{
		Zone: zone, Mode: mode, Clock: engineClock(e.now),
		OnState: func(st *model.ZoneState) {
			z.mu.Lock()
			z.dbs[name] = st.DB
			z.mu.Unlock()
			e.send(func(s *state) {
				s.zones[name] = st
				s.dirty = true
			})
		},
		OnActivity: e.activity.add,
		Status:     statusOf{e}, Events: eventsOf{e, name}, MaxPriority: e.cfg.MaxPriority,
		Turn: e.turns.take,
	})
	z.loops[name] = l
	l.step(s.desired, &compiler.Delta{All: true}, s.allLoaded())
	s.zones[name] = l.State()
	s.dirty = true
	if !e.goRun(func() {
		defer close(l.done)
		l.Run(ctx)
	}) {
		l.stop()
		close(l.done)
	}
}

// snapshot is what simulated traffic reads: the newest cluster and rows.
func (z *zoneSet) snapshot() (*model.Cluster, map[string]*nb.DB) {
	z.mu.Lock()
	defer z.mu.Unlock()
	dbs := make(map[string]*nb.DB, len(z.dbs))
	for k, v := range z.dbs {
		dbs[k] = v
	}
	return z.e.Revision().Cluster, dbs
}

// dial makes a zone's connection; what it has in common with others is filled in.
func (e *Engine) dial(cfg nbdb.Config) *nbdb.Conn {
	cfg.Turn, cfg.Share = e.turns.take, e.share
	return nbdb.Dial(cfg)
}

type engineClock Clock

func (c engineClock) Now() time.Time { return c() }

// runEndpoints watches the databases given by address, all from one revision
// on. One whose zone was not named stands there under its address until it says
// its name.
func (e *Engine) runEndpoints() {
	addr, unnamed := e.cfg.NB[""]
	st := model.ZoneState{Name: clean.Text(addr), Endpoint: clean.Text(addr), Conn: model.ConnDialling, ConnAt: e.now(), Writes: e.cfg.Reconcile}
	show := func(s *state) {
		z := st
		s.zones[st.Name], s.dirty = &z, true
	}
	e.do(func(s *state) {
		for name, addr := range e.cfg.NB {
			if name != "" {
				e.zones.add(s, e.dial(nbdb.Config{Name: name, Addr: addr}), e.cfg.Reconcile)
			}
		}
		if unnamed {
			show(s)
		}
	})
	for wait := 100 * time.Millisecond; unnamed; wait = min(2*wait, 5*time.Second) {
		name, err := zoneName(e.ctx, addr)
		if err == nil {
			e.do(func(s *state) {
				delete(s.zones, st.Name)
				if e.zones.loops[name] != nil {
					s.problem("zone "+name, clean.Text(addr)+" says it is the zone that another --nb names")
					return
				}
				e.zones.add(s, e.dial(nbdb.Config{Name: name, Addr: addr}), e.cfg.Reconcile)
			})
			return
		}
		conn := model.ConnLost
		if errors.Is(err, fs.ErrPermission) {
			conn = model.ConnDenied
		}
		if st.Conn != conn {
			st.Conn, st.ConnAt = conn, e.now()
		}
		st.Attempts++
		st.Error = clean.Text(err.Error())
		e.do(show)
		select {
		case <-e.ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func zoneName(ctx context.Context, addr string) (string, error) {
	db, err := nbdb.Read(ctx, addr)
	if err != nil {
		return "", err
	}
	if g := db.Global(); g != nil && g.Name != "" {
		return g.Name, nil
	}
	return addr, nil
}

// problem puts something that keeps a part of the engine from running among the
// sources, where the screen shows it.
func (e *Engine) problem(name, text string) {
	e.send(func(s *state) { s.problem(name, text) })
}

func (s *state) problem(name, text string) {
	s.problems = append(slices.Clone(s.problems), model.SourceState{Name: name, Conn: model.ConnLost, At: s.e.now(), Error: text})
	s.dirty = true
}

// solved takes the problems of that name away again.
func (e *Engine) solved(name string) {
	e.send(func(s *state) {
		s.problems = slices.DeleteFunc(slices.Clone(s.problems), func(p model.SourceState) bool { return p.Name == name })
		s.dirty = true
	})
}
