package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/changing"
	"rung/test/install"
	"rung/test/wait"
)

// fleet is zones that are functions, and a source of objects.
type fleet struct {
	t *testing.T

	mu      sync.Mutex
	rows    map[string]*nb.DB
	dead    map[string]error         // Read fails at once
	slow    map[string]chan struct{} // Read waits until it is closed
	reads   map[string]int
	runs    map[string]int // watched now
	mostRun int

	steps chan kube.SourceUpdate
}

func newFleet(t *testing.T) *fleet {
	t.Cleanup(func() { wait.NoLeaks(t) })
	return &fleet{t: t, rows: map[string]*nb.DB{}, dead: map[string]error{}, slow: map[string]chan struct{}{}, reads: map[string]int{},
		runs: map[string]int{}, steps: make(chan kube.SourceUpdate, 16)}
}

func (f *fleet) Name() string { return "fleet" }

func (f *fleet) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	for {
		select {
		case <-ctx.Done():
			return
		case u := <-f.steps:
			u.State = model.SourceState{Name: "fleet", Conn: model.ConnSynced}
			sink(u)
		}
	}
}

func (f *fleet) with(what func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what()
}

// fleetZone is one zone of a fleet.
type fleetZone struct {
	f    *fleet
	name string
}

func (z *fleetZone) Name() string     { return z.name }
func (z *fleetZone) Endpoint() string { return "fake:" + z.name }
func (z *fleetZone) Transact(context.Context, []nb.Op) ([]nb.OpResult, error) {
	return nil, model.ErrRejected
}

func (z *fleetZone) Read(ctx context.Context) (*nb.DB, error) {
	f := z.f
	f.mu.Lock()
	f.reads[z.name]++
	db, err, slow := f.rows[z.name], f.dead[z.name], f.slow[z.name]
	f.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

func (z *fleetZone) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	f := z.f
	f.mu.Lock()
	f.runs[z.name]++
	f.mostRun = max(f.mostRun, len(f.runs))
	db, err := f.rows[z.name], f.dead[z.name]
	f.mu.Unlock()
	defer f.with(func() {
		f.runs[z.name]--
		if f.runs[z.name] == 0 {
			delete(f.runs, z.name)
		}
	})
	if err != nil {
		sink(model.ZoneUpdate{Conn: model.ConnLost, Attempts: 1, Error: err.Error()})
	} else {
		sink(model.ZoneUpdate{Conn: model.ConnSynced, DB: db, Resync: true, Server: "fake"})
	}
	<-ctx.Done()
}

// nodes are n nodes, the second of them of the control plane.
func (f *fleet) nodes(n int) (out []model.Object) {
	for i := range n {
		l := map[string]string{}
		if i == 1 {
			l["node-role.kubernetes.io/control-plane"] = ""
		}
		out = append(out, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: fmt.Sprintf("n%02d", i)}, Labels: model.NewLabels(l)}})
	}
	return out
}

func zoneNames(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("n%02d", i))
	}
	return out
}

func (f *fleet) policy(name string, priority int32) *model.Policy {
	return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin, Priority: priority,
		Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Ingress: []model.Rule{{Direction: model.Ingress, Action: "Deny", Peers: []model.Peer{{Kind: model.PeerNamespaces, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}}}}}
}

// fill gives zones the rows that the revision wants.
func (f *fleet) fill(r *revision.Revision, names ...string) {
	for _, name := range names {
		n := 0
		uuid := func() string { n++; return fmt.Sprintf("%s-%04d", name, n) }
		ch := []nb.RowChange{{New: &nb.Global{UUID: uuid(), Name: name}}}
		for _, k := range r.Units() {
			rows := r.Rows(k, name)
			if rows == nil || rows.PortGroup == nil {
				continue
			}
			g := *rows.PortGroup
			g.UUID, g.ACLs, g.Ports = uuid(), nil, nil
			for _, a := range rows.ACLs {
				row := *a
				row.UUID = uuid()
				g.ACLs = append(g.ACLs, row.UUID)
				ch = append(ch, nb.RowChange{New: &row})
			}
			for _, s := range rows.AddressSets {
				row := *s
				row.UUID = uuid()
				ch = append(ch, nb.RowChange{New: &row})
			}
			ch = append(ch, nb.RowChange{New: &g})
		}
		f.with(func() { f.rows[name] = (*nb.DB)(nil).Apply(ch) })
	}
}

func (f *fleet) run(follow int, ttl time.Duration) *liveRun {
	f.t.Helper()
	return f.runWith(follow, ttl, func(*Config) {})
}

