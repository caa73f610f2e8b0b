package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"rung/sources/retry"
)

const (
	// startTime bounds the retries of a refusal by a server that has just started.
	startTime = 3 * time.Second
	// The waits between tries double from startFirst up to startMost.
	startFirst, startMost = 50 * time.Millisecond, 500 * time.Millisecond
	// startAskTime bounds the question whether the server has just started.
	startAskTime = time.Second
)

// serverStart finds out whether the API server has just started. Such a server answers 403 to all requests
// until it has read its RBAC roles, even for /version, which every user may read by default.
type serverStart struct {
	version string // URL of /version
	shared  SharedAnswers[bool]
	// believed is set once /version was refused for all of startTime: this server always refuses it, so its
	// refusals are returned at once.
	believed atomic.Bool
}

// newServerStart makes the check for the server of a configuration.
func newServerStart(cfg *rest.Config) (*serverStart, error) {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("read the server's address: %w", err)
	}
	return &serverStart{version: base.JoinPath("version").String(),
		shared: SharedAnswers[bool]{Keep: startFirst, Within: startAskTime}}, nil
}

// refusesVersion reports whether the server answers 403 for its version.
func (l contextTransport) refusesVersion(ctx context.Context) bool {
	refused, err := l.start.shared.Get(ctx, "", func(ctx context.Context) (bool, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.start.version, nil)
		if err != nil {
			return false, err
		}
		response, err := l.sendRequest(r)
		if err != nil {
			return false, err
		}
		discardAnswer(response)
		return response.StatusCode == http.StatusForbidden, nil
	})
	return err == nil && refused
}

// sendUntilStarted sends a request, and repeats it if a server that has just started refuses it. A lasting
// refusal is returned after startTime, and at once from a server that has started.
func (l contextTransport) sendUntilStarted(r *http.Request) (*http.Response, error) {
	response, err := l.sendRequest(r)
	if err != nil || response.StatusCode != http.StatusForbidden || r.Body != nil && r.GetBody == nil {
		return response, err
	}
	ctx := r.Context()
	if !l.refusesVersion(ctx) {
		l.start.believed.Store(false)
		return response, nil
	}
	waits, limit := retry.Backoff(startFirst, startMost), startTime
	if l.timeout > 0 {
		limit = min(limit, l.timeout/2) // so that the refusal is returned before the request times out
	}
	for began := time.Now(); !l.start.believed.Load(); {
		if time.Since(began) > limit {
			// The server may read this user's roles later: believe refusals only if /version is still refused.
			l.start.believed.Store(l.refusesVersion(ctx))
			return response, nil
		}
		discardAnswer(response)
		if !retry.Sleep(ctx, waits.Step()) {
			return nil, ctx.Err()
		}
		again := r.Clone(ctx)
		if r.GetBody != nil {
			if again.Body, err = r.GetBody(); err != nil {
				return nil, fmt.Errorf("send the request again: %w", err)
			}
		}
		response, err = l.sendRequest(again)
		if err != nil || response.StatusCode != http.StatusForbidden {
			return response, err
		}
	}
	return response, nil
}

// discardAnswer reads a small answer to its end, to reuse its connection.
func discardAnswer(r *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 64<<10)) // ignore errors of an unwanted answer
	_ = r.Body.Close()
}
