package kube

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
)

// zonePodAt is an ovnkube-node pod of DaemonSet ovnkube-node; change makes it
// another.
func zonePodAt(ns, node string, change func(*corev1.Pod)) *corev1.Pod {
	yes := true
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "ovnkube-node-" + node, UID: types.UID(ns + node), Labels: map[string]string{"app": "ovnkube-node"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ovnkube-node", UID: types.UID("set-" + ns), Controller: &yes}}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "nb-ovsdb"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning,
			ContainerStatuses: []corev1.ContainerStatus{{Name: "nb-ovsdb", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
	}
	if change != nil {
		change(p)
	}
	return p
}

func daemonSetIn(ns string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "ovnkube-node", UID: types.UID("set-" + ns)}}
}

// TestZonePod: an admin's exec goes to the one pod that is OVN-Kubernetes', and to
// none where anybody else's could be it.
func TestZonePod(t *testing.T) {
	const up, shift = "ovn-kubernetes", "openshift-ovn-kubernetes"
	refuse := func(code error) func(*fake.Clientset) {
		return func(c *fake.Clientset) {
			c.PrependReactor("list", "pods", func(a kubetesting.Action) (bool, runtime.Object, error) {
				return a.GetNamespace() == shift, nil, code
			})
		}
	}
	tests := map[string]struct {
		objects    []runtime.Object
		namespaces []string
		server     func(*fake.Clientset)
		want       string // namespace, or
		err        error
		text       string
	}{
		"ours": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil)}, want: up},
		"owned by nobody": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences = nil })},
			err: ErrNotOurPod, text: "not owned by a DaemonSet"},
		"an owner that does not control it": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil })},
			err: ErrNotOurPod},
		"another DaemonSet of the name": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences[0].UID = "old" })},
			err: ErrNotOurPod, text: "another UID"},
		"a namespace of somebody else": {objects: []runtime.Object{daemonSetIn("blue"), zonePodAt("blue", "w", nil)}, err: ErrNoZonePod},
		// On OpenShift every user may make a namespace ovn-kubernetes, with a DaemonSet.
		"two namespaces": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift), zonePodAt(shift, "w", nil)}, err: ErrManyZonePods},
		"two namespaces, the right one's pod is away": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift),
			zonePodAt(shift, "w", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending })}, err: ErrManyZonePods, text: "--ovn-namespace"},
		"two namespaces, the right one has no pod on the node": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift),
			zonePodAt(shift, "other", nil)}, err: ErrManyZonePods},
		"two namespaces, one named": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift), zonePodAt(shift, "w", nil)},
			namespaces: []string{shift}, want: shift},
		"labels alone make no second one": {objects: []runtime.Object{daemonSetIn(shift), zonePodAt(shift, "w", nil),
			zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences = nil })}, want: shift},
		"the right namespace cannot be read now": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil)},
			server: refuse(apierrors.NewServerTimeout(schema.GroupResource{Resource: "pods"}, "list", 1)), text: "list pods of namespace " + shift},
		"a namespace may not be read": {objects: []runtime.Object{daemonSetIn(up), zonePodAt(up, "w", nil)},
			server: refuse(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))), want: up},
		"the only one may not be read": {server: refuse(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))), err: fs.ErrPermission},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(tt.objects...)
			if tt.server != nil {
				tt.server(client)
			}
			c := &Cluster{typed: client}
			got, err := c.ZonePod(context.Background(), "w", tt.namespaces)
			switch {
			case tt.want != "" && (err != nil || got.Namespace != tt.want):
				t.Errorf("got %v, %v, want a pod in %s", got.Target(), err, tt.want)
			case tt.want == "" && (err == nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(fmt.Sprint(err), tt.text)):
				t.Errorf("got %v, %v, want %v with %q", got.Target(), err, tt.err, tt.text)
			}
		})
	}
}
