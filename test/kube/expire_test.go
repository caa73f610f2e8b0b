package kube_test

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"rung/test/kube/cluster"
)

var anps = schema.GroupVersionResource{Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "adminnetworkpolicies"}

// expired says whether policies can no longer be watched from a version.
func expired(t testing.TB, c *cluster.Cluster, version string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	w, err := c.Any.Resource(anps).Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
	}
	defer w.Stop()
	e, ok := <-w.ResultChan()
	if !ok || e.Type != watch.Error {
		return false
	}
	err = apierrors.FromObject(e.Object)
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}
