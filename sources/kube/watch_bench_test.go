package kube

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/sources/manifests"
)

// benchPod is a pod as a server gives it: what Rung does not read is most of it.
func benchPod(i int) *corev1.Pod {
	p := pod(fmt.Sprint("ns-", i%50), fmt.Sprint("web-7d4c9-", i))
	p.Labels = map[string]string{"app": fmt.Sprint("app-", i%200), "pod-template-hash": fmt.Sprint("7d4c9-", i%200)}
	p.Annotations = map[string]string{model.AnnotationPodNetworks: fmt.Sprintf(
		`{"default":{"ip_addresses":["10.%d.%d.%d/24"],"mac_address":"0a:58:0a:00:00:01","gateway_ips":["10.0.0.1"],"role":"primary"}}`, i>>16, i>>8&255, i&255)}
	c := corev1.Container{Name: "c", Image: "registry.example/app:1", Ports: []corev1.ContainerPort{{Name: "http", Protocol: "TCP", ContainerPort: 8080}}}
	for j := range 20 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprint("NAME_", j), Value: "a value of some length"})
	}
	p.Spec.Containers = []corev1.Container{c, {Name: "sidecar", Image: "registry.example/sidecar:1", Env: c.Env}}
	p.Status.PodIPs[0].IP = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
	p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet", FieldsV1: metav1.NewFieldsV1("{}")}}
	return p
}

// BenchmarkPods10k lists 10,000 pods from an API server in the same process (JSON,
// both ends): the time until they are delivered, and what stays in memory of each.
func BenchmarkPods10k(b *testing.B) {
	const n = 10_000
	a := newWatchAPI(b)
	for i := range n {
		a.put(podPath, benchPod(i))
	}
	a.set(func() { a.log = nil })
	c, _ := a.cluster("t-1")
	for b.Loop() {
		before := heap()
		ctx, cancel := context.WithCancel(context.Background())
		objects := make([]model.Object, 0, n)
		start := time.Now()
		FromCluster(c).Run(ctx, func(u SourceUpdate) {
			objects = append(objects, u.Upsert...)
			if u.Loaded && len(objects) == n {
				cancel()
			}
		})
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms/list")
		b.ReportMetric(float64(heap()-before)/n, "B/pod")
		runtime.KeepAlive(objects)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkConvertPod turns one decoded pod into the model's.
func BenchmarkConvertPod(b *testing.B) {
	conv, p := manifests.NewTyped("prod"), benchPod(7)
	b.ReportAllocs()
	for b.Loop() {
		if o, _ := conv.ReadObject(p, nil); o == nil {
			b.Fatal("not taken in")
		}
	}
}
