package watch

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"rung/model"
)

// A request that ended with its time says so, and what to look at.
func TestDeadlineHasARemedy(t *testing.T) {
	a := newWatchAPI(t)
	cl, _ := a.cluster("t-1")
	f := &feed{w: &watcher{c: cl}}
	state, text := f.explainError(&url.Error{Op: "Get", URL: "https://a", Err: fmt.Errorf("reading: %w", context.DeadlineExceeded)})
	if state != model.ConnLost || !strings.Contains(text, "the API server did not answer in time; is the API server up") || !strings.Contains(text, "kubectl cluster-info") {
		t.Errorf("%v %s", state, text)
	}
}
