package kube

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/test/apiserver"
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
	tests := map[string]struct {
		objects    []metav1.Object
		namespaces []string
		refuse     int    // status of a list of pods in shift, if any
		want       string // namespace, or
		err        error
		text       string
	}{
		"ours": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil)}, want: up},
		"owned by nobody": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences = nil })},
			err: ErrNotOurPod, text: "not owned by a DaemonSet"},
		"an owner that does not control it": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil })},
			err: ErrNotOurPod},
		"another DaemonSet of the name": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences[0].UID = "old" })},
			err: ErrNotOurPod, text: "another UID"},
		"a namespace of somebody else": {objects: []metav1.Object{daemonSetIn("blue"), zonePodAt("blue", "w", nil)}, err: ErrNoZonePod},
		// On OpenShift every user may make a namespace ovn-kubernetes, with a DaemonSet.
		"two namespaces": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift), zonePodAt(shift, "w", nil)}, err: ErrManyZonePods},
		"two namespaces, the right one's pod is away": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift),
			zonePodAt(shift, "w", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending })}, err: ErrManyZonePods, text: "--ovn-namespace"},
		"two namespaces, the right one has no pod on the node": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift),
			zonePodAt(shift, "other", nil)}, err: ErrManyZonePods},
		"two namespaces, one named": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil), daemonSetIn(shift), zonePodAt(shift, "w", nil)},
			namespaces: []string{shift}, want: shift},
		"labels alone make no second one": {objects: []metav1.Object{daemonSetIn(shift), zonePodAt(shift, "w", nil),
			zonePodAt(up, "w", func(p *corev1.Pod) { p.OwnerReferences = nil })}, want: shift},
		"the right namespace cannot be read now": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil)},
			refuse: 500, text: "list pods of namespace " + shift},
		"a namespace may not be read": {objects: []metav1.Object{daemonSetIn(up), zonePodAt(up, "w", nil)},
			refuse: 403, want: up},
		"the only one may not be read": {refuse: 403, err: fs.ErrPermission},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := clusterOf(t, tt.objects...)
			s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
				refused := tt.refuse != 0 && strings.HasSuffix(r.Path, "/namespaces/"+shift+"/pods")
				if refused {
					apiserver.Fail(w, tt.refuse, map[int]string{403: "Forbidden", 500: "InternalError"}[tt.refuse], "no", nil)
				}
				return refused
			})
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
