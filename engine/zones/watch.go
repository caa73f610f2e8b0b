package zones

import (
	"cmp"
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

// Times of the search for other controllers.
const (
	ownerAsk  = 5 * time.Second  // pause between questions about pods
	ownerKeep = 30 * time.Second // how long an answer counts without a newer one
)

// OwnersConfig holds the settings for zones with other writers.
type OwnersConfig struct {
	OwnerOptions
	Kube *kube.Cluster // nil: no API server to ask
	// Namespace may have OVN-Kubernetes' pods in addition to the usual namespaces.
	Namespace string
	Reports   *Reports
	// Transaction is called for every finished transaction.
	Transaction func(zone string, t reconciler.Transaction)
}

// Owners holds the state shared by all zones that Rung writes but does not own. It has its own lock.
type Owners struct {
	*Loop
	cfg      OwnersConfig
	reporter *kube.Reporter // nil: no reports to the API server

	mu               sync.Mutex
	zones            []string
	askedAt          time.Time // zero: never
	askedNode        string    // the only node asked about; empty: all
	asking           bool
	answer           chan struct{} // closed with the next answer, while asking
	validUntil       time.Time     // of foundControllers
	foundControllers []kube.Controller
	foundNode        string // the only node of foundControllers; empty: all
	lastErr          error
}

// WriterName returns a name that no other process has, nor a later start of this one: the replica's or the
// host's name, with a random part. NB_Global stores it, and people read it.
func WriterName(replica string) string {
	if replica == "" {
		host, _ := os.Hostname()
		replica = cmp.Or(host, "rung")
	}
	return words.CleanText(replica) + "_" + strings.ToLower(rand.Text()[:10])
}

// NewOwners fills in the writer's name and the Lease's defaults.
func NewOwners(l *Loop, cfg OwnersConfig) (*Owners, error) {
	cfg.Writer = cmp.Or(cfg.Writer, WriterName(""))
	if cfg.Lease != nil {
		lease := *cfg.Lease
		lease.Identity = cmp.Or(lease.Identity, cfg.Writer)
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

// Start writes reports to the API server until the loop ends.
func (o *Owners) Start() {
	if o.reporter != nil {
		o.Go(func() { o.reporter.Run(o.Context()) })
	}
}

// WriterName returns the name under which this process holds zones.
func (o *Owners) WriterName() string { return o.cfg.Writer }

// WaitingReports counts the reports that the API server has not accepted yet, and those given up; ok is false
// if nothing is reported.
func (o *Owners) WaitingReports() (waiting int, dropped uint64, ok bool) {
	if o.reporter == nil {
		return 0, 0, false
	}
	waiting, dropped = o.reporter.WaitingReports()
	return waiting, dropped, true
}

// OwnedZone is a zone that Rung writes but does not own. For other zones it is nil, and its methods do
// nothing.
type OwnedZone struct {
	owners     *Owners
	zone       string
	reconciler *reconciler.Reconciler

	mu    sync.Mutex
	guard reconciler.ZoneGuard
	lease string // status of the Lease, in words
	// reports means that this replica writes conditions and events.
	reports bool
}

// OwnZone fills in what a reconciler needs to write a zone with other writers.
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

// Run watches for other writers of the zone, and campaigns for it, until ctx ends.
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
	for ctx.Err() == nil {
		rev := w.owners.Revision()
		f := w.newOwnerFacts(rev)
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
	}
}

// waitForChange waits until the judgement may change: by a revision, by the time to ask for pods, or by an
// answer that somebody else waits for.
func (w *OwnedZone) waitForChange(ctx context.Context, ticks <-chan struct{}, was ownerFacts) {
	due := stoppedTimer() // without pods to ask for, time changes nothing
	defer due.Stop()
	var answer <-chan struct{}
	if was.cluster && was.node {
		var in time.Duration
		in, answer = w.owners.nextAsk()
		due.Reset(in)
	}
	isSame := func(now ownerFacts) bool {
		return was.loaded == now.loaded && was.node == now.node && was.writesOff == now.writesOff // these come from revisions
	}
	for isSame(w.newOwnerFacts(w.owners.Revision())) {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
			return
		case <-answer:
			return
		case <-ticks:
		}
	}
}

// newOwnerFacts returns a revision's facts about the zone's node.
func (w *OwnedZone) newOwnerFacts(rev *revision.Revision) ownerFacts {
	cfg := &w.owners.cfg
	return ownerFacts{zone: w.zone, loaded: rev.Loaded, node: rev.Cluster.Node(w.zone) != nil,
		cluster: cfg.Kube != nil, override: cfg.SoleWriter, writesOff: cfg.WithWrites && !rev.Mode.Writes}
}

// nextAsk returns the time until the next question for controllers, or until the known answer expires. answer
// is closed when a running question is answered; nil if none runs.
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
	return max(next.Sub(now), 0) + DueTolerance, answer
}

// updateGuard applies a change and gives the reconciler the new guard.
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

// controllersOn returns the controllers on a zone's node. One question serves all zones of the process; its
// answer stays valid for a while if the next question fails.
func (o *Owners) controllersOn(ctx context.Context, node string) (asked bool, on []kube.Controller, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// An answer about one node's pods does not cover another's.
	known := func() bool {
		return !o.validUntil.IsZero() && time.Since(o.validUntil) <= ownerKeep && (o.foundNode == "" || o.foundNode == node)
	}
	if !o.asking && (o.askedAt.IsZero() || time.Since(o.askedAt) >= ownerAsk || o.askedNode != "" && o.askedNode != node) {
		only := words.Choose(len(o.zones) == 1, node, "")
		o.asking, o.answer = true, make(chan struct{})
		o.mu.Unlock()
		found, err := o.askControllers(ctx, only)
		o.mu.Lock()
		close(o.answer)
		o.asking, o.askedAt, o.askedNode, o.lastErr = false, time.Now(), only, err
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

// clearReports removes the reports of a zone's controller whose node was deleted
// (ovn-kubernetes.md#status-conditions); from the API server only if Rung reported them.
func (w *OwnedZone) clearReports(rev *revision.Revision) {
	t := conditionType(w.zone)
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
