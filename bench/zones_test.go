package bench

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/engine"
	"rung/model"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/nbdb"
)

// objects delivers a cluster at once.
type objects struct{ all []model.Object }

func (objects) Name() string { return "workload" }

func (o objects) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	sink(kube.SourceUpdate{Upsert: o.all, Loaded: true, State: model.SourceState{Name: o.Name(), Conn: model.ConnSynced, At: time.Now()}})
	<-ctx.Done()
}

// peakRSS is the most memory the process had, in MB; 0 where nobody says.
func peakRSS() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1e3
		}
	}
	return 0
}

// replay starts a server for the cluster's zones; it ends with the benchmark.
func replay(b *testing.B, ctx context.Context, c *model.Cluster) *Replay {
	b.Helper()
	server, err := NewReplay(ctx, c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Close(); err != nil {
			b.Error(err)
		}
	})
	return server
}

// BenchmarkZones is the engine on 500 zones of 2,000 ACLs and as many address
// sets over 10,000 pods, 20 of them followed: the time until the ladder is there,
// until all zones were read once, and from a read of a zone with an altered row
// until the zone is named. The memory is the peak of the process, with the server
// that replays the zones.
func BenchmarkZones(b *testing.B) {
	size := workload.W2
	size.Nodes = 500
	if testing.Short() {
		size = workload.Size{Nodes: 40, Namespaces: 20, Pods: 400, Policies: 10, Rules: 10, Peers: 2, Seed: 2}
	}
	c := cluster(b, size)
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	server := replay(b, ctx, c)
	var all []model.Object
	for o := range c.Objects() {
		all = append(all, o)
	}
	var nodes []string
	for n := range c.Nodes() {
		nodes = append(nodes, n.Name)
	}
	altered := map[string]string{} // zone → id
	for i := range 5 {
		row := server.shared[(i+1)*len(server.shared)/7]
		for at := 0; row.table != "ACL"; at++ {
			row = server.shared[at+i]
		}
		zone := nodes[(2*i+1)*len(nodes)/10]
		altered[zone] = row.id
		server.Alter(zone, row.id)
	}
	before := peakRSS()
	for b.Loop() {
		share := nbdb.NewSharing()
		began := time.Now()
		e, err := engine.New(ctx, engine.Config{Mode: revision.Mode{Name: "cluster", Title: "bench"}, Sources: []kube.Source{objects{all}}, Screen: true,
			MakeZone: func(name string) (reconciler.Zone, error) {
				return nbdb.Dial(nbdb.Config{Name: name, Addr: server.Addr(name), Share: share}), nil
			}})
		if err != nil {
			b.Fatal(err)
		}
		wait := func(what string, holds func(r *revision.Revision) bool) time.Duration {
			b.Helper()
			if err := e.WaitFor(ctx, holds); err != nil {
				b.Fatalf("%s: %v; %+v", what, err, e.Revision().Sweep)
			}
			return time.Since(began)
		}
		ladder := wait("ladder", func(r *revision.Revision) bool { return r.Loaded && len(r.Ladder().Tiers) > 0 })
		named := map[string]time.Duration{}
		look := func(r *revision.Revision) bool {
			read := 0
			for zone := range altered {
				if z := r.Zone(zone); z != nil && !z.SyncedAt.IsZero() {
					read++
				}
			}
			if read == len(named) {
				return true
			}
			for _, f := range revision.ZoneFindings(r, e.Now()) {
				for zone, id := range altered {
					if _, known := named[zone]; !known && strings.Contains(f.Message, "zone "+zone+":") && strings.Contains(f.Message, id) {
						named[zone] = time.Since(server.Sent(zone))
					}
				}
			}
			return len(named) == read
		}
		round := wait("round", func(r *revision.Revision) bool { look(r); return r.Sweep.Total > 0 && r.Sweep.Round > 0 })
		wait("altered zones", func(r *revision.Revision) bool { return look(r) && len(named) == len(altered) })
		for _, z := range e.Revision().Zones {
			for _, p := range z.Policies {
				if p.StateAt(z, e.Now()) == model.StateBehind && altered[z.Name] == "" {
					b.Errorf("zone %s: %s is behind: %+v", z.Name, p.Policy.Name, p.Diffs)
				}
			}
		}
		var slowest time.Duration
		for _, d := range named {
			slowest = max(slowest, d)
		}
		b.ReportMetric(ladder.Seconds(), "ladder-s")
		b.ReportMetric(round.Seconds(), "round-s")
		b.ReportMetric(slowest.Seconds(), "read-to-named-s")
		b.ReportMetric(peakRSS(), "peak-MB")
		b.ReportMetric(before, "peak-before-MB")
		b.ReportMetric(liveHeap(), "heap-MB")
		e.Close()
	}
}
