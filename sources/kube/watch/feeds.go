package watch

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"rung/model"
	"rung/sources/kube"
	"rung/sources/manifests"
)

// client holds the methods that the typed and the dynamic clients share.
type client[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// through makes the requests of a resource; the client is asked for anew each
// time, credentials may have been replaced.
func through[L runtime.Object](a about, of func(*kube.Cluster) client[L]) about {
	a.list = func(ctx context.Context, c *kube.Cluster, o metav1.ListOptions) (runtime.Object, error) {
		return of(c).List(ctx, o)
	}
	a.watch = func(ctx context.Context, c *kube.Cluster, o metav1.ListOptions) (watch.Interface, error) {
		return of(c).Watch(ctx, o)
	}
	return a
}

func custom(k model.Kind, gvr schema.GroupVersionResource, optional bool) about {
	a := about{name: gvr.GroupResource().String(), kind: k, optional: optional, custom: gvr}
	return through(a, func(c *kube.Cluster) client[*unstructured.UnstructuredList] { return c.Dynamic().Resource(gvr) })
}

// eventsAbout are the events about objects of one kind, the newest of them.
func eventsAbout(k model.Kind, most int) about {
	a := about{name: "events", show: "events of " + string(k), kind: model.KindEvent, optional: true,
		fields: "involvedObject.kind=" + string(k), keep: most}
	return through(a, func(c *kube.Cluster) client[*corev1.EventList] { return c.Builtin().Events("") })
}

// watched returns all resources that Rung reads, in the order of the screen. Resources
// that rows are made of are required; the others explain.
func watched(events int) []about {
	all := []about{
		through(about{name: "namespaces", kind: model.KindNamespace},
			func(c *kube.Cluster) client[*corev1.NamespaceList] { return c.Builtin().Namespaces() }),
		through(about{name: "pods", kind: model.KindPod},
			func(c *kube.Cluster) client[*corev1.PodList] { return c.Builtin().Pods("") }),
		through(about{name: "nodes", kind: model.KindNode},
			func(c *kube.Cluster) client[*corev1.NodeList] { return c.Builtin().Nodes() }),
		through(about{name: "services", kind: model.KindService, optional: true},
			func(c *kube.Cluster) client[*corev1.ServiceList] { return c.Builtin().Services("") }),
		through(about{name: "endpointslices.discovery.k8s.io", kind: model.KindEndpointSlice,
			optional: true},
			func(c *kube.Cluster) client[*discoveryv1.EndpointSliceList] { return c.Builtin().EndpointSlices("") }),
		custom(model.KindANP, kube.PolicyResources[model.KindANP], false),
		custom(model.KindBANP, kube.PolicyResources[model.KindBANP], false),
		through(about{name: "networkpolicies.networking.k8s.io", kind: model.KindNP},
			func(c *kube.Cluster) client[*networkingv1.NetworkPolicyList] { return c.Builtin().NetworkPolicies("") }),
		custom(model.KindEF, kube.PolicyResources[model.KindEF], true),
		custom(model.KindCNP, kube.PolicyResources[model.KindCNP], true),
		eventsAbout(model.KindANP, events),
		eventsAbout(model.KindBANP, events),
	}
	for _, r := range kube.TieredResources {
		a := custom(r.Kind, r.GroupVersionResource, true)
		a.quiet = true
		all = append(all, a)
	}
	return all
}

// compiled are the kinds that rows are compiled from.
var compiled = map[model.Kind]bool{model.KindNamespace: true, model.KindPod: true, model.KindNode: true,
	model.KindANP: true, model.KindBANP: true, model.KindNP: true, model.KindEF: true}

func feedsOf(w *watcher) []*feed {
	var feeds []*feed
	for _, a := range watched(w.t.events) {
		name := a.name
		if a.show != "" {
			name = a.show
		}
		feeds = append(feeds, &feed{w: w, about: a, conv: manifests.NewTyped(w.c.Context()), have: kept{kind: a.kind, limit: a.keep, objects: map[model.Key]entry{}},
			res: Resource{Name: name, Kind: a.kind, Conn: model.ConnDialling, Optional: a.optional, Rows: compiled[a.kind]}})
	}
	return feeds
}
