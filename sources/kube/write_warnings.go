package kube

import (
	"context"
	"slices"
	"sync"
)

// maxWarnings bounds the warnings kept of one request.
const maxWarnings = 20

type warningsKey struct{}

// warnings are those of one request.
type warnings struct {
	mu   sync.Mutex
	text []string
}

// collectWarnings makes a context whose requests leave their warnings behind.
func collectWarnings(ctx context.Context) (context.Context, *warnings) {
	w := &warnings{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.text) < maxWarnings && !slices.Contains(w.text, text) {
		w.text = append(w.text, text)
	}
}

func (w *warnings) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.text)
}
