package kube

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"rung/model"
	"rung/sources/manifests"
)

// listWatcher is the methods shared by typed and dynamic clients.
type listWatcher[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// throughClient makes the requests of a resource. Each request asks for the client again, since credentials
// may have been replaced.
func throughClient[L runtime.Object](a feedResource, of func(*Cluster) listWatcher[L]) feedResource {
	a.list = func(ctx context.Context, c *Cluster, o metav1.ListOptions) (runtime.Object, error) {
		return of(c).List(ctx, o)
	}
	a.watch = func(ctx context.Context, c *Cluster, o metav1.ListOptions) (watch.Interface, error) {
		return of(c).Watch(ctx, o)
	}
	return a
}

// builtinResource returns a resource of a built-in API group, in all namespaces.
func builtinResource[T, L any, P clientObject[T], Q clientList[L]](gv schema.GroupVersion, a feedResource) feedResource {
	resource, _, _ := strings.Cut(a.name, ".")
	return throughClient(a, func(c *Cluster) listWatcher[Q] { return newResourceClient[T, L, P, Q](c.Builtin(), gv, resource, "") })
}

func customResource(k model.Kind, gvr schema.GroupVersionResource, optional bool) feedResource {
	a := feedResource{name: gvr.GroupResource().String(), kind: k, optional: optional, custom: gvr}
	return throughClient(a, func(c *Cluster) listWatcher[*unstructured.UnstructuredList] { return c.Dynamic().Resource(gvr) })
}

// eventsAbout returns the newest events about objects of one kind.
func eventsAbout(k model.Kind, most int) feedResource {
	return builtinResource[corev1.Event, corev1.EventList](corev1.SchemeGroupVersion, feedResource{name: "events",
		show: "events of " + string(k), kind: model.KindEvent, optional: true, fields: "involvedObject.kind=" + string(k), keep: most})
}

// watchedResources returns all resources that Rung reads, in screen order. The sources of rows are required;
// the others only explain.
func watchedResources(events int) []feedResource {
	v1 := corev1.SchemeGroupVersion
	all := []feedResource{
		builtinResource[corev1.Namespace, corev1.NamespaceList](v1, feedResource{name: "namespaces", kind: model.KindNamespace}),
		builtinResource[corev1.Pod, corev1.PodList](v1, feedResource{name: "pods", kind: model.KindPod}),
		builtinResource[corev1.Node, corev1.NodeList](v1, feedResource{name: "nodes", kind: model.KindNode}),
		builtinResource[corev1.Service, corev1.ServiceList](v1, feedResource{name: "services", kind: model.KindService, optional: true}),
		builtinResource[discoveryv1.EndpointSlice, discoveryv1.EndpointSliceList](discoveryv1.SchemeGroupVersion,
			feedResource{name: "endpointslices.discovery.k8s.io", kind: model.KindEndpointSlice, optional: true}),
		customResource(model.KindANP, PolicyResources[model.KindANP], false),
		customResource(model.KindBANP, PolicyResources[model.KindBANP], false),
		builtinResource[networkingv1.NetworkPolicy, networkingv1.NetworkPolicyList](networkingv1.SchemeGroupVersion,
			feedResource{name: "networkpolicies.networking.k8s.io", kind: model.KindNP}),
		customResource(model.KindEF, PolicyResources[model.KindEF], true),
		customResource(model.KindCNP, PolicyResources[model.KindCNP], true),
		eventsAbout(model.KindANP, events),
		eventsAbout(model.KindBANP, events),
	}
	for _, r := range slices.Concat(NetworkResources, TieredResources) {
		a := customResource(r.Kind, r.GroupVersionResource, true)
		a.quiet = true
		all = append(all, a)
	}
	return all
}

// workloadResources returns the workload kinds, for clusters opened with Options.Workloads.
func workloadResources() (all []feedResource) {
	for _, api := range manifests.APIs {
		gv, err := schema.ParseGroupVersion(api.Versions[0])
		if err != nil {
			continue // unreachable: a constant
		}
		a := customResource(api.Kind, gv.WithResource(strings.ToLower(string(api.Kind))+"s"), true)
		a.quiet = true
		all = append(all, a)
	}
	return all
}

// compiled lists the kinds that rows are compiled from.
var compiled = map[model.Kind]bool{model.KindNamespace: true, model.KindPod: true, model.KindNode: true,
	model.KindANP: true, model.KindBANP: true, model.KindNP: true, model.KindEF: true,
	model.KindUDN: true, model.KindCUDN: true, model.KindNAD: true, model.KindMNP: true}

func newFeeds(w *watcher) []*feed {
	var feeds []*feed
	resources := watchedResources(w.t.events)
	if w.c.Options().Workloads {
		resources = append(resources, workloadResources()...)
	}
	for _, a := range resources {
		feeds = append(feeds, &feed{w: w, resource: a, conv: manifests.NewTyped(w.c.Context()),
			have: keptObjects{kind: a.kind, limit: a.keep, objects: map[model.Key]keptEntry{}},
			res: model.SourceResource{Name: cmp.Or(a.show, a.name), Kind: a.kind, Conn: model.ConnDialling, Optional: a.optional,
				Rows: compiled[a.kind]}})
	}
	return feeds
}