func (f *fleet) runWith(follow int, ttl time.Duration, set func(*Config)) *liveRun {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*wait.Patience)
	cfg := Config{Mode: revision.Mode{Name: "cluster"}, Sources: []kube.Source{f}, FollowZones: follow, Sweep: zones.SweepConfig{TTL: ttl, Parallel: 3},
		MakeZone: func(name string) (reconciler.Zone, error) { return &fleetZone{f, name}, nil }}
	set(&cfg)
	e, err := New(ctx, cfg)
	if err != nil {
		cancel()
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { e.Close(); cancel() })
	return &liveRun{Engine: e, t: f.t, ctx: ctx}
}

func (r *liveRun) sweeps(what string, holds func(*revision.Revision) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, wait.Patience)
	defer cancel()
	if err := r.WaitFor(ctx, holds); err != nil {
		var zones []string
		for _, z := range r.Revision().Zones {
			zones = append(zones, fmt.Sprintf("%s %s %s", z.Name, z.Conn, z.Error))
		}
		r.t.Fatalf("%s: %v; %+v\n%s", what, err, r.Revision().Sweep, strings.Join(zones, "\n"))
	}
}

func followed(r *revision.Revision) (out []string) {
	for _, z := range r.Zones {
		if z.Conn == model.ConnSynced {
			out = append(out, z.Name)
		}
	}
	return out
}

// With more zones than are followed the others are read: those that are dead or
// hang keep nobody waiting, and one with a row too few is named.
func TestSweep(t *testing.T) {
	f := newFleet(t)
	const n = 30
	scratch := changing.New(t)
	p := f.policy("one", 5)
	objects := append(f.nodes(n), p)
	scratch.Cluster, _ = scratch.Cluster.Upsert(objects, nil)
	scratch.Publish()
	f.fill(scratch.Rev, zoneNames(n)...)
	f.dead["n20"] = errors.New("connection refused")
	hang := make(chan struct{})
	f.slow["n21"] = hang
	gone := ""
	for a := range f.rows["n22"].ACLs() {
		gone = a.ID()
		f.rows["n22"] = f.rows["n22"].Apply([]nb.RowChange{{Old: a}})
		break
	}
	for o := range scratch.Cluster.Objects() {
		objects = append(objects, o)
	}
	r := f.run(4, time.Hour)
	f.steps <- kube.SourceUpdate{Upsert: objects, Loaded: true}
	nodes := scratch.Cluster.Count(model.KindNode)
	r.sweeps("a round", func(r *revision.Revision) bool {
		return r.Sweep.Total == nodes-4 && r.Sweep.Read == nodes-4-2 && r.Sweep.Failed == 1 && len(followed(r)) == 4
	})
	rev := r.Revision()
	if got, want := followed(rev), []string{"control", "n00", "n01", "n02"}; !slices.Equal(got, want) {
		t.Errorf("followed are %v, want %v: the control plane, then by name", got, want)
	}
	k := p.Key
	if got := rev.Zone("n20").PolicyJoin(k).StateAt(rev.Zone("n20"), r.Now()); got != model.StateUnknown {
		t.Errorf("in the zone that is dead the policy is %s", got)
	}
	z := rev.Zone("n22")
	if z.DB != nil || z.Conn != model.ConnSwept || z.RowCount() == 0 {
		t.Errorf("the swept zone is kept as %+v", z)
	}
	if got := z.PolicyJoin(k).StateAt(z, r.Now()); got != model.StateBehind {
		t.Errorf("where an ACL is missing the policy is %s", got)
	}
	if !slices.ContainsFunc(revision.ZoneFindings(rev, r.Now()), func(x model.Finding) bool {
		return x.Code == revision.FindZoneLags && strings.Contains(x.Message, "n22") && strings.Contains(x.Message, gone)
	}) {
		t.Errorf("nobody says that %s is missing in n22: %v", gone, revision.ZoneFindings(rev, r.Now()))
	}
	a, b := rev.Zone("n23"), rev.Zone("n24")
	if a.Policies[k] != b.Policies[k] || !a.Policies[k].InSync {
		t.Errorf("zones in sync do not share: %+v and %+v", a.Policies[k], b.Policies[k])
	}
	f.with(func() { delete(f.dead, "n20") })
	close(hang)
	r.sweeps("dead and slow zones come back", func(r *revision.Revision) bool { return r.Sweep.Read == nodes-4 && r.Sweep.Failed == 0 })
	// A node that goes takes its zone along, one that comes has one.
	f.steps <- kube.SourceUpdate{Remove: []model.Key{{Kind: model.KindNode, Name: "n29"}, {Kind: model.KindNode, Name: "n00"}}}
	r.sweeps("zones gone", func(r *revision.Revision) bool {
		return r.Zone("n29") == nil && r.Zone("n00") == nil && slices.Contains(followed(r), "n03")
	})
	f.fill(scratch.Rev, "new")
	f.steps <- kube.SourceUpdate{Upsert: []model.Object{&model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "new"}}}}}
	r.sweeps("a new zone", func(r *revision.Revision) bool { z := r.Zone("new"); return z != nil && z.Conn == model.ConnSwept })
	f.with(func() {
		if f.mostRun > 6 { // the limit, and two that were just ending
			t.Errorf("%d zones were watched at once", f.mostRun)
		}
	})
}

