package kube_test

import (
	"strings"
	"testing"

	"rung/test/kube/cluster"
)

// TestWorkloads: with --workloads a Deployment without pods counts as the pods that it would have; its
// own pods count once they are there.
func TestWorkloads(t *testing.T) {
	c := demoCluster(t)
	apply := func(yaml string) {
		t.Helper()
		_, err := c.Kubectl(t.Context(), cluster.Admin, yaml, "apply", "-f", "-")
		must(t, err)
	}
	apply(`apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: blue}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: c, image: i}]}
`)
	pods := func(more ...string) string {
		t.Helper()
		return rung(t, "", append([]string{"pod", "-n", "blue", "-o", "name", "--kubeconfig", c.Kubeconfig(cluster.Admin)}, more...)...).out
	}
	if got := pods(); strings.Contains(got, "deployment/") {
		t.Errorf("without --workloads:\n%s", got)
	}
	if got := pods("--workloads"); !strings.Contains(got, "pod/blue/deployment/shop\n") || !strings.Contains(got, "pod/blue/deployment/shop/2\n") {
		t.Errorf("with --workloads:\n%s", got)
	}
	// Ways in are read from files only, which the answer says.
	got := rung(t, "", "connections", "--workloads", "--focus", "blue/deployment/shop", "--kubeconfig", c.Kubeconfig(cluster.Admin)).out
	if !strings.Contains(got, "blue/deployment/shop") || !strings.Contains(got, "assuming that entry points are unknown: Ingresses, HTTPRoutes and Routes of a cluster are not read\n") {
		t.Errorf("connections:\n%s", got)
	}
	apply(`apiVersion: v1
kind: Pod
metadata:
  name: shop-5f7-a
  namespace: blue
  labels: {app: shop, pod-template-hash: 5f7}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: shop-5f7, uid: 8f2f8a52-0000-4000-8000-000000000000, controller: true}]
spec: {containers: [{name: c, image: i}]}
`)
	if got := pods("--workloads"); strings.Contains(got, "deployment/shop") || !strings.Contains(got, "pod/blue/shop-5f7-a\n") {
		t.Errorf("with a pod of its own:\n%s", got)
	}
}
