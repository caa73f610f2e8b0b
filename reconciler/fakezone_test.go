package reconciler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

var errLost = errors.New("connection reset by peer")

// fault is what goes wrong with a transaction.
type fault int

const (
	works      fault = iota
	isRefused        // the server says no
	lostBefore       // the connection breaks, nothing was done
	lostAfter        // the connection breaks, but the server had done it
	hangs            // no answer ever
	trouble          // an error that says nothing about the operations, for this one alone
)

// fakeZone is a zone over a fakeDB.
type fakeZone struct {
	mu    sync.Mutex
	f     fakeDB
	up    bool
	queue []model.ZoneUpdate
	news  chan struct{}

	txs     [][]nb.Op // what was asked for, refused or not
	resyncs int
	fault   func(ops []nb.Op) fault
	delay   time.Duration // until an update is told
	takes   time.Duration // a transaction
	writing time.Duration // until the next transaction is on its way

	alter func(*nb.AddressSet) // what the server makes of a set that is to be made

	sent     []*sending // and not answered
	most     int        // so many at a time
	buffered bool       // when the connection breaks, the server has what was sent, and does it
}

// sending is a transaction on its way.
type sending struct {
	ops  []nb.Op
	lost bool // the connection broke before the server had come to it
	done chan struct{}
	res  []nb.OpResult
	err  error
}

func newFakeZone() *fakeZone {
	return &fakeZone{f: fakeDB{db: (*nb.DB)(nil).Apply(nil)}, news: make(chan struct{}, 1), fault: func([]nb.Op) fault { return works }}
}

func (z *fakeZone) Name() string     { return "n1" }
func (z *fakeZone) Endpoint() string { return "fake:n1" }

func (z *fakeZone) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-z.news:
		}
		z.mu.Lock()
		queue, delay := z.queue, z.delay
		z.queue = nil
		z.mu.Unlock()
		if delay > 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(delay):
			}
		}
		for _, u := range queue {
			sink(u)
		}
	}
}

// tell queues an update; the lock is held.
func (z *fakeZone) tell(u model.ZoneUpdate) {
	u.At = time.Now()
	z.queue = append(z.queue, u)
	select {
	case z.news <- struct{}{}:
	default:
	}
}

func (z *fakeZone) do(f func()) {
	z.mu.Lock()
	defer z.mu.Unlock()
	f()
}

func (z *fakeZone) connect() {
	z.do(func() {
		z.up = true
		z.tell(model.ZoneUpdate{Conn: model.ConnSynced, Server: "fake", DB: z.f.db, Resync: true})
	})
}

func (z *fakeZone) disconnect() { z.do(z.drop) }

func (z *fakeZone) drop() {
	for _, tx := range z.sent {
		if z.up && z.buffered && !tx.lost {
			_, _, _ = z.f.transact(tx.ops)
		}
		tx.lost = true
	}
	if z.up {
		z.up = false
		z.tell(model.ZoneUpdate{Conn: model.ConnLost, Error: errLost.Error(), Attempts: 1})
	}
}

// meddle changes rows behind the reconciler's back.
func (z *fakeZone) meddle(f func(f *fakeDB) []nb.RowChange) {
	z.do(func() {
		if changes := f(&z.f); len(changes) > 0 && z.up {
			z.tell(model.ZoneUpdate{Conn: model.ConnSynced, DB: z.f.db, Changes: changes})
		}
	})
}

func (z *fakeZone) put(changes ...nb.RowChange) {
	z.meddle(func(f *fakeDB) []nb.RowChange { return f.put(changes...) })
}

// port makes the logical switch port of a pod.
func (z *fakeZone) port(name string) {
	z.meddle(func(f *fakeDB) []nb.RowChange {
		return f.put(nb.RowChange{New: &nb.LogicalSwitchPort{UUID: f.uuid(), Name: name}})
	})
}

func (z *fakeZone) Resync() {
	z.do(func() {
		z.resyncs++
		z.drop()
	})
	z.connect()
}

func (z *fakeZone) Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error) {
	return z.Send(ctx, ops)()
}

func (z *fakeZone) Send(ctx context.Context, ops []nb.Op) (wait func() ([]nb.OpResult, error)) {
	tx := &sending{ops: slices.Clone(ops), done: make(chan struct{})}
	z.mu.Lock()
	defer z.mu.Unlock()
	if d := z.writing; d > 0 {
		z.writing = 0
		z.mu.Unlock()
		time.Sleep(d)
		z.mu.Lock()
	}
	var first *sending
	if n := len(z.sent); n > 0 {
		first = z.sent[n-1]
	}
	z.sent = append(z.sent, tx)
	z.most = max(z.most, len(z.sent))
	go func() {
		defer close(tx.done)
		if first != nil {
			<-first.done
		}
		z.mu.Lock()
		defer z.mu.Unlock()
		tx.res, tx.err = z.transact(ctx, tx)
		z.answered(tx)
	}()
	return func() ([]nb.OpResult, error) {
		<-tx.done
		return tx.res, tx.err
	}
}

func (z *fakeZone) answered(tx *sending) {
	z.sent = slices.DeleteFunc(z.sent, func(o *sending) bool { return o == tx })
}

