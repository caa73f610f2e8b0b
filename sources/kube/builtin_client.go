package kube

import (
	"context"
	"fmt"
	"io"
	"net/url"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Builtin is a client of the built-in resources that Rung uses. client-go's clientset has the types of all API
// groups, which would be a fifth of the program.
type Builtin struct {
	groups map[schema.GroupVersion]rest.Interface
}

// builtinScheme has the API groups of Builtin.
var builtinScheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, authv1.AddToScheme,
		coordinationv1.AddToScheme, discoveryv1.AddToScheme, networkingv1.AddToScheme} {
		utilruntime.Must(add(s))
	}
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return s
}()

// builtinParameters writes the options of a request into its URL.
var builtinParameters = runtime.NewParameterCodec(builtinScheme)

// newBuiltin makes a client whose requests end with their contexts and share the configuration's rate limit.
func newBuiltin(cfg *rest.Config) (*Builtin, error) {
	client, err := leavingClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	cfg = rest.CopyConfig(cfg)
	if cfg.RateLimiter == nil && cfg.QPS > 0 {
		cfg.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(cfg.QPS, cfg.Burst)
	}
	codecs := serializer.NewCodecFactory(builtinScheme)
	cfg.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(builtinScheme, codecs).WithoutConversion()
	b := &Builtin{groups: map[schema.GroupVersion]rest.Interface{}}
	for _, version := range builtinScheme.PrioritizedVersionsAllGroups() {
		cfg.GroupVersion, cfg.APIPath = &version, "/apis"
		if version.Group == corev1.GroupName {
			cfg.APIPath = "/api"
		}
		if b.groups[version], err = rest.RESTClientForConfigAndClient(cfg, client); err != nil {
			return nil, fmt.Errorf("make a client of %s: %w", version, err)
		}
	}
	return b, nil
}

// clientObject is a pointer to T that is a Kubernetes object; clientList is a pointer to a list of objects.
type (
	clientObject[T any] interface {
		*T
		runtime.Object
		metav1.Object
	}
	clientList[L any] interface {
		*L
		runtime.Object
	}
)

// newResourceClient returns the client of a resource. An empty namespace means all namespaces, or a
// cluster-scoped resource.
func newResourceClient[T, L any, P clientObject[T], Q clientList[L]](b *Builtin, gv schema.GroupVersion, resource,
	namespace string) *gentype.ClientWithList[P, Q] {
	return gentype.NewClientWithList(resource, b.groups[gv], builtinParameters, namespace,
		func() P { return new(T) }, func() Q { return new(L) })
}

// Pods returns the client of a namespace's pods. Here and below, an empty namespace means all namespaces.
func (b *Builtin) Pods(namespace string) *gentype.ClientWithList[*corev1.Pod, *corev1.PodList] {
	return newResourceClient[corev1.Pod, corev1.PodList](b, corev1.SchemeGroupVersion, "pods", namespace)
}

// Events returns the client of core Events.
func (b *Builtin) Events(namespace string) *gentype.ClientWithList[*corev1.Event, *corev1.EventList] {
	return newResourceClient[corev1.Event, corev1.EventList](b, corev1.SchemeGroupVersion, "events", namespace)
}

// DaemonSets returns the client of DaemonSets.
func (b *Builtin) DaemonSets(namespace string) *gentype.ClientWithList[*appsv1.DaemonSet, *appsv1.DaemonSetList] {
	return newResourceClient[appsv1.DaemonSet, appsv1.DaemonSetList](b, appsv1.SchemeGroupVersion, "daemonsets", namespace)
}

// Leases returns the client of Leases.
func (b *Builtin) Leases(namespace string) *gentype.ClientWithList[*coordinationv1.Lease, *coordinationv1.LeaseList] {
	return newResourceClient[coordinationv1.Lease, coordinationv1.LeaseList](b, coordinationv1.SchemeGroupVersion, "leases", namespace)
}

// Review asks the server what the user may do.
func (b *Builtin) Review(ctx context.Context, review *authv1.SelfSubjectAccessReview) (*authv1.SelfSubjectAccessReview, error) {
	return gentype.NewClient("selfsubjectaccessreviews", b.groups[authv1.SchemeGroupVersion], builtinParameters, "",
		func() *authv1.SelfSubjectAccessReview { return new(authv1.SelfSubjectAccessReview) }).Create(ctx, review, metav1.CreateOptions{})
}

// Get begins a request for a path of the server that belongs to no resource, such as /version.
func (b *Builtin) Get(path string) *rest.Request {
	return b.groups[corev1.SchemeGroupVersion].Get().AbsPath(path)
}

// Log opens the log of the container named in opt. The caller closes it.
func (b *Builtin) Log(ctx context.Context, namespace, pod string, opt *corev1.PodLogOptions) (io.ReadCloser, error) {
	return b.groups[corev1.SchemeGroupVersion].Get().Namespace(namespace).Name(pod).Resource("pods").
		SubResource("log").VersionedParams(opt, builtinParameters).Stream(ctx)
}

// execURL returns the URL that runs a command in a container.
func (b *Builtin) execURL(namespace, pod string, opt *corev1.PodExecOptions) *url.URL {
	return b.groups[corev1.SchemeGroupVersion].Post().Namespace(namespace).Name(pod).Resource("pods").
		SubResource("exec").VersionedParams(opt, builtinParameters).URL()
}
