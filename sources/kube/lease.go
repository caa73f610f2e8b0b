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

// LeaseConfig says how replicas agree on who writes a zone. A Lease alone does
// not keep a process that was stopped from writing: the reconciler's fence does.
type LeaseConfig struct {
	// Namespace is where the Leases are.
	Namespace string
	// Identity is this replica's name, another one at every start.
	Identity string
	// Duration is how long others wait for a leader that does not renew (15 s when
	// 0), RenewDeadline how long a leader tries to renew before it gives up (10 s),
	// RetryPeriod the time between two tries (2 s).
	Duration, RenewDeadline, RetryPeriod time.Duration
}

// WithDefaults is the configuration with the defaults; an error says which times do not
// go together.
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

// leaseJitter is how much longer than the retry period a replica may wait that wants to
// lead, as a factor: so replicas do not ask together.
const leaseJitter = 1.2

const leasePrefix = "rung-reconcile-"

// LeaseName is the name of a zone's Lease. A zone whose name cannot be part of an
// object's name, or is too long, goes by a hash of it.
func LeaseName(zone string) string {
	name := leasePrefix + zone
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return name
	}
	sum := sha256.Sum256([]byte(zone))
	return leasePrefix + "h-" + hex.EncodeToString(sum[:16])
}

// LeaseCalls are the functions that a campaign calls. All must be set.
type LeaseCalls struct {
	// Lead runs while this replica leads: its context ends when it leads no longer.
	// The next campaign begins when it has returned; when it returns by itself the
	// Lease is given up.
	Lead func(context.Context)
	// Other is told who leads when that is somebody else, Trouble what the API
	// server says when the Lease cannot be read or written. Neither may block.
	Other   func(identity string)
	Trouble func(error)
}

// CampaignForZone campaigns for a zone until ctx ends, again and again.
//
// It does what client-go's leaderelection does, which brings all groups of the API along (9.4 MB of
// the program and 2 ms of every start; see Builtin), and two things more: the Lease is given up only
// when CampaignForZone has returned, and calls hear of every error.
func (c *Cluster) CampaignForZone(ctx context.Context, zone string, cfg LeaseConfig, calls LeaseCalls) error {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return fmt.Errorf("lead zone %s: %w", words.CleanText(zone), err)
	}
	e := election{c: c, cfg: cfg, name: LeaseName(zone), calls: calls}
	for ctx.Err() == nil {
		e.runTerm(ctx)
	}
	return nil
}

// election is the Lease of a zone as one replica sees it.
type election struct {
	c     *Cluster
	cfg   LeaseConfig
	name  string
	calls LeaseCalls

	lease     *coordinationv1.Lease // as it was seen last, nil before
	seenSince time.Time             // when its content was seen first, by this machine's clock
}

// runTerm is one campaign and, if it is won, the time of leading.
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
	// Writing ends before the Lease is given up: it is renewed until CampaignForZone has returned,
	// also when ctx has ended.
	ctx = context.WithoutCancel(ctx)
	e.renewLease(ctx, returned)
	end()
	<-returned
	e.releaseLease(ctx)
}

// renewLease keeps the Lease until CampaignForZone has returned, or until it could not be
// renewed for as long as RenewDeadline or is another's.
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

// tryLease takes the Lease or renews it, and says whether this replica holds it now.
func (e *election) tryLease(ctx context.Context) bool {
	if e.holder() == e.cfg.Identity && e.isHolderValid() && e.takeLease(ctx) {
		return true // one request: nobody has changed it
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

// takeLease writes this replica into the Lease as it was seen last; it says whether the server
// took that.
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

// releaseLease gives the Lease up, if it is still this replica's.
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

// writeLease replaces the content of the Lease unless somebody has changed it since it was seen
// last; it says whether the server took that.
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

// noteLease takes in the Lease as the server has it, and tells of another leader.
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

// holder returns the identity of the Lease's holder, as far as was seen; empty for nobody.
func (e *election) holder() string {
	if e.lease == nil || e.lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *e.lease.Spec.HolderIdentity
}

// isHolderValid says whether the holder of the Lease may still count on it. The clocks of other
// replicas do not matter: it was seen to change, or it was not.
func (e *election) isHolderValid() bool {
	return e.lease.Spec.LeaseDurationSeconds != nil &&
		time.Since(e.seenSince) < time.Duration(*e.lease.Spec.LeaseDurationSeconds)*time.Second
}

// reportFailure reports why a request failed.
func (e *election) reportFailure(verb string, err error) {
	// Somebody else's change meanwhile is the usual course.
	if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
		e.calls.Trouble(fmt.Errorf("%s lease %s/%s: %s", verb, e.cfg.Namespace, e.name, words.CleanText(err.Error())))
	}
}
