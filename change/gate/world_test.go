package gate

import (
	"context"
	"testing"

	"rung/model"
	"rung/test/changing"
)

// world is a small cluster that changes as the gate writes, without an engine.
type world struct {
	*changing.World
	fail   error  // what Write answers
	before func() // Write writes
	// partly is how many objects of a change Write writes before it fails, and puts none back:
	// as a kill leaves it.
	partly  int
	written [][]ObjectChange
}

func newWorld(t testing.TB, policies ...string) *world {
	t.Helper()
	return &world{World: changing.New(t, policies...)}
}

// Write makes the world the Writer of its own gate.
func (w *world) Write(_ context.Context, changes []ObjectChange) error {
	if w.before != nil {
		w.before()
	}
	if w.fail != nil && w.partly == 0 {
		return w.fail
	}
	if w.fail != nil {
		changes = changes[:w.partly]
	}
	w.Mu.Lock()
	w.written = append(w.written, changes)
	w.Mu.Unlock()
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, asObject(w.Current(), c.New))
		} else {
			remove = append(remove, c.Key)
		}
	}
	w.Apply(upsert, remove)
	return w.fail
}

// withoutPods takes all pods away: what happens to connections is not known then.
func (w *world) withoutPods() {
	w.T.Helper()
	var keys []model.Key
	for p := range w.Current().Cluster.Pods() {
		keys = append(keys, p.Key)
	}
	w.Apply(nil, keys)
}

func (w *world) gate(dir string) *Gate {
	w.T.Helper()
	h, err := OpenHistory(nil, dir, "test")
	if err != nil {
		w.T.Fatal(err)
	}
	return w.gateOf(Config{Writer: w, History: h, Audit: NewAudit(nil, dir)})
}

// gateOf is a gate of ada's whose writer shows what it wrote by itself.
func (w *world) gateOf(c Config) *Gate {
	c.Current, c.Now = w.Current, w.Clock
	c.Overlay, c.Shown = func([]ObjectChange) error { return nil }, func(context.Context, []ObjectChange) {}
	g := New(c)
	g.user = "ada"
	return g
}
