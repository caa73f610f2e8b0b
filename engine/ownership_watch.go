package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rung/engine/loop"
	"rung/model"
	"rung/model/clean"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
)

// Times of looking for other controllers.
const (
	ownerAsk  = 5 * time.Second  // at the pods
	ownerKeep = 30 * time.Second // an answer counts, if there is no newer one
)

// owners is what all zones share that are written and not Rung's own.
type owners struct {
	e        *Engine
	writer   string
	reporter *kube.Reporter // nil: nothing is reported outside
	metrics  *metrics

	mu      sync.Mutex
	zones   []string
	asked   time.Time // zero: never
	askedOf string    // the only node that was asked about; empty: all
	asking  bool
	answer  chan struct{} // closed with the next answer, where asking
	good    time.Time     // of found
	found   []kube.Controller
	of      string // the only node found is about; empty: all
	lastErr error
}

// WriterName is a name that no other process has, nor a later start of this one,
// for a replica: its own, or that of the host. NB_Global keeps it, and people
// read it.
func WriterName(replica string) string {
	if replica == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "rung"
		}
		replica = host
	}
	return clean.Text(replica) + "_" + strings.ToLower(rand.Text()[:10])
}

// Writer is the name under which this process holds zones.
func (e *Engine) Writer() string { return e.owners.writer }

func (e *Engine) newOwners() (*owners, error) {
	o := &owners{e: e, writer: e.cfg.Own.Writer, metrics: newMetrics(e)}
	if o.writer == "" {
		o.writer = WriterName("")
	}
	if e.cfg.Own.Lease != nil {
		lease := *e.cfg.Own.Lease
		if lease.Identity == "" {
			lease.Identity = o.writer
		}
		lease, err := lease.Filled()
		if err != nil {
			return nil, err
		}
		if e.cfg.Kube == nil {
			return nil, fmt.Errorf("a Lease needs a cluster: leave the Lease out, or give a kubeconfig")
		}
		e.cfg.Own.Lease = &lease
	}
	if e.cfg.Own.Report && e.cfg.Kube != nil {
		o.reporter = kube.NewReporter(e.cfg.Kube, func(err error) {
			e.loop.Record(model.Activity{By: "reporter", Summary: "report to the API server", Error: err.Error()})
		})
	}
	return o, nil
}

// owned is one zone that is written and not Rung's own.
type owned struct {
	o    *owners
	zone string
	r    *reconciler.Reconciler

	mu    sync.Mutex
	guard reconciler.Guard
	lease string // what is to be said about the Lease
	// reports says that conditions and events are this replica's to write.
	reports bool
}

// own fills in what a reconciler needs to write a zone beside others; nil where it
// does not.
func (o *owners) own(zone string, write bool, rc *reconciler.Config) *owned {
	cfg := &o.e.cfg
	if cfg.Sandbox != nil || !write {
		return nil
	}
	w := &owned{o: o, zone: zone, guard: reconciler.Guard{Hold: "looking for other controllers"},
		reports: cfg.Own.Lease == nil}
	rc.Fence = &reconciler.Fence{Writer: o.writer, Quiet: cfg.Own.Quiet, Guard: w.guard}
	if cfg.Own.Lease != nil {
		rc.Mode = reconciler.Observe // until it leads
	}
	if cfg.Own.WithoutAdmin {
		rc.Leave = map[model.Kind]bool{model.KindANP: true, model.KindBANP: true, model.KindCNP: true}
	}
	rc.OnTransaction = func(t reconciler.Transaction) { o.metrics.transaction(zone, t) }
	o.mu.Lock()
	o.zones = append(o.zones, zone)
	o.mu.Unlock()
	return w
}

// run watches who else writes the zone, and campaigns for it, until ctx ends.
func (w *owned) run(ctx context.Context, r *reconciler.Reconciler) {
	if w == nil {
		return
	}
	w.r = r
	var wg sync.WaitGroup
	wg.Go(func() { w.watch(ctx) })
	if w.o.e.cfg.Own.Lease != nil {
		wg.Go(func() { w.campaign(ctx) })
	}
	wg.Wait()
	o := w.o
	o.mu.Lock()
	o.zones = slices.DeleteFunc(o.zones, func(z string) bool { return z == w.zone })
	o.mu.Unlock()
}

// watch keeps the guard up to date.
func (w *owned) watch(ctx context.Context) {
	ticks, stop := w.o.e.Subscribe()
	defer stop()
	known, gone := false, false
	for {
		rev := w.o.e.Revision()
		f := w.facts(rev)
		known = known || f.node
		f.nodeGone = known && !f.node && f.loaded
		if f.nodeGone && !gone {
			w.clear(rev)
		}
		gone = f.nodeGone
		if f.cluster && f.node {
			f.asked, f.controllers, f.err = w.o.controllers(ctx, w.zone)
		}
		if ctx.Err() != nil {
			return
		}
		w.set(func() { w.guard = judgeOwner(f) })
		if w.rest(ctx, ticks, f); ctx.Err() != nil {
			return
		}
	}
}

