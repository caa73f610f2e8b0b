package gate

import (
	"context"
	"testing"

	"rung/change"
	"rung/change/audit"
	"rung/change/effect"
	"rung/change/history"
	"rung/model"
	"rung/test/changing"
)

// world is a small cluster that changes as the gate writes, without an engine.
type world struct {
	*changing.World
	Fail   error  // what Write answers
	Before func() // Write writes
	// partly is how many objects of a change Write writes before it fails, and puts none back:
	// as a kill leaves it.
	Partly  int
	Written [][]change.ObjectChange
}

func newWorld(t testing.TB, policies ...string) *world {
	t.Helper()
	return &world{World: changing.New(t, policies...)}
}

// Write makes the world the Writer of its own gate.
func (w *world) Write(_ context.Context, changes []change.ObjectChange) error {
	if w.Before != nil {
		w.Before()
	}
	if w.Fail != nil && w.Partly == 0 {
		return w.Fail
	}
	if w.Fail != nil {
		changes = changes[:w.Partly]
	}
	w.Mu.Lock()
	w.Written = append(w.Written, changes)
	w.Mu.Unlock()
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, effect.AsObject(w.Current(), c.New))
		} else {
			remove = append(remove, c.Key)
		}
	}
	w.Apply(upsert, remove)
	return w.Fail
}

// WithoutPods takes all pods away: what happens to connections is not known then.
func (w *world) WithoutPods() {
	w.T.Helper()
	var keys []model.Key
	for p := range w.Current().Cluster.Pods() {
		keys = append(keys, p.Key)
	}
	w.Apply(nil, keys)
}

func (w *world) Gate(dir string) *Gate {
	w.T.Helper()
	h, err := history.Open(nil, dir, "test")
	if err != nil {
		w.T.Fatal(err)
	}
	return w.GateOf(Config{Writer: w, History: h, Audit: audit.New(nil, dir)})
}

// GateOf is a gate of ada's whose writer shows what it wrote by itself.
func (w *world) GateOf(c Config) *Gate {
	c.Current, c.Now = w.Current, w.Clock
	c.Overlay, c.Shown = func([]change.ObjectChange) error { return nil }, func(context.Context, []change.ObjectChange) {}
	g := New(c)
	g.user = "ada"
	return g
}
