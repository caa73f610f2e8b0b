package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"rung/model"
	"rung/model/words"
)

// reportTimeout bounds one request of a Reporter, reportTries how often an event is
// tried, or a condition that the server will not have. A condition is tried until
// it is written, once a minute in the end: the reconciler says it once.
const (
	reportTimeout = 10 * time.Second
	reportTries   = 15
)

// Reporter writes what reconcilers report to the API server: conditions by
// server-side apply under the name of the zone's node
// (ovn-kubernetes.md#status-conditions), and events (ovn-kubernetes.md#events). Its
// methods but Run may be called from any goroutine and do not wait for the server.
type Reporter struct {
	c       *Cluster
	trouble func(error)
	queue   workqueue.TypedRateLimitingInterface[reportKey]

	mu      sync.Mutex
	pending map[reportKey]*model.Condition // nil: take the zone's condition away
	events  map[reportKey]model.Event
	dropped uint64
}

// reportKey names the subject of a report: a policy's condition in a zone, or one of
// its events.
type reportKey struct {
	policy model.PolicyKey
	zone   string
	event  string // name of the Event object, empty for a condition
}

// NewReporter makes a Reporter; Run starts it. trouble is told what could not be
// written; it must not block.
func NewReporter(c *Cluster, trouble func(error)) *Reporter {
	return &Reporter{c: c, trouble: trouble, pending: map[reportKey]*model.Condition{},
		events: map[reportKey]model.Event{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[reportKey](100*time.Millisecond,
			time.Minute))}
}

// Run writes until ctx ends, with a few requests at a time.
func (r *Reporter) Run(ctx context.Context) {
	const parallel = 4
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for {
				k, shutdown := r.queue.Get()
				if shutdown {
					return
				}
				r.writeReport(ctx, k)
				r.queue.Done(k)
			}
		})
	}
	<-ctx.Done()
	r.queue.ShutDown()
	wg.Wait()
}

// SetCondition reports a policy's condition in a zone. Of several that wait the
// newest is written.
func (r *Reporter) SetCondition(zone string, policy model.PolicyKey, c model.Condition) {
	r.putReport(reportKey{policy: policy, zone: zone}, &c)
}

// ClearZone takes a zone's condition away from a policy.
func (r *Reporter) ClearZone(zone string, policy model.PolicyKey) {
	r.putReport(reportKey{policy: policy, zone: zone}, nil)
}

func (r *Reporter) putReport(k reportKey, c *model.Condition) {
	if !k.policy.Kind.IsAdmin() { // others have no conditions of zones
		return
	}
	r.mu.Lock()
	r.pending[k] = c
	r.mu.Unlock()
	r.queue.Forget(k)
	r.queue.Add(k)
}

// ForgetZone drops what waits to be said for a zone: another reports for it now, and
// must not be contradicted by what was true before. A request under way is not
// called back.
func (r *Reporter) ForgetZone(zone string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := func(k reportKey) bool { return k.zone == zone }
	maps.DeleteFunc(r.pending, func(k reportKey, _ *model.Condition) bool { return of(k) })
	maps.DeleteFunc(r.events, func(k reportKey, _ model.Event) bool { return of(k) })
}

// WaitingReports counts what is not written yet, Dropped what never will be.
func (r *Reporter) WaitingReports() (waiting int, dropped uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) + len(r.events), r.dropped
}

func (r *Reporter) writeReport(ctx context.Context, k reportKey) {
	r.mu.Lock()
	c, has := r.pending[k]
	e, isEvent := r.events[k]
	r.mu.Unlock()
	if !has && !isEvent { // forgotten; what comes from now on has a turn of its own
		r.queue.Forget(k)
		return
	}
	limited, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	var err error
	tries := r.queue.NumRequeues(k)
	if isEvent {
		err = r.c.writeEvent(limited, k.event, e, tries > 0)
	} else {
		err = r.c.ApplyCondition(limited, k.zone, k.policy, c)
	}
	hopeless := isEvent || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
	again := err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && (!hopeless || tries < reportTries)
	if !again {
		r.mu.Lock()
		if isEvent {
			if r.events[k].Last.Equal(e.Last) { // else the same was told again, and waits in the queue
				delete(r.events, k)
			}
		} else if r.pending[k] == c { // else a newer one waits in the queue
			delete(r.pending, k)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			r.dropped++
		}
		r.mu.Unlock()
		r.queue.Forget(k)
	} else {
		r.queue.AddRateLimited(k)
	}
	if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && tries <= reportTries {
		r.trouble(err)
	}
}

// ApplyCondition applies one condition of a policy under the name of the zone's
// node, as the controller of OVN-Kubernetes on that node would: by force, on the
// status alone. Without a condition it applies an empty status, which takes the
// zone's away; the last of a policy is another matter (see clearLastCondition).
func (c *Cluster) ApplyCondition(ctx context.Context, zone string, policy model.PolicyKey,
	cond *model.Condition) error {
	if !policy.Kind.IsAdmin() {
		return fmt.Errorf("report about %s: %w", policy, errNoConditions)
	}
	of := PolicyResources[policy.Kind]
	body, err := conditionBody(of, policy, cond)
	if err != nil {
		return fmt.Errorf("report about %s: %w", policy, err)
	}
	force := true
	_, err = c.Dynamic().Resource(of).Patch(ctx, policy.Name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: zone, Force: &force}, "status")
	if cond == nil && apierrors.IsInvalid(err) {
		err = c.clearLastCondition(ctx, of, zone, policy, err)
	}
	if err != nil {
		return fmt.Errorf("apply the condition of zone %s to %s: %w", words.CleanText(zone), policy, cleanError{err})
	}
	return nil
}

var errNoConditions = errors.New("it has no conditions of zones")

func conditionBody(of schema.GroupVersionResource, policy model.PolicyKey, cond *model.Condition) ([]byte, error) {
	status := map[string]any{}
	if cond != nil {
		status["conditions"] = []metav1.Condition{{Type: cond.Type, Status: metav1.ConditionStatus(cond.Status),
			Reason:  cond.Reason,
			Message: cond.Message, LastTransitionTime: metav1.NewTime(cond.Changed)}}
	}
	return json.Marshal(map[string]any{
		"apiVersion": of.GroupVersion().String(), "kind": string(policy.Kind),
		"metadata": map[string]any{"name": policy.Name}, "status": status,
	})
}

// clearLastCondition takes the only condition of a policy away where an apply cannot: it
// leaves no status at all, which the CRDs of v1alpha1, that want the list, refuse
// with the error given.
func (c *Cluster) clearLastCondition(ctx context.Context, of schema.GroupVersionResource, zone string, policy model.PolicyKey,
	refused error) error {
	u, err := c.Dynamic().Resource(of).Get(ctx, policy.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	if len(list) != 1 {
		return refused
	}
	if only, _ := list[0].(map[string]any); only["type"] != "Ready-In-Zone-"+zone {
		return refused
	}
	patch := mustJSON([]patchOperation{
		{"op": "test", "path": "/metadata/resourceVersion", "value": u.GetResourceVersion()},
		{"op": "replace", "path": "/status/conditions", "value": []any{}},
	})
	_, err = c.Dynamic().Resource(of).Patch(ctx, policy.Name, types.JSONPatchType, patch,
		metav1.PatchOptions{FieldManager: zone}, "status")
	return err
}
