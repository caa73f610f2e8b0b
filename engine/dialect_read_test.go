package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"rung/compiler"
	"rung/engine/source"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
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
		f := &fleet{t: t, rows: map[string]*nb.DB{}, runs: map[string]int{}, reads: map[string]int{}, steps: make(chan source.Update, 1)}
		z := &changingZone{fleetZone{f, "worker"}, make(chan *nb.DB)}
		e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "cluster"}, Sources: []source.Source{f},
			ZoneOf: func(name string) (reconciler.Zone, error) {
				if name != "worker" {
					return &fleetZone{f, name}, nil
				}
				return z, nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		f.steps <- source.Update{Upsert: objects, Loaded: true}
		z.rows <- dialectRows(objects, "worker", compiler.Options{IPv4: true})
		time.Sleep(time.Hour + 500*time.Millisecond)
		observability := func(r *revision.Revision) string { return settingOf(revision.Dialect(r, "worker"), "observability").Value }
		if got := observability(e.Revision()); got != "off" {
			t.Fatalf("observability is %q before the rows change", got)
		}
		changed := time.Now()
		z.rows <- dialectRows(objects, "worker", compiler.Options{IPv4: true, Observability: true})
		if err := e.Wait(t.Context(), func(r *revision.Revision) bool { return observability(r) == "on" }); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(changed); took > 100*time.Millisecond {
			t.Errorf("it took %v until the rows were read", took)
		}
	})
}

// A zone's rows are looked at when they have rested; where nothing changed there is
// nothing to wait for.
func TestGlances(t *testing.T) {
	now := time.Unix(1000, 0)
	was := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.Global{UUID: "g", Name: "z"}}})
	is := was.Apply([]nb.RowChange{{New: &nb.ACL{UUID: "a"}}})
	seen := func(db *nb.DB, ago time.Duration) glances { return glances{"z": {db: db, at: now.Add(-ago)}} }
	differs := model.ZoneState{Policies: map[model.PolicyKey]*model.PolicyInZone{{}: {Different: 1}}}
	for _, tt := range []struct {
		name string
		seen glances
		zone model.ZoneState
		look bool
		in   time.Duration
	}{
		{"the same rows", seen(is, 0), differs, false, 0},
		{"other rows, rested", seen(was, dialectSoon), differs, true, 0},
		{"other rows, too soon", seen(was, time.Second), differs, false, dialectSoon - time.Second},
		{"other rows in sync", seen(was, dialectSoon), model.ZoneState{}, false, dialectLate - dialectSoon},
		{"the first rows", glances{}, differs, false, dialectSoon},
		{"rows of Rung's own", glances{}, model.ZoneState{Writes: true}, false, 0},
	} {
		z := tt.zone
		z.Name, z.DB = "z", is
		tt.seen["gone"] = dialectGlance{db: was}
		look, in := tt.seen.due([]*model.ZoneState{&z}, now)
		if (len(look) == 1) != tt.look || in != tt.in {
			t.Errorf("%s: %d to look at now, the next in %v; want %v, %v", tt.name, len(look), in, tt.look, tt.in)
		}
		if _, kept := tt.seen["gone"]; kept {
			t.Errorf("%s: a zone that is gone is remembered", tt.name)
		}
	}
}
