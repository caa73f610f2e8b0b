package engine

import (
	"context"
	"testing"

	"rung/model"
)

// world is a small cluster that changes as the gate writes, without an engine.
type world struct {
	*changing
	fail    error // what Write answers
	written [][]ObjectChange
}

func newWorld(t testing.TB, policies ...string) *world {
	t.Helper()
	return &world{changing: newChanging(t, policies...)}
}

// Write makes the world the Writer of its own gate.
func (w *world) Write(_ context.Context, changes []ObjectChange) error {
	if w.fail != nil {
		return w.fail
	}
	w.mu.Lock()
	w.written = append(w.written, changes)
	w.mu.Unlock()
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, c.New)
		} else {
			remove = append(remove, c.Key)
		}
	}
	w.apply(upsert, remove)
	return nil
}

func (w *world) gate(dir string) *gate {
	w.t.Helper()
	h, err := OpenHistory(nil, dir, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return &gate{current: w.current, writer: w, history: h, audit: NewAudit(nil, dir), now: w.clock, user: "ada"}
}
