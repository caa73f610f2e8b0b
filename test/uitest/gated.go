package uitest

import (
	"context"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/write"
	"rung/engine"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given/troubled"
)

// Gated is the troubled cluster behind a real gate: previews, commits, undo and the
// history are those of an engine without zones, and after a commit the zones of
// the fake show the new rows at once. Lag, when set before, keeps the zones as
// they were.
type Gated struct {
	*Fake
	Engine *engine.Engine
	Parts  *revision.Facts
	Lag    bool
}

// NewGated makes one; with alters the parts before the first revision and may
// be nil.
func NewGated(t testing.TB, with func(*revision.Facts)) *Gated {
	t.Helper()
	return NewGatedOn(t, write.FileOptions{Demo: troubled.Files}, with)
}

// NewGatedOn is NewGated on other files than the demo's.
func NewGatedOn(t testing.TB, files write.FileOptions, with func(*revision.Facts)) *Gated {
	t.Helper()
	return NewGatedFrom(t, write.NewFiles(files), with)
}

// NewGatedFrom is NewGated on a source of objects.
func NewGatedFrom(t testing.TB, source kube.Source, with func(*revision.Facts)) *Gated {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	e, err := engine.New(context.Background(), engine.Config{
		Mode:    revision.Mode{Name: "demo", Title: "demo", Sandbox: true, Simulated: true},
		Sources: []kube.Source{source}, Writes: true, StateDir: t.TempDir(),
		Clock: func() time.Time { return Now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); e.Close() })
	if err := e.WaitFor(ctx, func(r *revision.Revision) bool { return r.Loaded }); err != nil {
		t.Fatal(err)
	}
	g := &Gated{Engine: e, Parts: DemoFacts(t)}
	g.Parts.Cluster = e.Revision().Cluster
	Sync(g.Parts)
	if with != nil {
		with(g.Parts)
	}
	g.Fake = NewFake(g.Parts)
	g.OnPreview = func(m change.Mutation) (*gate.Preview, error) { return e.Preview(ctx, m) }
	g.OnPlan = func(p *plan.Plan) (*gate.Preview, error) { return e.Preview(ctx, change.RunPlan(p)) }
	g.OnCommit = func(p *gate.Preview, c gate.Confirm) (*gate.Result, error) {
		r, err := e.Commit(ctx, p, c)
		g.ShowNewest()
		return r, err
	}
	return g
}

// ShowNewest makes the newest objects of the engine the ones that are shown.
func (g *Gated) ShowNewest() {
	r := g.Engine.Revision()
	g.Parts.Number++
	g.Parts.Cluster, g.Parts.Undo, g.Parts.Broken = r.Cluster, r.Undo, r.Broken
	if !g.Lag {
		Sync(g.Parts)
	}
	g.Set(g.Parts)
}
