package zones

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
)

// Times of looking for other controllers.
const (
	ownerAsk  = 5 * time.Second  // at the pods
	ownerKeep = 30 * time.Second // an answer counts, if there is no newer one
)

// Config holds the settings for writing zones beside other writers.
type OwnersConfig struct {
	OwnerOptions
	Kube *kube.Cluster // nil: there is no API server to ask
	// Namespace is where OVN-Kubernetes' pods are, besides the usual namespaces.
	Namespace string
	Reports   *Reports
	// Transaction hears of every transaction that ended.
	Transaction func(zone string, t reconciler.Transaction)
}

// Owners holds the state that is shared by all zones that are written and not Rung's own.
// It locks itself.
type Owners struct {
	*Loop
	cfg      OwnersConfig
	reporter *kube.Reporter // nil: nothing is reported outside

	mu               sync.Mutex
	zones            []string
	askedAt          time.Time // zero: never
	askedOf          string    // the only node that was asked about; empty: all
	asking           bool
	answer           chan struct{} // closed with the next answer, where asking
	validUntil       time.Time     // of found
	foundControllers []kube.Controller
	foundNode        string // the only node found is about; empty: all
	lastErr          error
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
	return words.CleanText(replica) + "_" + strings.ToLower(rand.Text()[:10])
}

// New fills in the writer's name and the Lease's defaults.
func NewOwners(l *Loop, cfg OwnersConfig) (*Owners, error) {
	if cfg.Writer == "" {
		cfg.Writer = WriterName("")
	}
	if cfg.Lease != nil {
		lease := *cfg.Lease
		if lease.Identity == "" {
			lease.Identity = cfg.Writer
		}
		lease, err := lease.WithDefaults()
		if err != nil {
			return nil, err
		}
		if cfg.Kube == nil {
			return nil, fmt.Errorf("a Lease needs a cluster: leave the Lease out, or give a kubeconfig")
		}
		cfg.Lease = &lease
	}
	o := &Owners{Loop: l, cfg: cfg}
	if cfg.Report && cfg.Kube != nil {
		o.reporter = kube.NewReporter(cfg.Kube, func(err error) {
			l.RecordActivity(model.Activity{By: "reporter", Summary: "report to the API server", Error: err.Error()})
		})
	}
	return o, nil
}

// Start has what is reported written to the API server, until the loop ends.
func (o *Owners) Start() {
	if o.reporter != nil {
		o.Go(func() { o.reporter.Run(o.Context()) })
	}
}

// WriterName is the name under which this process holds zones.
func (o *Owners) WriterName() string { return o.cfg.Writer }

// WaitingReports are the reports that the API server has not taken yet, and those that were
// given up; ok is false where nothing is reported.
func (o *Owners) WaitingReports() (waiting int, dropped uint64, ok bool) {
	if o.reporter == nil {
		return 0, 0, false
	}
	waiting, dropped = o.reporter.WaitingReports()
	return waiting, dropped, true
}

// OwnedZone is one zone that is written and not Rung's own. Its methods do nothing on nil: a
// zone that is not written, or Rung's own.
type OwnedZone struct {
	owners     *Owners
	zone       string
	reconciler *reconciler.Reconciler

	mu    sync.Mutex
	guard reconciler.ZoneGuard
	lease string // what is to be said about the Lease
	// reports says that conditions and events are this replica's to write.
	reports bool
}

// OwnZone fills in what a reconciler needs to write a zone beside others.
func (o *Owners) OwnZone(zone string, rc *reconciler.Config) *OwnedZone {
	w := &OwnedZone{owners: o, zone: zone, guard: reconciler.ZoneGuard{WhyHeld: "looking for other controllers", Starting: true},
		reports: o.cfg.Lease == nil}
	rc.Fence = &reconciler.ZoneFence{Writer: o.cfg.Writer, Quiet: o.cfg.Quiet, Guard: w.guard}
	if o.cfg.Lease != nil {
		rc.Mode = reconciler.Observe // until it leads
	}
	if o.cfg.WithoutAdmin {
		rc.LeftAloneKinds = map[model.Kind]bool{model.KindANP: true, model.KindBANP: true, model.KindCNP: true}
	}
	rc.OnTransaction = func(t reconciler.Transaction) { o.cfg.Transaction(zone, t) }
	rc.Status, rc.Events = zoneReports{o.cfg.Reports, zone, w}, zoneReports{o.cfg.Reports, zone, w}
	o.mu.Lock()
	o.zones = append(o.zones, zone)
	o.mu.Unlock()
	return w
}

// Run watches who else writes the zone, and campaigns for it, until ctx ends.
func (w *OwnedZone) Run(ctx context.Context, r *reconciler.Reconciler) {
	if w == nil {
		return
	}
	w.reconciler = r
	var wg sync.WaitGroup
	wg.Go(func() { w.watchGuard(ctx) })
	if w.owners.cfg.Lease != nil {
		wg.Go(func() { w.campaign(ctx) })
	}
	wg.Wait()
	o := w.owners
	o.mu.Lock()
	o.zones = slices.DeleteFunc(o.zones, func(z string) bool { return z == w.zone })
	o.mu.Unlock()
}

