package kube_test

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/test/kube/cluster"
)

// ovnNamespace is where the pods of OVN-Kubernetes are.
const ovnNamespace = "ovn-kubernetes"

// byKubelet has the API server reach the nodes' kubelets at the address that ovnPods gives
// them.
var byKubelet = []string{"--kubelet-preferred-address-types=ExternalIP"}

// ovnPods adds the pods of OVN-Kubernetes on nodes that a kubelet serves: of a DaemonSet
// that exists, with these containers.
func ovnPods(t *testing.T, c *cluster.Cluster, k *kubelet, nodes []string, names ...string) {
	t.Helper()
	ctx, client := t.Context(), c.Client
	must(t, c.AddNamespace(ctx, ovnNamespace))
	label := map[string]string{"app": "ovnkube-node"}
	var containers []corev1.Container
	for _, name := range names {
		containers = append(containers, corev1.Container{Name: name, Image: "none.invalid/ovn"})
	}
	set, err := client.AppsV1().DaemonSets(ovnNamespace).Create(ctx, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "ovnkube-node"},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: label},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: label}, Spec: corev1.PodSpec{HostNetwork: true, Containers: containers}}}},
		metav1.CreateOptions{})
	must(t, err)
	for i, node := range nodes {
		patch := fmt.Sprintf(`[{"op":"add","path":"/status/addresses/-","value":{"type":"ExternalIP","address":"127.0.0.1"}},
			{"op":"add","path":"/status/daemonEndpoints","value":{"kubeletEndpoint":{"Port":%d}}}]`, k.port)
		_, err := client.CoreV1().Nodes().Patch(ctx, node, types.JSONPatchType, []byte(patch), metav1.PatchOptions{}, "status")
		must(t, err)
		p, err := client.CoreV1().Pods(ovnNamespace).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: ovnPod(node), Labels: label,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}},
			Spec: corev1.PodSpec{NodeName: node, HostNetwork: true, Containers: containers},
		}, metav1.CreateOptions{})
		must(t, err)
		ip := fmt.Sprintf("172.18.0.%d", i+2)
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}}
		for _, name := range names {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, Ready: true,
				ContainerID: "containerd://" + node + name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
		}
		_, err = client.CoreV1().Pods(ovnNamespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
		must(t, err)
	}
}

// ovnPod is the pod of OVN-Kubernetes on a node.
func ovnPod(node string) string { return "ovnkube-node-" + node }
