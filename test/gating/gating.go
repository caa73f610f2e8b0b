package gating

import (
	"context"
	"testing"

	"rung/change"
	"rung/change/audit"
	"rung/change/gate"
	"rung/change/history"
	"rung/test/changing"
)

// World is a small cluster that changes as its gate writes, without an engine.
type World struct{ *changing.WritingWorld }

// NewWorld is the cluster of given with policies.
func NewWorld(t testing.TB, policies ...string) *World {
	t.Helper()
	return &World{changing.NewWritingWorld(t, policies...)}
}

// Gate is a gate that keeps its history and its audit in a folder.
func (w *World) Gate(dir string) *gate.Gate {
	w.T.Helper()
	h, err := history.Open(nil, dir, "test")
	if err != nil {
		w.T.Fatal(err)
	}
	return w.GateOf(gate.Config{Writer: w, History: h, Audit: audit.New(nil, dir)})
}

// GateOf is a gate of ada's whose writer shows what it wrote by itself.
func (w *World) GateOf(c gate.Config) *gate.Gate {
	c.Current, c.Now = w.Current, w.Clock
	c.Overlay, c.Shown = func([]change.ObjectChange) error { return nil }, func(context.Context, []change.ObjectChange) {}
	c.User = "ada"
	return gate.New(c)
}

// Yes is the yes of the command line.
var Yes = gate.Confirm{Yes: true, By: "cli"}

// Typed is a yes of the console with a name typed.
func Typed(name string) gate.Confirm {
	return gate.Confirm{Yes: true, Name: name, By: "console"}
}

// Do previews and commits.
func Do(t *testing.T, w *World, g *gate.Gate, m change.Mutation, a gate.Confirm) *gate.Result {
	t.Helper()
	p, err := g.Preview(context.Background(), w.Current(), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Commit(context.Background(), p, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
