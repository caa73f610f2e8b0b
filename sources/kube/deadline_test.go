package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

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

// A connection that breaks off, or never gets an answer, is told in Rung's words and with what to
// look at, not in those of HTTP/2 and client-go.
func TestBrokenConnectionHasARemedy(t *testing.T) {
	a := newWatchAPI(t)
	cl, _ := a.cluster("t-1")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	impatient := &http.Client{Transport: &http.Transport{TLSHandshakeTimeout: 10 * time.Millisecond}}
	_, handshake := impatient.Get("https://" + silent.Addr().String())
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	event := func(text string) error {
		return &requestFailure{"watch", streamError(reporter.AsObject(fmt.Errorf("unable to decode an event from the watch stream: %s", text)))}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{event("http2: client connection lost"), "watch pods: the connection to the API server broke off; is the API server up"},
		{event("read tcp 10.0.0.1:1->10.0.0.2:2: read: connection reset by peer"), "watch pods: the connection to the API server broke off; is the API server up"},
		{event("invalid character 'x'"), "unable to decode an event"},
		{&requestFailure{"list", errors.New("http2: client connection lost")}, "list pods: the connection to the API server broke off; is the API server up"},
		{&requestFailure{"list", handshake}, "list pods: the API server did not answer in time; is the API server up"},
	} {
		f := &feed{w: &watcher{c: cl}, res: model.SourceResource{Name: "pods"}}
		state, text := f.explainError(c.err)
		if state != model.ConnLost || !strings.Contains(text, c.want) {
			t.Errorf("%v: %s %q, want %q", c.err, state, text, c.want)
		}
	}
}