// A zone that is looked at is watched within a second.
func TestTimingLookAt(t *testing.T) {
	limit := time.Duration(install.Timing(t)) * time.Second
	f := newFleet(t)
	w := changing.New(t)
	w.Cluster, _ = w.Cluster.Upsert(append(f.nodes(6), f.policy("one", 5)), nil)
	w.Publish()
	f.fill(w.Rev, zoneNames(6)...)
	r := f.run(2, 40*time.Second)
	f.steps <- kube.SourceUpdate{Upsert: slices.Collect(w.Cluster.Objects()), Loaded: true}
	r.sweeps("all read", func(r *revision.Revision) bool { return r.Sweep.Read >= 4 && len(followed(r)) == 2 })
	for _, name := range []string{"n04", "n05", "n03"} {
		began := time.Now()
		r.LookAt(name)
		r.sweeps(name+" is watched", func(r *revision.Revision) bool { return slices.Contains(followed(r), name) })
		if took := time.Since(began); took > limit {
			t.Errorf("%s was watched after %v", name, took)
		}
	}
}

// A zone that is looked at is watched, with its last state on
// screen until then; the one that was looked at longest ago goes back. What
// changed after a zone was read is stale there until it is read again.
func TestLookAt(t *testing.T) {
	f := newFleet(t)
	w := changing.New(t)
	objects := append(f.nodes(6), f.policy("one", 5))
	w.Cluster, _ = w.Cluster.Upsert(objects, nil)
	w.Publish()
	f.fill(w.Rev, zoneNames(6)...)
	r := f.run(2, 40*time.Second)
	f.steps <- kube.SourceUpdate{Upsert: slices.Collect(w.Cluster.Objects()), Loaded: true}
	r.sweeps("all read", func(r *revision.Revision) bool {
		return r.Sweep.Total == 6 && r.Sweep.Read >= 4 && len(followed(r)) == 2
	})
	for i, name := range []string{"n04", "n05", "n03"} {
		before := r.Revision().Zone(name)
		if before.Conn != model.ConnSwept || before.Policies == nil {
			t.Fatalf("%s was not read: %+v", name, before)
		}
		r.LookAt(name, "nowhere")
		r.sweeps(name+" is watched", func(r *revision.Revision) bool {
			if z := r.Zone(name); z.SyncedAt.IsZero() || len(z.Policies) == 0 {
				t.Fatalf("%s lost what was known of it: %+v", name, z)
			}
			return slices.Contains(followed(r), name) && len(followed(r)) == 2
		})
		if i == 2 && slices.Contains(followed(r.Revision()), "n04") {
			t.Errorf("watched are %v, n04 was looked at longest ago", followed(r.Revision()))
		}
	}
	z := r.Revision().Zone("n04")
	if z.Conn != model.ConnSwept || z.DB != nil || z.RowCount() == 0 {
		t.Errorf("n04 went back as %+v", z)
	}
	k := model.PolicyKey{Kind: model.KindANP, Name: "one"}
	f.steps <- kube.SourceUpdate{Upsert: []model.Object{f.policy("one", 6), f.policy("two", 7)}}
	r.sweeps("stale", func(r *revision.Revision) bool {
		z := r.Zone("n04")
		two := model.PolicyKey{Kind: model.KindANP, Name: "two"}
		return z.PolicyJoin(k).StateAt(z, r.At) == model.StateStale && z.PolicyJoin(two).StateAt(z, r.At) == model.StateStale
	})
	var before map[string]int
	f.with(func() { before = maps.Clone(f.reads) })
	r.sweeps("read again after the change", func(r *revision.Revision) bool {
		z := r.Zone("n04")
		return z.Conn == model.ConnSwept && z.PolicyJoin(k).StateAt(z, r.At) == model.StateBehind
	})
	f.with(func() {
		if f.reads["n04"] != before["n04"]+1 {
			t.Errorf("n04 was read %d times", f.reads["n04"]-before["n04"])
		}
	})
}
