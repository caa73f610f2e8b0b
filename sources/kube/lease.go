package kube

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"rung/model/clean"
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

// Filled is the configuration with the defaults; an error says which times do not
// go together.
func (c LeaseConfig) Filled() (LeaseConfig, error) {
	c.Duration = cmp.Or(c.Duration, 15*time.Second)
	c.RenewDeadline = cmp.Or(c.RenewDeadline, 10*time.Second)
	c.RetryPeriod = cmp.Or(c.RetryPeriod, 2*time.Second)
	switch {
	case c.RetryPeriod <= 0 || float64(c.RenewDeadline) <= leaderelection.JitterFactor*float64(c.RetryPeriod):
		return c, fmt.Errorf("renew deadline %v: want more than %g times the retry period %v", c.RenewDeadline,
			leaderelection.JitterFactor, c.RetryPeriod)
	case c.Duration <= c.RenewDeadline:
		return c, fmt.Errorf("lease duration %v: want more than the renew deadline %v", c.Duration, c.RenewDeadline)
	case len(validation.IsDNS1123Label(c.Namespace)) > 0:
		return c, fmt.Errorf("lease namespace %q: not a valid namespace name", c.Namespace)
	case c.Identity == "":
		return c, fmt.Errorf("the identity of a replica is empty")
	}
	return c, nil
}

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

// LeaseCalls are what a campaign calls. All must be set.
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

// Lead campaigns for a zone until ctx ends, again and again.
func (c *Cluster) Lead(ctx context.Context, zone string, cfg LeaseConfig, calls LeaseCalls) error {
	cfg, err := cfg.Filled()
	if err != nil {
		return fmt.Errorf("lead zone %s: %w", clean.Text(zone), err)
	}
	return campaign(ctx, leases{c}, zone, cfg, calls)
}

// leases asks with the credentials the cluster has at the time.
type leases struct{ c *Cluster }

func (l leases) Leases(ns string) coordinationv1.LeaseInterface {
	return l.c.Typed().CoordinationV1().Leases(ns)
}

// campaign is Lead on a configuration that was checked.
func campaign(ctx context.Context, client coordinationv1.LeasesGetter, zone string, cfg LeaseConfig,
	calls LeaseCalls) error {
	for ctx.Err() == nil {
		if err := term(ctx, client, zone, cfg, calls); err != nil {
			return err
		}
	}
	return nil
}

// term is one campaign and, if it is won, the time of leading.
func term(ctx context.Context, client coordinationv1.LeasesGetter, zone string, cfg LeaseConfig,
	calls LeaseCalls) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lock := &leaseLock{LeaseLock: &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: cfg.Namespace, Name: LeaseName(zone)},
		Client:    client, LockConfig: resourcelock.ResourceLockConfig{Identity: cfg.Identity},
	}, trouble: calls.Trouble}
	// Writing ends before the Lease is given up: Lead is waited for, then the
	// election is told to stop, not the other way round.
	election, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var leading sync.WaitGroup
	leading.Add(1)
	begun := make(chan context.Context, 1)
	go func() {
		defer leading.Done()
		defer stop()
		select {
		case <-ctx.Done():
		case <-election.Done():
		case until := <-begun:
			lease, end := context.WithCancel(ctx)
			defer end()
			defer context.AfterFunc(until, end)()
			calls.Lead(lease)
		}
	}()
	le, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: cfg.Duration, RenewDeadline: cfg.RenewDeadline, RetryPeriod: cfg.RetryPeriod,
		ReleaseOnCancel: true,
		Name:            LeaseName(zone),
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(until context.Context) { begun <- until },
			OnStoppedLeading: func() {},
			OnNewLeader: func(id string) {
				if id != cfg.Identity {
					calls.Other(clean.Text(strings.TrimSpace(id)))
				}
			},
		},
	})
	if err == nil {
		le.Run(election)
	}
	stop()
	leading.Wait()
	if err != nil {
		return fmt.Errorf("lead zone %s: %w", clean.Text(zone), err)
	}
	return nil
}

// leaseLock is a lock that does not keep its trouble to itself.
type leaseLock struct {
	*resourcelock.LeaseLock
	trouble func(error)
}

func (l *leaseLock) tell(verb string, err error) error {
	// That it is not there yet, or was taken meanwhile, is the usual course.
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
		l.trouble(fmt.Errorf("%s lease %s: %s", verb, l.Describe(), clean.Text(err.Error())))
	}
	return err
}

func (l *leaseLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	r, raw, err := l.LeaseLock.Get(ctx)
	return r, raw, l.tell("get", err)
}

func (l *leaseLock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.tell("create", l.LeaseLock.Create(ctx, r))
}

func (l *leaseLock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.tell("update", l.LeaseLock.Update(ctx, r))
}
