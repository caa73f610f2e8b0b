package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"rung/model"
	"rung/model/words"
	"rung/sources/retry"
)

// ZoneReports is the resource of the reports that the agents on the nodes write, one for each zone and named like it.
var ZoneReports = schema.GroupVersionResource{Group: "rung.dev", Version: "v1alpha1", Resource: "zonereports"}

const (
	reportKind        = "ZoneReport"
	zoneReportTimeout = 30 * time.Second // for writing a report
	reportPage        = 500              // reports in a page of a list
	absentPause       = time.Minute      // between two questions whether there are reports
)

// WriteZoneReport writes the report of a zone, whoever wrote it before.
func (c *Cluster) WriteZoneReport(ctx context.Context, zone string, r *model.ZoneReport) error {
	ctx, cancel := context.WithTimeout(ctx, zoneReportTimeout)
	defer cancel()
	client := c.Dynamic().Resource(ZoneReports)
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/report", "value": r}})
	if err != nil {
		return fmt.Errorf("write the report of zone %s: %w", zone, err)
	}
	// The patch replaces the whole report, and nothing of the object has to be read first.
	_, err = client.Patch(ctx, zone, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
	if apierrors.IsNotFound(err) {
		var content map[string]any
		text, marshalError := json.Marshal(r)
		if marshalError == nil {
			marshalError = json.Unmarshal(text, &content)
		}
		if marshalError != nil {
			return fmt.Errorf("write the report of zone %s: %w", zone, marshalError)
		}
		_, err = client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": ZoneReports.GroupVersion().String(),
			"kind": reportKind, "metadata": map[string]any{"name": zone}, "report": content}}, metav1.CreateOptions{FieldManager: FieldManager})
	}
	if err != nil {
		return fmt.Errorf("write the report of zone %s: %w", zone, cleanError{err})
	}
	return nil
}

// ReportNews is news about the reports of zones and the Leases of the agents that write them.
type ReportNews struct {
	Reports map[string]*model.ZoneReport // by zone; nil for a deleted one
	Unread  map[string]string            // why the report of a zone cannot be read
	Leases  map[string]AgentLease        // by name; the zero value for a deleted one
	// All means that the server has no other Reports, or Leases. Failed is why they could not be read, or nil.
	All    bool
	Failed error
}

// IsRefused reports whether reports exist and may not be read.
func (n *ReportNews) IsRefused() bool { return apierrors.IsForbidden(n.Failed) }

// AgentLease is the Lease that an agent renews while its report holds.
type AgentLease struct {
	Holder    string
	RenewedAt time.Time // by the clock of the agent's node
	WrittenAt time.Time // by the clock of the API server; zero if unknown
	Duration  time.Duration
}

// errNoReports means that the cluster has no resource for reports.
var errNoReports = errors.New("the cluster has no ZoneReports")

// FollowZoneReports tells of all reports, then of every change, until ctx ends. While the resource is not served or may
// not be read, it says so and asks again now and then. Whoever may not read it is not refused where it does not exist.
func (c *Cluster) FollowZoneReports(ctx context.Context, tell func(ReportNews)) {
	for ctx.Err() == nil {
		served, err := c.ServesResource(ctx, ZoneReports)
		if err == nil && served {
			break
		}
		tell(ReportNews{Failed: errNoReports})
		retry.Sleep(ctx, absentPause)
	}
	followObjects(ctx, func() listWatcher[*unstructured.UnstructuredList] { return c.Dynamic().Resource(ZoneReports) },
		func(objects []*unstructured.Unstructured, deleted, all bool) {
			n := ReportNews{Reports: map[string]*model.ZoneReport{}, Unread: map[string]string{}, All: all}
			for _, o := range objects {
				zone := words.CleanText(o.GetName())
				if deleted {
					n.Reports[zone] = nil
					continue
				}
				r, err := readZoneReport(o)
				if err != nil {
					n.Unread[zone] = err.Error()
				} else {
					n.Reports[zone] = r
				}
			}
			tell(n)
		}, func(err error) { tell(ReportNews{Failed: fmt.Errorf("read the reports of node agents: %w", err)}) })
}

// FollowAgentLeases tells of all Leases of a namespace, then of every change, until ctx ends.
func (c *Cluster) FollowAgentLeases(ctx context.Context, namespace string, tell func(ReportNews)) {
	followObjects(ctx, func() listWatcher[*coordinationv1.LeaseList] { return c.Builtin().Leases(namespace) },
		func(objects []*coordinationv1.Lease, deleted, all bool) {
			n := ReportNews{Leases: map[string]AgentLease{}, All: all}
			for _, l := range objects {
				if deleted {
					n.Leases[l.Name] = AgentLease{}
				} else {
					n.Leases[l.Name] = readAgentLease(l)
				}
			}
			tell(n)
		}, func(err error) {
			tell(ReportNews{Failed: fmt.Errorf("read the leases of node agents in namespace %s: %w", words.CleanText(namespace), err)})
		})
}

