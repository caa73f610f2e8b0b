package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"rung/model"
	"rung/model/words"

	"rung/sources/retry"
)

// probeServer asks the server for its version now and then. A server that stands still
// (stopped, or cut off without a word) lets watches hang for most of a minute
// before HTTP/2 gives them up, and they look well all the time.
func (w *watcher) probeServer(ctx context.Context) {
	for pause := w.t.probe; w.waitToAsk(ctx, pause); {
		err := w.askServer(ctx)
		w.noteAnswer(err)
		pause = w.t.probe
		switch {
		case apierrors.IsUnauthorized(err):
			w.reopenCredentials()
			pause = w.t.reopen
		case err != nil || w.isLost():
			pause = w.t.probeLost
		}
	}
}

// waitToAsk waits before the server is asked, for less if a feed loses it meanwhile: a server that is back before
// the next question would not be noticed, and feeds would wait out their pauses.
func (w *watcher) waitToAsk(ctx context.Context, pause time.Duration) bool {
	if pause < w.t.probe {
		return retry.Sleep(ctx, pause)
	}
	due := time.NewTimer(pause)
	defer due.Stop()
	select {
	case <-w.feedLost:
	case <-due.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// isLost reports whether a feed is lost, for whatever reason.
func (w *watcher) isLost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.feeds, func(f *feed) bool { return f.res.Conn == model.ConnLost })
}

// serverBack returns a channel that is closed when a server that did not answer answers again.
func (w *watcher) serverBack() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.back
}

func isClosed(back <-chan struct{}) bool {
	select {
	case <-back:
		return true
	default:
		return false
	}
}

// awaitServer waits before a failed request is sent again, and no longer than until back is
// closed; it reports whether it is. back is from before the request: the server may have come
// back while the request failed.
func (f *feed) awaitServer(ctx context.Context, back <-chan struct{}, pause time.Duration) bool {
	select {
	case f.w.feedLost <- struct{}{}:
	default: // the server is asked anyway
	}
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	select {
	case <-ctx.Done():
		return false
	case <-back:
		return true
	}
}

// askServer returns why the server does not answer, or that it refuses the credentials: a watch
// that is open goes on although its token was revoked. It returns nil for every other answer.
func (w *watcher) askServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.t.probeAnswer, ErrUnanswered)
	defer cancel()
	_, err := w.c.Builtin().Get("/version").DoRaw(ctx)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), ErrUnanswered):
		return ErrUnanswered
	case isUnreachable(err), apierrors.IsUnauthorized(err):
		return err
	}
	return nil
}

// noteAnswer takes in whether the server answers, nil, or why not: what is being
// followed is lost while it does not, denied while it refuses the credentials, and well
// again after. A feed whose own request fails says more, and that stays.
func (w *watcher) noteAnswer(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	login := apierrors.IsUnauthorized(err)
	unanswered := err != nil && !login
	if !unanswered && w.unanswered {
		close(w.back)
		w.back = make(chan struct{})
	}
	w.unanswered = unanswered
	for _, f := range w.feeds {
		switch {
		case err != nil && (f.res.Conn == model.ConnSynced || f.stalled && f.refusedLogin != login):
			f.stalled, f.refusedLogin = true, login
			f.res.Attempts++
			state, text := model.ConnLost, f.unansweredText(err)
			if login {
				state, text = f.explainError(err)
			}
			f.setState(state, text)
			w.markChanged()
		case err == nil && f.stalled:
			f.stalled, f.refusedLogin = false, false
			f.setState(model.ConnSynced, "")
			w.markChanged()
		}
	}
}

// explainError makes a state of an error, and one clean line with what to do.
func (f *feed) explainError(err error) (model.ConnState, string) {
	verb := "read"
	var fe *requestFailure
	if errors.As(err, &fe) {
		verb, err = fe.verb, fe.err
	}
	switch {
	case apierrors.IsUnauthorized(err):
		return model.ConnDenied, "the server does not accept the credentials (401): they are wrong or have expired; log in again, Rung then " +
			"reads the kubeconfig again"
	case apierrors.IsForbidden(err):
		return model.ConnDenied, fmt.Sprintf("may not %s %s: %s; see: %s", verb, f.resource.name, serverText(err), f.canIText(verb))
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return model.ConnAbsent, fmt.Sprintf("%s is not served: the CRD is not installed, or in another version",
			f.resource.name)
	}
	text := fmt.Sprintf("%s %s: %s", verb, f.res.Name, serverText(err))
	if isUnreachable(err) {
		text += "; is the API server up, and the context right? see: " + f.w.c.Kubectl("cluster-info")
	}
	return model.ConnLost, text
}

// unansweredText returns the message of a feed while the server does not answer.
func (f *feed) unansweredText(err error) string {
	why := serverText(err)
	if errors.Is(err, ErrUnanswered) {
		why = fmt.Sprintf("%s within %s", ErrUnanswered, f.w.t.probeAnswer)
	}
	return fmt.Sprintf("%s: what is shown may be old; see: %s", why, f.w.c.Kubectl("cluster-info"))
}

// isUnreachable reports whether the server gave no answer, or not the whole of it.
func isUnreachable(err error) bool {
	if err == nil {
		return false
	}
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) || errors.As(err, &dns) || errors.Is(err, ErrUnanswered) || isTimeout(err) ||
		errors.Is(err, errClosed) || isBrokenConnection(err.Error()) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// isTimeout reports whether a connection, or a handshake on it, ended with its time.
func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// serverText is an error as one clean line, without the address of the request,
// which the screen shows anyway.
func serverText(err error) string {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	var op *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err) && !errors.As(err, &op):
		return "the API server did not answer in time"
	case isBrokenConnection(err.Error()):
		return errBroken.Error()
	}
	s := words.CleanText(strings.Join(strings.Fields(err.Error()), " "))
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// canIText is the kubectl command that shows whether a permission is there.
func (f *feed) canIText(verb string) string {
	words := []string{"auth", "can-i", verb, f.resource.name}
	if f.resource.kind.IsNamespaced() {
		words = append(words, "-A")
	}
	return f.w.c.Kubectl(words...)
}
