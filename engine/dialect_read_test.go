package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
)

// changingZone is a zone whose rows are those that come.
type changingZone struct {
	fleetZone
	rows chan *nb.DB
}

func (z *changingZone) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	for {
		select {
		case <-ctx.Done():
			return
		case db := <-z.rows:
			sink(model.ZoneUpdate{Conn: model.ConnSynced, DB: db, Resync: true, Server: "fake"})
		}
	}
}

// What a zone runs with is read again when its rows change, not at the next of many
// looks at a clock: the rows have rested for long enough, so that it is known at once.
func TestDialectIsReadWhenRowsChange(t *testing.T) {
	objects := dialectObjects(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{t: t, rows: map[string]*nb.DB{}, runs: map[string]int{}, reads: map[string]int{}, steps: make(chan kube.SourceUpdate, 1)}
		z := &changingZone{fleetZone{f, "worker"}, make(chan *nb.DB)}
		e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "cluster"}, Sources: []kube.Source{f},
			MakeZone: func(name string) (reconciler.Zone, error) {
				if name != "worker" {
					return &fleetZone{f, name}, nil
				}
				return z, nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		f.steps <- kube.SourceUpdate{Upsert: objects, Loaded: true}
		z.rows <- dialectRows(objects, "worker", compiler.Options{IPv4: true})
		time.Sleep(time.Hour + 500*time.Millisecond)
		observability := func(r *revision.Revision) string {
			return settingOf(revision.DialectOfZone(r, "worker"), "observability").Value
		}
		if got := observability(e.Revision()); got != "off" {
			t.Fatalf("observability is %q before the rows change", got)
		}
		changed := time.Now()
		z.rows <- dialectRows(objects, "worker", compiler.Options{IPv4: true, Observability: true})
		if err := e.WaitFor(t.Context(), func(r *revision.Revision) bool { return observability(r) == "on" }); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(changed); took > 100*time.Millisecond {
			t.Errorf("it took %v until the rows were read", took)
		}
	})
}
