package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/model"
)

// eventNamespace is the namespace for events of cluster-scoped objects.
const eventNamespace = metav1.NamespaceDefault

// maxEvents bounds the events that wait for the server.
const maxEvents = 1000

// Event reports an event, or counts an existing one up. A full queue drops and counts the newest event.
func (r *Reporter) Event(e model.Event) {
	k := reportKey{policy: e.About, zone: e.Reporter, event: eventName(&e)}
	r.mu.Lock()
	if _, waits := r.events[k]; len(r.events) >= maxEvents && !waits {
		r.dropped++
		r.mu.Unlock()
		return
	}
	r.events[k] = e
	r.mu.Unlock()
	r.queue.Add(k)
}

// eventName returns the same name for the same news of a zone, so that a restart counts up.
func eventName(e *model.Event) string {
	h := fnv.New64a()
	for _, s := range []string{e.Reporter, string(e.About.Kind), e.About.Name, e.Type, e.Reason, e.Message} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	const longest = 253 - 17 // a name, minus "." and the hash
	name := strings.TrimRight(e.About.Name[:min(len(e.About.Name), longest)], ".-")
	return fmt.Sprintf("%s.%016x", name, h.Sum64())
}

// writeEvent makes an Event like the controller on the zone's node (ovn-kubernetes.md#events: the reference
// has only a kind and a name). tried means it was sent before and may have been stored.
func (c *Cluster) writeEvent(ctx context.Context, name string, e model.Event, tried bool) error {
	at := metav1.NewTime(e.Last)
	events := c.Builtin().Events(eventNamespace)
	_, err := events.Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: eventNamespace},
		InvolvedObject: corev1.ObjectReference{Kind: string(e.About.Kind), Name: e.About.Name},
		Reason:         e.Reason, Message: e.Message, Type: e.Type, Count: 1, FirstTimestamp: at, LastTimestamp: at,
		Source:              corev1.EventSource{Component: e.Reporter, Host: e.Reporter},
		ReportingController: e.Reporter, ReportingInstance: e.Reporter,
	}, metav1.CreateOptions{FieldManager: FieldManager})
	if apierrors.IsAlreadyExists(err) {
		err = c.countEvent(ctx, name, e.Last, tried)
	}
	if err != nil {
		return fmt.Errorf("report %s of %s as an event: %w", e.Reason, e.About, cleanError{err})
	}
	return nil
}

// countEvent counts an event up. Two concurrent calls may count one.
func (c *Cluster) countEvent(ctx context.Context, name string, at time.Time, tried bool) error {
	events := c.Builtin().Events(eventNamespace)
	old, err := events.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if tried && old.LastTimestamp.Unix() == at.Unix() {
		return nil // already counted; the server keeps whole seconds
	}
	patch, err := json.Marshal(map[string]any{"count": old.Count + 1, "lastTimestamp": metav1.NewTime(at)})
	if err != nil {
		return err
	}
	_, err = events.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
	return err
}
