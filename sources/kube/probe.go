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

// probeServer asks the server for its version now and then. If a server hangs (stopped, or silently cut off),
// watches look healthy for most of a minute, until HTTP/2 gives up.
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

// waitToAsk waits before the next probe, and less if a feed loses the server meanwhile. Otherwise feeds could
// wait out their pauses although the server is back.
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

// isLost reports whether any feed is lost.
func (w *watcher) isLost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.feeds, func(f *feed) bool { return f.res.Conn == model.ConnLost })
}

// serverBack returns a channel that is closed once an unanswering server answers again.
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

// awaitServer waits before a failed request is repeated, until pause is over or back is closed; true if
// closed. back is from before the request: the server may have returned while the request failed.
func (f *feed) awaitServer(ctx context.Context, back <-chan struct{}, pause time.Duration) bool {
	retry.Wake(f.w.feedLost)
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	select {
	case <-ctx.Done():
		return false
	case <-back:
		return true
	}
}

// askServer returns why the server does not answer, or that it rejects the credentials: an open watch survives
// the revocation of its token. It returns nil for every other answer.
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

// noteAnswer records whether the server answers (nil) or why not. Followed feeds are lost while it does not
// answer, denied while it rejects the credentials, and synced again afterwards. The more precise state of a
// feed whose own request failed stays.
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

// explainError turns an error into a state and one clean line with the remedy.
func (f *feed) explainError(err error) (model.ConnState, string) {
	verb := "read"
	if fe, ok := errors.AsType[*requestFailure](err); ok {
		verb, err = fe.verb, fe.err
	}
	switch {
	case apierrors.IsUnauthorized(err):
		return model.ConnDenied, "the API server rejected the credentials (401): they are wrong or expired; log in again, then Rung " +
			"rereads the kubeconfig"
	case apierrors.IsForbidden(err):
		return model.ConnDenied, fmt.Sprintf("may not %s %s: %s; see: %s", verb, f.resource.name, serverText(err), f.canIText(verb))
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return model.ConnAbsent, fmt.Sprintf("%s is not served: its CRD is not installed, or has another version",
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
	return fmt.Sprintf("%s: shown data may be stale; see: %s", why, f.w.c.Kubectl("cluster-info"))
}

// isUnreachable reports whether the server gave no answer, or only a part.
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

// isTimeout reports whether a connection or handshake timed out.
func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// serverText returns an error as one clean line, without the request's address, which the screen shows anyway.
func serverText(err error) string {
	if ue, ok := errors.AsType[*url.Error](err); ok {
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

// canIText returns the kubectl command that checks the permission.
func (f *feed) canIText(verb string) string {
	words := []string{"auth", "can-i", verb, f.resource.name}
	if f.resource.kind.IsNamespaced() {
		words = append(words, "-A")
	}
	return f.w.c.Kubectl(words...)
}