func readAgentLease(l *coordinationv1.Lease) (out AgentLease) {
	if l.Spec.HolderIdentity != nil {
		out.Holder = words.CleanText(*l.Spec.HolderIdentity)
	}
	if l.Spec.RenewTime != nil {
		out.RenewedAt = l.Spec.RenewTime.Time
	}
	if l.Spec.LeaseDurationSeconds != nil {
		out.Duration = time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
	}
	for _, f := range l.ManagedFields {
		if f.Time != nil && f.Time.After(out.WrittenAt) {
			out.WrittenAt = f.Time.Time
		}
	}
	return out
}

// readZoneReport reads a report, which anybody may have written.
func readZoneReport(o *unstructured.Unstructured) (*model.ZoneReport, error) {
	text, err := json.Marshal(cleanTree(o.Object["report"]))
	if err != nil {
		return nil, err
	}
	var is struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &is) == nil && is.Format != model.ReportFormat {
		return nil, fmt.Errorf("the report has format %d and this release of Rung reads format %d", is.Format, model.ReportFormat)
	}
	var r model.ZoneReport
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the report cannot be read: %s", words.CleanText(err.Error()))
	}
	return &r, nil
}

// cleanTree cleans all texts of a tree of JSON values.
func cleanTree(v any) any {
	switch v := v.(type) {
	case string:
		return words.CleanText(v)
	case []any:
		for i := range v {
			v[i] = cleanTree(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[words.CleanText(k)] = cleanTree(x)
		}
		return out
	}
	return v
}

// followObjects lists the objects of a resource and watches them, again and again, until ctx ends. client is asked for
// every request, since credentials may have been replaced.
func followObjects[P interface {
	runtime.Object
	metav1.Object
}, L runtime.Object](ctx context.Context, client func() listWatcher[L], take func(objects []P, deleted, all bool), failed func(error)) {
	fresh := retry.Backoff(250*time.Millisecond, 5*time.Second)
	again := fresh
	for ctx.Err() == nil {
		version, objects, err := listObjects[P](ctx, client)
		if err == nil {
			take(objects, false, true)
			again = fresh
			err = watchObjects(ctx, client, version, take)
		}
		pause := again.Step()
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err) {
			pause = absentPause
		}
		if err != nil && !isExpired(&requestFailure{"watch", err}) {
			failed(cleanError{err})
		}
		retry.Sleep(ctx, pause)
	}
}

func listObjects[P, L runtime.Object](ctx context.Context, client func() listWatcher[L]) (version string, out []P, err error) {
	opt := metav1.ListOptions{Limit: reportPage}
	for {
		list, err := client().List(ctx, opt)
		if err != nil {
			return "", nil, err
		}
		lm, err := meta.ListAccessor(list)
		if err != nil {
			return "", nil, err
		}
		err = meta.EachListItem(list, func(o runtime.Object) error {
			out = append(out, o.(P))
			return nil
		})
		if err != nil {
			return "", nil, err
		}
		opt.Continue = lm.GetContinue()
		if opt.Continue == "" {
			return lm.GetResourceVersion(), out, nil
		}
	}
}

// watchObjects watches until the stream ends for good; a stream that only timed out is opened again.
func watchObjects[P interface {
	runtime.Object
	metav1.Object
}, L runtime.Object](ctx context.Context, client func() listWatcher[L], version string, take func(objects []P, deleted, all bool)) error {
	for ctx.Err() == nil {
		began, seconds := time.Now(), int64(300)
		ws, err := client().Watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
		if err != nil {
			return err
		}
		if reflect.TypeOf(ws) == reflect.TypeOf(watch.NewEmptyWatch()) {
			return errClosed
		}
		for ev := range ws.ResultChan() {
			if ev.Type == watch.Error {
				ws.Stop()
				return streamError(ev.Object)
			}
			o, ok := ev.Object.(P)
			if !ok {
				continue
			}
			version = o.GetResourceVersion()
			switch ev.Type {
			case watch.Added, watch.Modified:
				take([]P{o}, false, false)
			case watch.Deleted:
				take([]P{o}, true, false)
			}
		}
		ws.Stop()
		if time.Since(began) < time.Second {
			return errClosed
		}
	}
	return ctx.Err()
}
