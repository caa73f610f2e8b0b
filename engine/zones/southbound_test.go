package zones

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/reconciler"
	"rung/revision"
)

// newSouthbounds is on a cluster with the Node "node", whose zone cannot be opened, and
// zones of other names.
func newSouthbounds(t *testing.T, cfg SouthboundConfig, others ...string) *Southbounds {
	t.Helper()
	l := NewLoop(t.Context(), time.Now)
	t.Cleanup(l.Close)
	c, _ := (*model.Cluster)(nil).Upsert([]model.Object{&model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "node"}}}}, nil)
	d, _ := compiler.New(compiler.Options{}).Apply(c, nil)
	z := New(l, Config{Follow: 1, Sweep: SweepConfig{TTL: time.Hour, Parallel: 1},
		MakeZone: func(string) (reconciler.Zone, error) { return nil, errors.New("closed") }},
		func() World { return World{Cluster: c, Desired: d} }, nil, NewReports(l, c.Policy), nil)
	for _, name := range others {
		z.States()[name] = &model.ZoneState{Name: name}
	}
	w := NewSouthbounds(l, cfg, z)
	l.Start(func(before *revision.Revision) *revision.Revision {
		return revision.New(revision.Facts{Cluster: c, Southbounds: w.States()}, before)
	})
	z.Start()
	w.Start()
	synctest.Wait()
	return w
}

// Where a zone's Southbound database is: as given by name, in the sandbox, in the zone's
// pod; one without a zone is that of the only zone.
func TestSouthboundPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSouthbounds(t, SouthboundConfig{SB: map[string]string{"given": "unix:x", "": "unix:only"}, Pods: &Pods{}}, "given", "other")
		w.Do(func() {
			w.SetAddress("own", "unix:own")
			for zone, want := range map[string]string{"given": "unix:x", "node": "exec:node", "own": "unix:own", "other": ""} {
				if got, open := w.findEndpoint(zone); got != want || (open == nil) != (want == "") {
					t.Errorf("%s: %q, want %q", zone, got, want)
				}
			}
			here := w.zones.States()
			here["file"] = &model.ZoneState{Name: "file", Endpoint: "file:mg/node-1_nbdb"}
			if got, open := w.findEndpoint("file"); got != "file:mg/node-1_sbdb" || open == nil {
				t.Errorf("of a must-gather: %q", got)
			}
			for name := range here {
				if name != "other" {
					delete(here, name)
				}
			}
			if got, _ := w.findEndpoint("other"); got != "unix:only" {
				t.Errorf("the only zone: %q", got)
			}
		})
	})
}

// A database is followed while somebody looks, and some time longer.
func TestSouthboundLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSouthbounds(t, SouthboundConfig{SB: map[string]string{"z": "unix:/nowhere"}}, "z")
		followed := func() bool {
			synctest.Wait()
			s := w.Revision().Southbound("z")
			return s != nil && s.Followed
		}
		if followed() {
			t.Error("followed, and nobody looks")
		}
		w.LookAtFlows("z")
		if !followed() {
			t.Error("somebody looks, and it is not followed")
		}
		time.Sleep(flowLinger - time.Second)
		if !followed() {
			t.Error("it is let go of too soon")
		}
		time.Sleep(2 * time.Second)
		if followed() {
			t.Error("nobody looks any more, and it is followed still")
		}
	})
}
