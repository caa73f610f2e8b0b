package kube

import (
	"encoding/json"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"rung/test/apiserver"
)

// clusterOf is a cluster whose server has the pods, DaemonSets and ConfigMaps given.
func clusterOf(t *testing.T, objects ...metav1.Object) (*Cluster, *apiserver.Server) {
	t.Helper()
	s, kubeconfig := apiserver.New(t)
	s.Lists()
	for _, o := range objects {
		path := "/api/v1/namespaces/" + o.GetNamespace()
		switch o.(type) {
		case *corev1.Pod:
			path += "/pods/"
		case *corev1.ConfigMap:
			path += "/configmaps/"
		case *appsv1.DaemonSet:
			path = "/apis/apps/v1/namespaces/" + o.GetNamespace() + "/daemonsets/"
		}
		s.Put(path+o.GetName(), content(t, o))
	}
	opened, err := Open(Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	return clusterAt(t, &rest.Config{Host: opened.Server(), QPS: 1000, Burst: 1000}), s
}

// clusterAt is a cluster that speaks JSON.
func clusterAt(t *testing.T, cfg *rest.Config) *Cluster {
	t.Helper()
	c := &Cluster{config: cfg, context: "test"}
	var err error
	if c.builtin, err = newBuiltin(cfg); err != nil {
		t.Fatal(err)
	}
	if c.dynamic, err = dynamicClient(cfg); err != nil {
		t.Fatal(err)
	}
	return c
}

// content is an object as the server keeps it.
func content(t *testing.T, o any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
