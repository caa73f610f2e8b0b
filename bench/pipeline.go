package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/reconciler"
	"rung/sources/nbdb"
)

// Pipeline leads from objects to the rows of one zone, as the engine does: every
// step of the cluster is compiled and handed to a reconciler that writes.
type Pipeline struct {
	Zone     string
	Cluster  *model.Cluster
	Desired  *compiler.Desired
	Server   *Server
	Observer *Observer
	Sent     *Tape // nil unless it was asked for

	compiler *compiler.Compiler
	rec      *reconciler.Reconciler
	states   atomic.Pointer[chan struct{}] // closed with the next state
	phase    atomic.Pointer[pprof.LabelSet]
	stop     func()
}

// Config says what a Pipeline is made of.
type Config struct {
	// Cluster is the state at the start; its first node is the zone.
	Cluster *model.Cluster
	// Later are pods that come later; they have their ports already.
	Later []*model.Pod
	// Wrap, where set, stands between the reconciler and its connection.
	Wrap func(reconciler.Zone) reconciler.Zone
	// Record has Sent record what the connection sends.
	Record bool
}

// NewPipeline starts a server with the ports of the pods, and the observer.
// Nothing is compiled, read or written before Start.
func NewPipeline(ctx context.Context, cfg Config) (_ *Pipeline, err error) {
	p := &Pipeline{Cluster: cfg.Cluster, compiler: compiler.New(compiler.Options{})}
	p.Phase("load")
	for n := range cfg.Cluster.Nodes() {
		p.Zone = n.Name
		break
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if p.Server, err = StartServer(ctx, p.Zone); err != nil {
		return p, err
	}
	networks := network.NewTable(cfg.Cluster)
	if err = p.Server.Seed(ctx, slices.AppendSeq(cfg.Later, cfg.Cluster.Pods()), clusterGroups(cfg.Cluster, networks), networks); err != nil {
		return p, err
	}
	if p.Observer, err = Observe(ctx, p.Zone, p.Server.Addr()); err != nil {
		return p, err
	}
	news := make(chan struct{})
	p.states.Store(&news)
	conn := nbdb.Config{Name: p.Zone, Addr: p.Server.Addr(), Share: nbdb.NewSharing(), Slot: p.inPhase}
	if cfg.Record {
		if p.Sent, err = NewTape(); err != nil {
			return p, err
		}
		conn.Dial = func(ctx context.Context) (net.Conn, error) {
			c, err := p.Server.dial(ctx)
			return taped{c, p.Sent}, err
		}
	}
	var zone reconciler.Zone = nbdb.Dial(conn)
	if cfg.Wrap != nil {
		zone = cfg.Wrap(zone)
	}
	p.rec = reconciler.NewZone(reconciler.Config{Zone: zone, Mode: reconciler.Write, Slot: p.inPhase,
		OnState: func(*model.ZoneState) {
			next := make(chan struct{})
			close(*p.states.Swap(&next))
		}})
	return p, nil
}

// Phase names what comes: in a profile the work for it carries the label who=name.
func (p *Pipeline) Phase(name string) {
	labels := pprof.Labels("who", name)
	p.phase.Store(&labels)
}

// inPhase gives the work of reconciler and connection the label of the phase until it is
// released.
func (p *Pipeline) inPhase() (release func()) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), *p.phase.Load()))
	return func() { pprof.SetGoroutineLabels(context.Background()) }
}

// Start connects, compiles the cluster and hands it over.
func (p *Pipeline) Start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { p.rec.Run(ctx) })
	p.stop = func() { cancel(); wg.Wait() }
	var objects []model.Change
	for o := range p.Cluster.Objects() {
		objects = append(objects, model.Change{New: o})
	}
	release := p.inPhase()
	p.Desired, _ = p.compiler.Apply(p.Cluster, objects)
	release()
	p.rec.SetDesired(p.Desired, &compiler.Delta{Everything: true}, true)
}

// Step is one change of the cluster on its way: what it compiled to and how long
// that took, and when the observer sees all of it.
type Step struct {
	Delta    *compiler.Delta
	Compiled time.Duration
	began    time.Time
	seen     <-chan time.Time
}

// Step changes the cluster and hands the rows over.
func (p *Pipeline) Step(upsert []model.Object, remove ...model.Key) *Step {
	began := time.Now()
	next, changes := p.Cluster.Upsert(upsert, remove)
	release := p.inPhase()
	d, delta := p.compiler.Apply(next, changes)
	release()
	s := &Step{Delta: delta, Compiled: time.Since(began)}
	s.seen = p.Observer.Expect(d, delta, p.Zone) // no part of the way
	s.began = time.Now().Add(-s.Compiled)
	p.Cluster, p.Desired = next, d
	p.rec.SetDesired(d, delta, true)
	return s
}

// Seen waits until the observer has seen the step and says how long it took
// from the change of the cluster.
func (s *Step) Seen(ctx context.Context) (time.Duration, error) {
	select {
	case at := <-s.seen:
		return at.Sub(s.began), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("the rows do not come: %w", ctx.Err())
	}
}

// Idle waits until the reconciler has nothing left to write.
func (p *Pipeline) Idle(ctx context.Context) error {
	for {
		news := *p.states.Load()
		z := p.rec.State()
		if z.Conn == model.ConnSynced && z.Steps > 0 && z.Pending == 0 && len(z.Policies) > 0 && allInSync(z) {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("the reconciler is busy with %d policies (%s %s): %w", z.Pending, z.Conn, z.Paused, ctx.Err())
		}
	}
}

func allInSync(z *model.ZoneState) bool {
	for _, p := range z.Policies {
		if !p.InSync {
			return false
		}
	}
	return true
}

// Check compares the rows the observer sees with a compile of the cluster.
func (p *Pipeline) Check() error { return Check(p.Observer.DB(), p.Cluster, p.Zone) }

// Close ends everything.
func (p *Pipeline) Close() error {
	if p.stop != nil {
		p.stop()
	}
	if p.Observer != nil {
		p.Observer.Close()
	}
	var err error
	if p.Sent != nil {
		err = p.Sent.Close()
		p.Sent = nil
	}
	if p.Server != nil {
		err = errors.Join(err, p.Server.Close())
	}
	return err
}
