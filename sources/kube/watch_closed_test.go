package kube

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"rung/model"
)

// TestWatchClosed: a load balancer without an API server behind it takes
// connections and closes them. client-go tries for some seconds and makes an empty
// watch of that; it is no stream that stands, and what was lost stays lost.
func TestWatchClosed(t *testing.T) {
	noLeaks(t)
	cl, _ := newWatchAPI(t).cluster("t-1")
	f := newWatcher(cl, quickTiming).feeds[0]
	f.resource.watch = func(context.Context, *Cluster, metav1.ListOptions) (watch.Interface, error) {
		return watch.NewEmptyWatch(), nil
	}
	f.res.Conn = model.ConnLost
	version, quick, err := f.followFrom(t.Context(), "7")
	if version != "7" || quick || err == nil {
		t.Fatalf("version %q, quick %v, %v", version, quick, err)
	}
	if f.res.Conn != model.ConnLost {
		t.Errorf("an empty watch makes it %s", f.res.Conn)
	}
	if state := f.noteFailure(err); state != model.ConnLost || !strings.Contains(f.res.Error, "the connection ended before an answer; is the API server up") {
		t.Errorf("%s: %s", state, f.res.Error)
	}
}