// rest waits until what was judged may be otherwise: a revision says so, or pods are
// to be asked for, or somebody who asked got the answer.
func (w *owned) rest(ctx context.Context, ticks <-chan struct{}, was ownerFacts) {
	var due loop.Timer // without pods to ask for nothing changes by the time
	defer due.Stop()
	var answer <-chan struct{}
	if was.cluster && was.node {
		var in time.Duration
		in, answer = w.o.again()
		due.Set(in)
	}
	for sameFacts(was, w.facts(w.o.e.Revision())) {
		select {
		case <-ctx.Done():
			return
		case <-due.Rings():
			return
		case <-answer:
			return
		case <-ticks:
		}
	}
}

// facts are what a revision says of the zone's node.
func (w *owned) facts(rev *revision.Revision) ownerFacts {
	cfg := &w.o.e.cfg
	return ownerFacts{zone: w.zone, loaded: rev.Loaded, node: rev.Cluster.Node(w.zone) != nil,
		cluster: cfg.Kube != nil, override: cfg.Own.NobodyElse, off: cfg.Own.WithWrites && !rev.Mode.Writes}
}

// sameFacts compares what revisions may say differently.
func sameFacts(a, b ownerFacts) bool {
	return a.loaded == b.loaded && a.node == b.node && a.off == b.off
}

// again is when to ask for controllers again, or to look because what is known
// counts no longer; and where somebody asks just now, when the answer has come.
func (o *owners) again() (in time.Duration, answer <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	next := o.asked.Add(ownerAsk)
	if o.asking {
		next, answer = now.Add(ownerAsk), o.answer
	}
	if stale := o.good.Add(ownerKeep); stale.After(now) && stale.Before(next) {
		next = stale
	}
	return max(next.Sub(now), 0) + loop.Slack, answer
}

// set changes what the reconciler is told.
func (w *owned) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	g := w.guard
	if g.Note != "" && w.lease != "" {
		g.Note += "; "
	}
	g.Note += w.lease
	w.r.SetGuard(g)
}

// controllers are those that run on a zone's node. One question serves all
// zones of the process; an answer counts for a while when the next is none.
func (o *owners) controllers(ctx context.Context, node string) (asked bool, on []kube.Controller, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// What is known of one node's pods says nothing about another's.
	known := func() bool {
		return !o.good.IsZero() && time.Since(o.good) <= ownerKeep && (o.of == "" || o.of == node)
	}
	if !o.asking && (o.asked.IsZero() || time.Since(o.asked) >= ownerAsk || o.askedOf != "" && o.askedOf != node) {
		only := ""
		if len(o.zones) == 1 {
			only = node
		}
		o.asking, o.answer = true, make(chan struct{})
		o.mu.Unlock()
		found, err := o.ask(ctx, only)
		o.mu.Lock()
		close(o.answer)
		o.asking, o.asked, o.askedOf, o.lastErr = false, time.Now(), only, err
		if err == nil {
			o.good, o.found, o.of = o.asked, found, only
		}
	}
	if !known() {
		return o.lastErr != nil, nil, o.lastErr
	}
	for _, c := range o.found {
		if c.Node == node {
			on = append(on, c)
		}
	}
	return true, on, nil
}

func (o *owners) ask(ctx context.Context, node string) ([]kube.Controller, error) {
	ctx, cancel := context.WithTimeout(ctx, ownerAsk)
	defer cancel()
	namespaces := kube.OVNNamespaces()
	if ns := o.e.cfg.OVNNamespace; ns != "" && !slices.Contains(namespaces, ns) {
		namespaces = append(namespaces, ns)
	}
	return o.e.cfg.Kube.Controllers(ctx, namespaces, node)
}

// clear takes away what the controller of a zone reported whose node is gone
// (ovn-kubernetes.md#status-conditions); from the API server only if that was Rung.
func (w *owned) clear(rev *revision.Revision) {
	t := conditionOf(w.zone)
	var of []model.PolicyKey
	for _, k := range []model.Kind{model.KindANP, model.KindBANP} {
		for p := range rev.Cluster.Policies(k) {
			if slices.ContainsFunc(rev.Conditions(p.Key), func(c model.Condition) bool { return c.Type == t }) {
				of = append(of, p.Key)
			}
		}
	}
	w.o.e.send(func(s *state) {
		for k := range s.conditions {
			delete(s.conditions[k], t)
		}
		s.conditionsNew = true
		s.Changed()
	})
	if !w.r.State().Held || w.o.e.cfg.Own.WithoutAdmin {
		return
	}
	w.report(func(r *kube.Reporter) {
		for _, k := range of {
			r.ClearZone(w.zone, k)
		}
	})
}
