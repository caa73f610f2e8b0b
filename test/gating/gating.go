package gating

import (
	"context"
	"sync"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model"
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
	return w.NewGate(gate.Config{Writer: w, History: h, Audit: history.NewAudit(nil, dir)})
}

// NewGate is a gate of ada's whose writer shows what it wrote by itself.
func (w *World) NewGate(c gate.Config) *gate.Gate {
	c.CurrentRevision, c.Now = w.Current, w.Clock
	c.Overlay, c.WaitShown = func([]change.ObjectChange) error { return nil }, func(context.Context, []change.ObjectChange) {}
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

// Zone sets the state of a zone; with follow its rows show the policies as they
// are, without they stay as they were and change by change fall behind.
func (w *World) Zone(name string, conn model.ConnState, follow bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.SetZone(name, conn, follow)
	w.Publish()
}

// SetZone is Zone for whoever holds Mu and publishes.
func (w *World) SetZone(name string, conn model.ConnState, follow bool) {
	next := &model.ZoneState{Name: name, Conn: conn, SyncedAt: w.Now, Policies: map[model.PolicyKey]*model.PolicyInZone{}}
	var others []*model.ZoneState
	for _, z := range w.Zones {
		if z.Name != name {
			others = append(others, z)
		} else if !follow {
			next.Policies = z.Policies
		}
	}
	if follow {
		for q := range w.Cluster.Policies(model.KindANP) {
			next.Policies[q.Key] = &model.PolicyInZone{Policy: q.Key, InSync: true, LiveACLs: 1, LivePriority: q.Priority}
		}
	}
	w.Zones = append(others, next)
}

// Follow keeps zones in step with the policies, until stop.
func (w *World) Follow(names ...string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			for _, n := range names {
				w.Zone(n, model.ConnSynced, true)
			}
			time.Sleep(time.Millisecond)
		}
	})
	return func() { cancel(); wg.Wait() }
}