// transact does a transaction whose turn has come; the lock is held.
func (z *fakeZone) transact(ctx context.Context, tx *sending) ([]nb.OpResult, error) {
	if !z.up && !tx.lost {
		return nil, errLost
	}
	if d := z.takes; d > 0 && !tx.lost {
		z.mu.Unlock()
		time.Sleep(d)
		z.mu.Lock()
		if ctx.Err() != nil { // it was not waited for any longer
			z.drop()
		}
	}
	if tx.lost {
		return nil, errLost
	}
	z.txs = append(z.txs, tx.ops)
	kind := z.fault(tx.ops)
	if kind != hangs {
		z.answered(tx)
	}
	switch kind {
	case trouble:
		return nil, errors.New("I/O error")
	case isRefused:
		return nil, refused("constraint violation: as told")
	case lostBefore:
		z.drop()
		return nil, errLost
	case hangs:
		z.mu.Unlock()
		<-ctx.Done()
		z.mu.Lock()
		z.answered(tx)
		z.drop()
		return nil, ctx.Err()
	}
	results, changes, err := z.f.transact(tx.ops)
	if err != nil {
		return nil, err
	}
	for i, ch := range changes {
		if s, ok := ch.New.(*nb.AddressSet); ok && ch.Old == nil && z.alter != nil {
			other := *s
			z.alter(&other)
			z.f.db = z.f.db.Apply([]nb.RowChange{{Old: s, New: &other}})
			changes[i].New = &other
		}
	}
	if kind == lostAfter {
		z.drop()
		return nil, errLost
	}
	if len(changes) > 0 {
		z.tell(model.ZoneUpdate{Conn: model.ConnSynced, DB: z.f.db, Changes: changes})
	}
	return results, nil
}

func (z *fakeZone) db() *nb.DB {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.f.db
}

// seen is how many transactions were under way at a time, and how often a fresh read was
// asked for.
func (z *fakeZone) seen() (most, resyncs int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.most, z.resyncs
}

// taken returns and forgets the transactions so far.
func (z *fakeZone) taken() [][]nb.Op {
	z.mu.Lock()
	defer z.mu.Unlock()
	txs := z.txs
	z.txs = nil
	return txs
}

// bench is a reconciler with a fake zone and a world, inside a synctest bubble.
type bench struct {
	*world
	t      *testing.T
	z      *fakeZone
	r      *Reconciler
	end    func() // Run
	mu     sync.Mutex
	acts   []model.Activity
	conds  []string
	evts   []string
	states int
	slow   time.Duration // that taking in a state takes
}

func (b *bench) SetCondition(k model.PolicyKey, c model.Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conds = append(b.conds, k.Name+" "+c.Type+" "+c.Status+" "+c.Reason+" "+c.Message)
}

func (b *bench) Event(e model.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.evts = append(b.evts, e.About.Name+" "+e.Reason+" "+e.Message)
}

// run runs the test with a reconciler over a connected, empty zone.
func run(t *testing.T, mode Mode, f func(b *bench), set ...func(*Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{world: newWorld(1), t: t, z: newFakeZone()}
		cfg := Config{Zone: b.z, Mode: mode, Status: b, Events: b,
			OnActivity: func(a model.Activity) { b.mu.Lock(); b.acts = append(b.acts, a); b.mu.Unlock() },
			OnState: func(*model.ZoneState) {
				b.mu.Lock()
				b.states++
				slow := b.slow
				b.mu.Unlock()
				time.Sleep(slow)
			},
		}
		for _, s := range set {
			s(&cfg)
		}
		b.r = NewZone(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); b.r.Run(ctx) }()
		b.end = func() { cancel(); <-done }
		defer b.end()
		b.z.connect()
		f(b)
	})
}

// give hands the world's rows over.
func (b *bench) give(delta *compiler.Delta) { b.r.SetDesired(b.d, delta, true) }

// set changes the cluster and hands the rows over.
func (b *bench) have(objects ...model.Object) { b.give(b.world.set(objects)) }

// calm lets everything settle that needs no more than d.
func (b *bench) calm(d time.Duration) { time.Sleep(d); synctest.Wait() }

func (b *bench) takeConds() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.conds
	b.conds = nil
	return out
}

func (b *bench) takeEvents() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.evts
	b.evts = nil
	return out
}

func (b *bench) takeActs() []model.Activity {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.acts
	b.acts = nil
	return out
}

// converged fails unless the zone holds a fresh compile of the cluster and the
// published state says so.
func (b *bench) converged() {
	b.t.Helper()
	if diff := diffZone(b.t, b.cluster, "n1", b.z.db()); diff != "" {
		b.t.Fatalf("the zone is not as desired (-desired +live)\n%s", diff)
	}
	for k, p := range b.r.State().Policies {
		if !p.InSync && p.None == nil {
			b.t.Fatalf("%s is not in sync: %s\n%s", k, p.Error, diffText(p.Diffs))
		}
	}
}

func (b *bench) in(name string) *model.PolicyInZone {
	b.t.Helper()
	p := b.r.State().PolicyJoin(keyOf(name))
	if p == nil {
		b.t.Fatalf("%s is not in the state", name)
	}
	return p
}
