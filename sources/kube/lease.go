package kube

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"

	"rung/model/words"
	"rung/sources/retry"
)

// LeaseConfig configures how replicas agree on the writer of a zone. A Lease alone does not stop a suspended
// process from writing later: the reconciler's fence does.
type LeaseConfig struct {
	// Prefix begins the names of the Leases, "rung-reconcile-" if empty; the zone follows.
	Prefix string
	// Namespace holds the Leases.
	Namespace string
	// Identity is this replica's name, different at every start.
	Identity string
	// Duration is how long others wait for a leader that stops renewing (15 s if 0). RenewDeadline is how long
	// a leader tries to renew before it gives up (10 s), RetryPeriod the time between two tries (2 s).
	Duration, RenewDeadline, RetryPeriod time.Duration
}

// WithDefaults fills in defaults; an error names invalid or inconsistent values.
func (c LeaseConfig) WithDefaults() (LeaseConfig, error) {
	c.Duration = cmp.Or(c.Duration, 15*time.Second)
	c.RenewDeadline = cmp.Or(c.RenewDeadline, 10*time.Second)
	c.RetryPeriod = cmp.Or(c.RetryPeriod, 2*time.Second)
	switch {
	case c.RetryPeriod <= 0 || float64(c.RenewDeadline) <= leaseJitter*float64(c.RetryPeriod):
		return c, fmt.Errorf("renew deadline %v: want more than %g times the retry period %v", c.RenewDeadline,
			leaseJitter, c.RetryPeriod)
	case c.Duration <= c.RenewDeadline:
		return c, fmt.Errorf("lease duration %v: want more than the renew deadline %v", c.Duration, c.RenewDeadline)
	case len(validation.IsDNS1123Label(c.Namespace)) > 0:
		return c, fmt.Errorf("lease namespace %q: not a valid namespace name", c.Namespace)
	case c.Identity == "":
		return c, fmt.Errorf("the identity of a replica is empty")
	}
	return c, nil
}

// leaseJitter is the factor by which a wait may exceed the retry period, so that replicas do not ask together.
const leaseJitter = 1.2

// LeaseName returns the name of a zone's Lease. It uses a hash if the zone's name is too long or invalid in an
// object's name.
func (c LeaseConfig) LeaseName(zone string) string {
	prefix := cmp.Or(c.Prefix, "rung-reconcile-")
	name := prefix + zone
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return name
	}
	sum := sha256.Sum256([]byte(zone))
	return prefix + "h-" + hex.EncodeToString(sum[:16])
}

// LeaseCalls are the functions called by a campaign. All must be set.
type LeaseCalls struct {
	// Lead runs while this replica leads: its context ends when the lead is lost. The next campaign begins
	// after it has returned. If it returns by itself, the Lease is released.
	Lead func(context.Context)
	// Other gets the identity of another leader, Trouble the errors of reading and writing the Lease. Neither
	// may block.
	Other   func(identity string)
	Trouble func(error)
}

// CampaignForZone campaigns for a zone again and again, until ctx ends.
//
// It replaces client-go's leaderelection, which links all API groups (9.4 MB of the program and 2 ms of every
// start; see Builtin). Unlike that, it keeps the Lease until Lead has returned, and reports every error.
func (c *Cluster) CampaignForZone(ctx context.Context, zone string, cfg LeaseConfig, calls LeaseCalls) error {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return fmt.Errorf("lead zone %s: %w", words.CleanText(zone), err)
	}
	e := election{c: c, cfg: cfg, name: cfg.LeaseName(zone), calls: calls}
	for ctx.Err() == nil {
		e.runTerm(ctx)
	}
	return nil
}

// election is a replica's view of a zone's Lease.
type election struct {
	c     *Cluster
	cfg   LeaseConfig
	name  string
	calls LeaseCalls

	lease     *coordinationv1.Lease // as last seen; nil before
	seenSince time.Time             // when its content was first seen, by this machine's clock
}

// runTerm campaigns once and, if that succeeds, leads.
func (e *election) runTerm(ctx context.Context) {
	for !e.tryLease(ctx) {
		if !retry.Sleep(ctx, wait.Jitter(e.cfg.RetryPeriod, leaseJitter)) {
			return
		}
	}
	lead, end := context.WithCancel(ctx)
	defer end()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		e.calls.Lead(lead)
	}()
	// Writing ends before the Lease is released: it is renewed until Lead has returned, even after ctx has
	// ended.
	ctx = context.WithoutCancel(ctx)
	e.renewLease(ctx, returned)
	end()
	<-returned
	e.releaseLease(ctx)
}

