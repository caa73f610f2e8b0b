package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
)

// contextTransport lets every request end with its context. A credential plugin of the
// kubeconfig is waited for inside the request, and client-go waits for it whatever
// becomes of the context; such a request is left behind until the plugin answers, or is
// ended (see RunLoginPlugin).
type contextTransport struct {
	rt http.RoundTripper
	// timeout bounds a request and its answer, unless it stays open; 0 bounds none.
	timeout time.Duration
	login   *api.ExecConfig // nil for none
	start   *serverStart    // tells a refusal of a server that has just started
}

// RoundTrip sends a request.
func (l contextTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.timeout <= 0 || isStream(r) {
		return l.sendUntilStarted(r)
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), l.timeout, fmt.Errorf("%w within %s", ErrUnanswered, l.timeout))
	response, err := l.sendUntilStarted(r.WithContext(ctx))
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, ErrUnanswered) {
			err = cause
		}
		cancel()
		return nil, err
	}
	response.Body = endingBody{response.Body, cancel}
	return response, nil
}

// isStream says whether the answer to a request goes on for as long as somebody
// reads it: that of a watch, or of a log that is followed.
func isStream(r *http.Request) bool {
	q := r.URL.Query()
	return q.Get("watch") != "" || q.Get("follow") != ""
}

// endingBody is the body of an answer with a time limit, which ends with it.
type endingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b endingBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

func (l contextTransport) sendRequest(r *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	got := make(chan answer)
	ended := r.Context().Done()
	go func() {
		response, err := l.rt.RoundTrip(r)
		err = namePlugin(l.login, err)
		select {
		case got <- answer{response, err}:
		case <-ended:
			if err == nil {
				_ = response.Body.Close()
			}
		}
	}()
	select {
	case a := <-got:
		return a.response, a.err
	case <-ended:
		return nil, r.Context().Err()
	}
}

// WrappedRoundTripper is for client-go, which looks below.
func (l contextTransport) WrappedRoundTripper() http.RoundTripper { return l.rt }

// leavingClient is a client whose requests end with their contexts.
func leavingClient(cfg *rest.Config) (*http.Client, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	rt := client.Transport
	if rt == nil {
		rt = http.DefaultTransport
	}
	// http.DefaultClient, which client-go gives where nothing is set, is others' too.
	start, err := newServerStart(cfg)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: contextTransport{rt, client.Timeout, cfg.ExecProvider, start}}, nil
}

// dynamicClient is a client of any kind whose requests end with their contexts.
func dynamicClient(cfg *rest.Config) (dynamic.Interface, error) {
	cfg = dynamic.ConfigFor(cfg)
	client, err := leavingClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return dynamic.NewForConfigAndClient(cfg, client)
}

var ErrUnanswered = errors.New("no answer")
