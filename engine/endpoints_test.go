package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/wait"
)

// A database that has no name yet stands under its address, and as the zone that it
// is as soon as it says which, whether its rows are followed or only read now and then.
func TestEndpointGetsItsName(t *testing.T) {
	// The zone "a" comes first.
	for conn, follow := range map[model.ConnState]int{model.ConnSynced: 2, model.ConnSwept: 1} {
		t.Run(string(conn), func(t *testing.T) {
			dir, err := os.MkdirTemp("", "rung-name-") // short: it holds sockets
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: []string{"a", "worker"}, Dir: filepath.Join(dir, "s"), Server: sandbox.ServerBuiltin})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(sb.Close)
			addr := sb.Endpoints()["worker"]
			rename(t, addr, "")

			e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "files"}, NB: map[string]string{"a": sb.Endpoints()["a"], addr: addr}, FollowZones: follow,
				Sweep: zones.SweepConfig{TTL: 200 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			shows := func(name string) func() bool {
				return func() bool {
					r := e.Revision()
					z := r.Zone(name)
					return len(r.Zones) == 2 && z != nil && z.Conn == conn && z.RowCount() > 0
				}
			}
			wait.Within(t, time.Minute, "the zone under its address", shows(addr))
			rename(t, addr, "worker")
			wait.Within(t, time.Minute, "the zone under its name", shows("worker"))
			if p := e.Revision().Sources; slices.ContainsFunc(p, func(s model.SourceState) bool { return s.Error != "" }) {
				t.Errorf("%+v", p)
			}
		})
	}
}

// No revision has the objects and none of the databases that were given: a report of the first one
// said that no database was read.
func TestZonesStandBesideTheFirstObjects(t *testing.T) {
	dead := t.TempDir()
	for range 50 {
		e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "files"}, Sources: []kube.Source{still{}},
			NB: map[string]string{"a": "unix:" + dead + "/a", "": "unix:" + dead + "/b"}})
		if err != nil {
			t.Fatal(err)
		}
		var zones int
		if err := e.WaitFor(t.Context(), func(r *revision.Revision) bool {
			zones = len(r.Zones)
			return r.Loaded
		}); err != nil || zones != 2 {
			t.Fatalf("%d zones: %v", zones, err)
		}
		e.Close()
	}
}

// rename gives a database another name.
func rename(t *testing.T, addr, name string) {
	t.Helper()
	db, err := nbdb.Dial(nbdb.Config{Addr: addr, AnyName: true}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := nbdb.Dial(nbdb.Config{AnyName: true, Addr: addr})
	done := make(chan struct{})
	defer func() { <-done }()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	up := make(chan struct{}, 1)
	go func() {
		defer close(done)
		c.Run(ctx, func(u model.ZoneUpdate) {
			if u.Resync {
				up <- struct{}{}
			}
		})
	}()
	<-up
	if _, err := c.Transact(ctx, []nb.Op{{Kind: nb.OpUpdate, Table: nb.TableGlobal, UUID: db.Global().UUID, Row: map[string]any{"name": name}}}); err != nil {
		t.Fatal(err)
	}
}