// renewLease renews the Lease until Lead returns, renewals failed for RenewDeadline, or another replica has it.
func (e *election) renewLease(ctx context.Context, returned <-chan struct{}) {
	for until := time.Now().Add(e.cfg.RenewDeadline); ; {
		select {
		case <-returned:
			return
		case <-time.After(min(e.cfg.RetryPeriod, time.Until(until))):
		}
		now := time.Now()
		if !now.Before(until) {
			return
		}
		ask, cancel := context.WithDeadline(ctx, until)
		if e.tryLease(ask) {
			until = now.Add(e.cfg.RenewDeadline)
		}
		cancel()
		if e.holder() != e.cfg.Identity {
			return
		}
	}
}

// tryLease takes or renews the Lease; true if this replica holds it now.
func (e *election) tryLease(ctx context.Context) bool {
	if e.holder() == e.cfg.Identity && e.isHolderValid() && e.takeLease(ctx) {
		return true // one request, since no other replica changed it
	}
	l, err := e.c.Builtin().Leases(e.cfg.Namespace).Get(ctx, e.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		e.lease = nil
	case err != nil:
		e.reportFailure("get", err)
		return false
	default:
		e.noteLease(l)
	}
	if e.holder() != "" && e.holder() != e.cfg.Identity && e.isHolderValid() {
		return false
	}
	return e.takeLease(ctx)
}

// takeLease writes this replica into the last seen Lease; true if the server accepted it.
func (e *election) takeLease(ctx context.Context) bool {
	now, seconds := metav1.NowMicro(), int32(e.cfg.Duration/time.Second)
	spec := coordinationv1.LeaseSpec{HolderIdentity: &e.cfg.Identity, LeaseDurationSeconds: &seconds, AcquireTime: &now,
		RenewTime: &now, LeaseTransitions: new(int32(0))}
	if e.lease == nil {
		l, err := e.c.Builtin().Leases(e.cfg.Namespace).Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: e.cfg.Namespace, Name: e.name}, Spec: spec}, metav1.CreateOptions{})
		if err != nil {
			e.reportFailure("create", err)
			return false
		}
		e.noteLease(l)
		return true
	}
	if old := e.lease.Spec; old.LeaseTransitions != nil {
		*spec.LeaseTransitions = *old.LeaseTransitions
	}
	if e.holder() == e.cfg.Identity {
		spec.AcquireTime = e.lease.Spec.AcquireTime
	} else {
		*spec.LeaseTransitions++
	}
	return e.writeLease(ctx, spec)
}

// releaseLease releases the Lease, if this replica still holds it.
func (e *election) releaseLease(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.RenewDeadline)
	defer cancel()
	l, err := e.c.Builtin().Leases(e.cfg.Namespace).Get(ctx, e.name, metav1.GetOptions{})
	if err != nil {
		e.reportFailure("get", err)
		return
	}
	e.noteLease(l)
	if e.holder() != e.cfg.Identity {
		return
	}
	now := metav1.NowMicro()
	e.writeLease(ctx, coordinationv1.LeaseSpec{LeaseDurationSeconds: new(int32(1)), AcquireTime: &now, RenewTime: &now,
		LeaseTransitions: l.Spec.LeaseTransitions})
}

// writeLease replaces the content of the Lease unless it changed since last seen; true if the server accepted
// it.
func (e *election) writeLease(ctx context.Context, spec coordinationv1.LeaseSpec) bool {
	next := e.lease.DeepCopy()
	next.Spec = spec
	l, err := e.c.Builtin().Leases(e.cfg.Namespace).Update(ctx, next, metav1.UpdateOptions{})
	if err != nil {
		e.reportFailure("update", err)
		return false
	}
	e.noteLease(l)
	return true
}

// noteLease records the server's Lease, and reports another leader.
func (e *election) noteLease(l *coordinationv1.Lease) {
	before := e.holder()
	if e.lease == nil || !equality.Semantic.DeepEqual(e.lease.Spec, l.Spec) {
		e.seenSince = time.Now()
	}
	e.lease = l
	if now := e.holder(); now != before && now != e.cfg.Identity {
		e.calls.Other(words.CleanText(strings.TrimSpace(now)))
	}
}

// holder returns the last seen identity of the Lease's holder; empty if there is none.
func (e *election) holder() string {
	if e.lease == nil || e.lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *e.lease.Spec.HolderIdentity
}

// isHolderValid reports whether the holder may still rely on the Lease. It ignores the clocks of other
// replicas: it measures the time since the last change seen.
func (e *election) isHolderValid() bool {
	return e.lease.Spec.LeaseDurationSeconds != nil &&
		time.Since(e.seenSince) < time.Duration(*e.lease.Spec.LeaseDurationSeconds)*time.Second
}

// reportFailure reports why a request failed.
func (e *election) reportFailure(verb string, err error) {
	// Concurrent changes by other replicas are normal.
	if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
		e.calls.Trouble(fmt.Errorf("%s lease %s/%s: %s", verb, e.cfg.Namespace, e.name, words.CleanText(err.Error())))
	}
}
