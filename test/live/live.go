package live

import (
	"context"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
)

// still is a zone whose database never changes.
type still struct {
	name, endpoint string
	update         model.ZoneUpdate
}

func (z *still) Name() string     { return z.name }
func (z *still) Endpoint() string { return z.endpoint }

func (z *still) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	sink(z.update)
	<-ctx.Done()
}

func (z *still) Transact(context.Context, []nb.Op) ([]nb.OpResult, error) {
	return nil, model.ErrRejected
}

// clock stands still.
func clock(at time.Time) func() time.Time { return func() time.Time { return at } }

// Judge joins the live rows of every zone that was read with the desired ones.
// The rows count as read, and every difference as new, at the given time.
func Judge(t testing.TB, p *revision.Facts, at time.Time) {
	t.Helper()
	if p.Desired == nil {
		p.Desired = compiler.Compile(p.Cluster, p.Flags.CompilerOptions())
	}
	for i, z := range p.Zones {
		if z.DB == nil {
			continue
		}
		p.Zones[i] = judge(t, p.Desired, z, at)
	}
}

func judge(t testing.TB, d *compiler.Desired, z *model.ZoneState, at time.Time) *model.ZoneState {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var out *model.ZoneState
	r := reconciler.NewZone(reconciler.Config{
		Zone: &still{z.Name, z.Endpoint, model.ZoneUpdate{Conn: model.ConnSynced, At: at, Server: z.Server, DB: z.DB, Resync: true}},
		Mode: reconciler.Observe, Clock: clock(at), Publish: time.Millisecond,
		OnState: func(s *model.ZoneState) {
			if s.DB != nil && len(s.Policies) > 0 && out == nil {
				out = s
				cancel()
			}
		},
	})
	r.SetDesired(d, nil, true)
	r.Run(ctx)
	if out == nil {
		t.Fatalf("zone %s: no state after %v", z.Name, ctx.Err())
	}
	c := *z
	c.Policies = out.Policies
	return &c
}

// Edit changes live rows of a zone: what f returns is applied to its database.
func Edit(t testing.TB, p *revision.Facts, zone string, f func(db *nb.DB) []nb.RowChange) {
	t.Helper()
	for i, z := range p.Zones {
		if z.Name == zone {
			c := *z
			c.DB = z.DB.Apply(f(z.DB))
			p.Zones[i] = &c
			return
		}
	}
	t.Fatalf("no zone %s", zone)
}

// Zone is a copy of a zone's state that a test may change in place.
func Zone(t testing.TB, p *revision.Facts, zone string) *model.ZoneState {
	t.Helper()
	for i, z := range p.Zones {
		if z.Name == zone {
			c := *z
			p.Zones[i] = &c
			return &c
		}
	}
	t.Fatalf("no zone %s", zone)
	return nil
}

// ACL finds a live ACL by the end of its id.
func ACL(t testing.TB, db *nb.DB, id string) *nb.ACL {
	t.Helper()
	if a := db.ACLByID(nb.DefaultController + ":" + id); a != nil {
		return a
	}
	t.Fatalf("no ACL %s", id)
	return nil
}
