package watch

import (
	"context"
	"errors"

	"rung/model"
	"rung/sources/kube"
	"rung/sources/retry"
)

// probe asks the server for its version now and then. A server that stands still
// (stopped, or cut off without a word) lets watches hang for most of a minute
// before HTTP/2 gives them up, and they look well all the time.
func (w *watcher) probe(ctx context.Context) {
	for retry.Sleep(ctx, w.t.probe) {
		w.answered(w.ask(ctx))
	}
}

// ask says why the server does not answer, nil when it does; what it says does not
// matter.
func (w *watcher) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.t.probeAnswer, kube.ErrUnanswered)
	defer cancel()
	_, err := w.c.Builtin().Get("/version").DoRaw(ctx)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), kube.ErrUnanswered):
		return kube.ErrUnanswered
	case unreachable(err):
		return err
	}
	return nil
}

// answered takes in whether the server answers, nil, or why not: what is being
// followed is lost while it does not, and well again after. A feed whose own
// request fails says more, and that stays.
func (w *watcher) answered(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.feeds {
		switch {
		case err != nil && f.res.Conn == model.ConnSynced:
			f.stalled = true
			f.res.Attempts++
			f.enter(model.ConnLost, f.unanswered(err))
			w.changed()
		case err == nil && f.stalled:
			f.stalled = false
			if f.res.Conn == model.ConnLost {
				f.enter(model.ConnSynced, "")
				w.changed()
			}
		}
	}
}
