package kube

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"rung/model/clean"
)

// maxWarnings bounds the warnings kept of one request.
const maxWarnings = 20

type warningsKey struct{}

// warnings are those of one request.
type warnings struct {
	mu   sync.Mutex
	text []string
}

// collectWarnings makes a context whose requests leave their warnings behind; they are read
// when these are over.
func collectWarnings(ctx context.Context) (context.Context, *warnings) {
	w := &warnings{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

// warningCollector hands the server's warnings (code 299) to the request they belong
// to; those of a request that collects none are logged, as client-go does.
type warningCollector struct{}

var _ rest.WarningHandlerWithContext = warningCollector{}

// HandleWarningHeaderWithContext keeps the text of a warning.
func (warningCollector) HandleWarningHeaderWithContext(ctx context.Context, code int, agent string, text string) {
	w, ok := ctx.Value(warningsKey{}).(*warnings)
	switch {
	case !ok:
		rest.WarningLogger{}.HandleWarningHeaderWithContext(ctx, code, agent, text)
	case code == 299 && text != "":
		w.mu.Lock()
		defer w.mu.Unlock()
		if text = clean.Text(text); len(w.text) < maxWarnings && !slices.Contains(w.text, text) {
			w.text = append(w.text, text)
		}
	}
}
