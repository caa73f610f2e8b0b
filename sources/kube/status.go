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

// reportTimeout bounds one request of a Reporter. reportTries bounds the attempts for an event, and for a
// condition that the server rejects. Other conditions are retried until written, in the end once a minute: the
// reconciler reports them only once.
const (
	reportTimeout = 10 * time.Second
	reportTries   = 15
)

// Reporter writes the reports of reconcilers to the API server: conditions by server-side apply under the name
// of the zone's node (ovn-kubernetes.md#status-conditions), and events (ovn-kubernetes.md#events). All methods
// but Run are safe for concurrent use and do not wait for the server.
type Reporter struct {
	c       *Cluster
	trouble func(error)
	queue   workqueue.TypedRateLimitingInterface[reportKey]

	mu      sync.Mutex
	pending map[reportKey]*model.Condition // nil: remove the zone's condition
	events  map[reportKey]model.Event
	dropped uint64
}

// reportKey is the subject of a report: a policy's condition in a zone, or one of its events.
type reportKey struct {
	policy model.PolicyKey
	zone   string
	event  string // name of the Event object, or empty for a condition
}

// NewReporter makes a Reporter; Run starts it. trouble receives the write errors and must not block.
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

// SetCondition reports a policy's condition in a zone. Only the newest waiting one is written.
func (r *Reporter) SetCondition(zone string, policy model.PolicyKey, c model.Condition) {
	r.putReport(reportKey{policy: policy, zone: zone}, &c)
}

// ClearZone removes a zone's condition from a policy.
func (r *Reporter) ClearZone(zone string, policy model.PolicyKey) {
	r.putReport(reportKey{policy: policy, zone: zone}, nil)
}

func (r *Reporter) putReport(k reportKey, c *model.Condition) {
	if !k.policy.Kind.IsAdmin() { // other kinds have no conditions per zone
		return
	}
	r.mu.Lock()
	r.pending[k] = c
	r.mu.Unlock()
	r.queue.Forget(k)
	r.queue.Add(k)
}

// ForgetZone drops the waiting reports of a zone: another process reports for it now, and must not be
// contradicted by old facts. A request under way is not cancelled.
func (r *Reporter) ForgetZone(zone string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := func(k reportKey) bool { return k.zone == zone }
	maps.DeleteFunc(r.pending, func(k reportKey, _ *model.Condition) bool { return of(k) })
	maps.DeleteFunc(r.events, func(k reportKey, _ model.Event) bool { return of(k) })
}

// WaitingReports counts the reports to be written, and the dropped ones.
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
	if !has && !isEvent { // forgotten; new reports are queued by themselves
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
			if r.events[k].Last.Equal(e.Last) { // else the event came again, and waits in the queue
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

// ApplyCondition applies one condition of a policy under the name of the zone's node, as the controller of
// OVN-Kubernetes on that node would: by force, on the status only. A nil condition applies an empty status,
// which removes the zone's condition, except a policy's last one (see clearLastCondition).
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

var errNoConditions = errors.New("it has no zone conditions")

func conditionBody(of schema.GroupVersionResource, policy model.PolicyKey, cond *model.Condition) ([]byte, error) {
	status := map[string]any{}
	if cond != nil {
		status["conditions"] = []metav1.Condition{{Type: cond.Type, Status: metav1.ConditionStatus(cond.Status),
			Reason:  cond.Reason,
			Message: cond.Message, LastTransitionTime: metav1.NewTime(cond.Changed.Time)}}
	}
	return json.Marshal(map[string]any{
		"apiVersion": of.GroupVersion().String(), "kind": string(policy.Kind),
		"metadata": map[string]any{"name": policy.Name}, "status": status,
	})
}

// clearLastCondition removes the only condition of a policy. An apply cannot: it would leave no status at all,
// which the v1alpha1 CRDs reject with the error refused, since they require the list.
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
