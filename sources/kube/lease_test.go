package kube

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"rung/test/apiserver"
	"rung/test/wait"
)

func TestLeaseName(t *testing.T) {
	for _, zone := range []string{"ovn-worker", "n1.example.com", "tcp:10.0.0.5:6641", "Ünï", strings.Repeat("n", 253), "", "a/b"} {
		name := (LeaseConfig{}).LeaseName(zone)
		if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 || !strings.HasPrefix(name, "rung-reconcile-") {
			t.Errorf("%q: %q: %v", zone, name, errs)
		}
		if name != (LeaseConfig{}).LeaseName(zone) || name == (LeaseConfig{}).LeaseName(zone+"x") {
			t.Errorf("%q: the name does not stand for the zone", zone)
		}
	}
	if got := (LeaseConfig{}).LeaseName("ovn-worker"); got != "rung-reconcile-ovn-worker" {
		t.Error(got)
	}
}

func TestLeaseTimes(t *testing.T) {
	good := LeaseConfig{Namespace: "rung", Identity: "a"}
	if c, err := good.WithDefaults(); err != nil || c.Duration != 15*time.Second || c.RenewDeadline != 10*time.Second || c.RetryPeriod != 2*time.Second {
		t.Error(c, err)
	}
	for want, c := range map[string]LeaseConfig{
		"more than the renew deadline": {Namespace: "rung", Identity: "a", Duration: time.Second},
		"times the retry period":       {Namespace: "rung", Identity: "a", RetryPeriod: time.Minute},
		"not a valid namespace name":   {Namespace: "Rung", Identity: "a"},
		"identity of a replica":        {Namespace: "rung"},
	} {
		if _, err := c.WithDefaults(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// replica campaigns; it says when it leads and when it does not any more.
type replica struct {
	leads  atomic.Bool
	other  atomic.Value
	resign chan struct{} // makes Lead return
	stop   func()
}

func campaigning(t *testing.T, c *Cluster, id string) *replica {
	t.Helper()
	r := &replica{resign: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	// Between the end of renewing and that of the Lease is more time than a busy machine
	// keeps a goroutine waiting.
	cfg := LeaseConfig{Namespace: "rung", Identity: id, Duration: 3500 * time.Millisecond, RenewDeadline: 500 * time.Millisecond, RetryPeriod: 50 * time.Millisecond}
	go func() {
		defer close(done)
		err := c.CampaignForZone(ctx, "n1", cfg, LeaseCalls{
			Lead: func(ctx context.Context) {
				r.leads.Store(true)
				defer r.leads.Store(false)
				select {
				case <-ctx.Done():
				case <-r.resign:
				}
			},
			Other:   func(id string) { r.other.Store(id) },
			Trouble: func(err error) { r.other.Store(err.Error()) },
		})
		if err != nil {
			t.Error(err)
		}
	}()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(wait.Patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// Of two replicas one leads; the other takes over when the first goes, resigns, or
// cannot renew, and they never lead together.
func TestLease(t *testing.T) {
	c, s := clusterOf(t)
	var down atomic.Value // the identity whose updates fail
	down.Store("")
	s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
		spec, _ := r.Body["spec"].(map[string]any)
		id := down.Load()
		if r.Method != http.MethodPut || id == "" || spec["holderIdentity"] != id {
			return false
		}
		apiserver.Fail(w, 500, "InternalError", "etcd\x1b[31m is gone", nil)
		return true
	})
	a := campaigning(t, c, "a")
	eventually(t, "a does not lead", a.leads.Load)
	b := campaigning(t, c, "b")
	eventually(t, "b does not hear of a", func() bool { return b.other.Load() == "a" })
	watch := make(chan struct{})
	both := atomic.Bool{}
	go func() {
		for {
			select {
			case <-watch:
				return
			case <-time.After(time.Millisecond):
				if a.leads.Load() && b.leads.Load() {
					both.Store(true)
				}
			}
		}
	}()
	defer close(watch)

	a.resign <- struct{}{} // gives the Lease up by itself
	eventually(t, "nobody took over from a that resigned", func() bool { return a.leads.Load() || b.leads.Load() })
	lead, stand := a, b
	id := "a"
	if b.leads.Load() {
		lead, stand, id = b, a, "b"
	}
	down.Store(id)
	eventually(t, "the leader goes on without its Lease", func() bool { return !lead.leads.Load() })
	eventually(t, "the other did not take over", stand.leads.Load)
	if s, _ := lead.other.Load().(string); strings.Contains(s, "\x1b") {
		t.Errorf("not clean: %q", s)
	}
	down.Store("")
	stand.stop()
	if stand.leads.Load() {
		t.Error("it leads after it ended")
	}
	eventually(t, "the first did not come back", lead.leads.Load)
	if both.Load() {
		t.Error("both led at once")
	}
}
