package kube

import (
	"cmp"
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

// contextTransport ends every request with its context. client-go waits for a kubeconfig's credential plugin
// within the request and ignores the context. Such a request is abandoned; it lasts until the plugin answers
// or is ended (see RunLoginPlugin).
type contextTransport struct {
	rt http.RoundTripper
	// timeout bounds a request and its answer, except streams; 0 means no limit.
	timeout time.Duration
	login   *api.ExecConfig // nil without a plugin
	start   *serverStart    // detects refusals by a server that has just started
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

// isStream reports whether the answer stays open: a watch, or a followed log.
func isStream(r *http.Request) bool {
	q := r.URL.Query()
	return q.Get("watch") != "" || q.Get("follow") != ""
}

// endingBody is the body of an answer whose time limit ends with Close.
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

// WrappedRoundTripper lets client-go reach the transport below.
func (l contextTransport) WrappedRoundTripper() http.RoundTripper { return l.rt }

// leavingClient makes a client whose requests end with their contexts.
func leavingClient(cfg *rest.Config) (*http.Client, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	rt := cmp.Or(client.Transport, http.DefaultTransport)
	// A new client: client-go may return http.DefaultClient, which others share.
	start, err := newServerStart(cfg)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: contextTransport{rt, client.Timeout, cfg.ExecProvider, start}}, nil
}

// dynamicClient makes a dynamic client whose requests end with their contexts.
func dynamicClient(cfg *rest.Config) (dynamic.Interface, error) {
	cfg = dynamic.ConfigFor(cfg)
	client, err := leavingClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return dynamic.NewForConfigAndClient(cfg, client)
}

var ErrUnanswered = errors.New("no answer")
