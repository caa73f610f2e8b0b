package gate

import (
	"context"
	"testing"

	"rung/change"
	"rung/change/history"
	"rung/test/apiserver"
	"rung/test/changing"
)

// world is a small cluster that changes as its gate writes, without an engine.
type world struct {
	*changing.WritingWorld
	requests func() []apiserver.Request // of serverGate
}

func newWorld(t testing.TB, policies ...string) *world {
	t.Helper()
	return &world{WritingWorld: changing.NewWritingWorld(t, policies...)}
}

func (w *world) Gate(dir string) *Gate {
	w.T.Helper()
	h, err := history.Open(nil, dir, "test")
	if err != nil {
		w.T.Fatal(err)
	}
	return w.NewGate(Config{Writer: w, History: h, Audit: history.NewAudit(nil, dir)})
}

// NewGate is a gate of ada's whose writer shows what it wrote by itself.
func (w *world) NewGate(c Config) *Gate {
	c.CurrentRevision, c.Now = w.Current, w.Clock
	c.Overlay, c.WaitShown = func([]change.ObjectChange) error { return nil }, func(context.Context, []change.ObjectChange) {}
	g := New(c)
	g.user = "ada"
	return g
}
