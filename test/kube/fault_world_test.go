package kube_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
)

// faultWorld is everything that faults happen to, and Rung in the middle of it.
type faultWorld struct {
	t          *testing.T
	c          *cluster.Cluster
	z          *cluster.Zones
	kubelet    *kubelet
	proxy      *proxy
	kubeconfig string // through the proxy
	writer     *replica
	screen     *term.Driver
	state      string // the console's state folder
}

// newFaultWorld starts a cluster whose nodes have a kubelet and an ovnkube-node
// pod without a controller, `rung reconcile` on the databases, and the console
// that reaches them by exec alone.
func newFaultWorld(t *testing.T) *faultWorld {
	t.Helper()
	ctx := t.Context()
	c := start(t, cluster.Config{CompactEvery: 2 * time.Second, APIServer: []string{"--kubelet-preferred-address-types=ExternalIP"}})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	w := &faultWorld{t: t, c: c, z: z, kubelet: startKubelet(t, z), state: t.TempDir()}
	w.nodePods()
	w.proxy, w.kubeconfig = startProxy(t, c)
	w.writer = reconcile(t, c, z, "writer")
	asCompiled(t, c, z, smallNodes...)
	w.screen = term.Start(t, term.Options{Path: install.Binary(t), Width: 120, Height: 40,
		Args: []string{"--kubeconfig", w.kubeconfig, "--write", "--state-dir", w.state}})
	w.screen.WaitFor("guard-blue")
	return w
}

// nodePods adds the pods of OVN-Kubernetes: of a DaemonSet that exists, with the
// containers of the database and of ovn-controller.
func (w *faultWorld) nodePods() {
	t, ctx, client := w.t, w.t.Context(), w.c.Client
	const ns = "ovn-kubernetes"
	must(t, w.c.AddNamespace(ctx, ns))
	label := map[string]string{"app": "ovnkube-node"}
	containers := []corev1.Container{{Name: "nb-ovsdb", Image: "none.invalid/ovn"}, {Name: "ovn-controller", Image: "none.invalid/ovn"}}
	set, err := client.AppsV1().DaemonSets(ns).Create(ctx, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "ovnkube-node"},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: label},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: label}, Spec: corev1.PodSpec{HostNetwork: true, Containers: containers}}}},
		metav1.CreateOptions{})
	must(t, err)
	for i, node := range smallNodes {
		patch := fmt.Sprintf(`{"status":{"addresses":[{"type":"ExternalIP","address":"127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}`, w.kubelet.port)
		_, err := client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
		must(t, err)
		p, err := client.CoreV1().Pods(ns).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "ovnkube-node-" + node, Labels: label,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}},
			Spec: corev1.PodSpec{NodeName: node, HostNetwork: true, Containers: containers},
		}, metav1.CreateOptions{})
		must(t, err)
		ip := fmt.Sprintf("172.18.0.%d", i+2)
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}}
		for _, container := range containers {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: container.Name, Ready: true,
				ContainerID: "containerd://" + node + container.Name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
		}
		_, err = client.CoreV1().Pods(ns).UpdateStatus(ctx, p, metav1.UpdateOptions{})
		must(t, err)
	}
}