// watchGuard keeps the guard up to date.
func (w *OwnedZone) watchGuard(ctx context.Context) {
	ticks, stop := w.owners.Subscribe()
	defer stop()
	known, gone := false, false
	for {
		rev := w.owners.Revision()
		f := w.ownerFactsOf(rev)
		known = known || f.node
		f.nodeGone = known && !f.node && f.loaded
		if f.nodeGone && !gone {
			w.clearReports(rev)
		}
		gone = f.nodeGone
		if f.cluster && f.node {
			f.podsAsked, f.controllers, f.err = w.owners.controllersOn(ctx, w.zone)
		}
		if ctx.Err() != nil {
			return
		}
		w.updateGuard(func() { w.guard = judgeOwner(f) })
		w.waitForChange(ctx, ticks, f)
		if ctx.Err() != nil {
			return
		}
	}
}

// waitForChange waits until what was judged may be otherwise: a revision says so, or pods are
// to be asked for, or somebody who asked got the answer.
func (w *OwnedZone) waitForChange(ctx context.Context, ticks <-chan struct{}, was ownerFacts) {
	var due Timer // without pods to ask for nothing changes by the time
	defer due.Stop()
	var answer <-chan struct{}
	if was.cluster && was.node {
		var in time.Duration
		in, answer = w.owners.nextAsk()
		due.Set(in)
	}
	for sameFacts(was, w.ownerFactsOf(w.owners.Revision())) {
		select {
		case <-ctx.Done():
			return
		case <-due.RingChannel():
			return
		case <-answer:
			return
		case <-ticks:
		}
	}
}

// ownerFactsOf returns the facts that a revision holds about the zone's node.
func (w *OwnedZone) ownerFactsOf(rev *revision.Revision) ownerFacts {
	cfg := &w.owners.cfg
	return ownerFacts{zone: w.zone, loaded: rev.Loaded, node: rev.Cluster.Node(w.zone) != nil,
		cluster: cfg.Kube != nil, override: cfg.NobodyElse, writesOff: cfg.WithWrites && !rev.Mode.Writes}
}

// sameFacts compares what revisions may say differently.
func sameFacts(a, b ownerFacts) bool {
	return a.loaded == b.loaded && a.node == b.node && a.writesOff == b.writesOff
}

// nextAsk is when to ask for controllers again, or to look because what is known
// counts no longer; and where somebody asks just now, when the answer has come.
func (o *Owners) nextAsk() (in time.Duration, answer <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	next := o.askedAt.Add(ownerAsk)
	if o.asking {
		next, answer = now.Add(ownerAsk), o.answer
	}
	if stale := o.validUntil.Add(ownerKeep); stale.After(now) && stale.Before(next) {
		next = stale
	}
	return max(next.Sub(now), 0) + Slack, answer
}

// updateGuard changes what the reconciler is told.
func (w *OwnedZone) updateGuard(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	g := w.guard
	if g.Notice != "" && w.lease != "" {
		g.Notice += "; "
	}
	g.Notice += w.lease
	w.reconciler.SetGuard(g)
}

// controllersOn returns the controllers that run on a zone's node. One question serves
// all zones of the process; an answer counts for a while when the next question gets
// none.
func (o *Owners) controllersOn(ctx context.Context, node string) (asked bool, on []kube.Controller, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// An answer about one node's pods says nothing about another's.
	known := func() bool {
		return !o.validUntil.IsZero() && time.Since(o.validUntil) <= ownerKeep && (o.foundNode == "" || o.foundNode == node)
	}
	if !o.asking && (o.askedAt.IsZero() || time.Since(o.askedAt) >= ownerAsk || o.askedOf != "" && o.askedOf != node) {
		only := ""
		if len(o.zones) == 1 {
			only = node
		}
		o.asking, o.answer = true, make(chan struct{})
		o.mu.Unlock()
		found, err := o.askControllers(ctx, only)
		o.mu.Lock()
		close(o.answer)
		o.asking, o.askedAt, o.askedOf, o.lastErr = false, time.Now(), only, err
		if err == nil {
			o.validUntil, o.foundControllers, o.foundNode = o.askedAt, found, only
		}
	}
	if !known() {
		return o.lastErr != nil, nil, o.lastErr
	}
	for _, c := range o.foundControllers {
		if c.Node == node {
			on = append(on, c)
		}
	}
	return true, on, nil
}

func (o *Owners) askControllers(ctx context.Context, node string) ([]kube.Controller, error) {
	ctx, cancel := context.WithTimeout(ctx, ownerAsk)
	defer cancel()
	namespaces := kube.OVNNamespaces()
	if ns := o.cfg.Namespace; ns != "" && !slices.Contains(namespaces, ns) {
		namespaces = append(namespaces, ns)
	}
	return o.cfg.Kube.Controllers(ctx, namespaces, node)
}

// clearReports takes away what the controller of a zone reported whose node is gone
// (ovn-kubernetes.md#status-conditions); from the API server only if that was Rung.
func (w *OwnedZone) clearReports(rev *revision.Revision) {
	t := conditionOf(w.zone)
	var of []model.PolicyKey
	for _, k := range []model.Kind{model.KindANP, model.KindBANP} {
		for p := range rev.Cluster.Policies(k) {
			if slices.ContainsFunc(rev.Conditions(p.Key), func(c model.Condition) bool { return c.Type == t }) {
				of = append(of, p.Key)
			}
		}
	}
	w.owners.Send(func() { w.owners.cfg.Reports.ForgetZone(w.zone) })
	if !w.reconciler.State().RowsHeld || w.owners.cfg.WithoutAdmin {
		return
	}
	w.reportToServer(func(r *kube.Reporter) {
		for _, k := range of {
			r.ClearZone(w.zone, k)
		}
	})
}
