package bench

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/test/install"
)

// patience is how long rows may take before a benchmark gives up.
const patience = 2 * time.Minute

func pipeline(tb testing.TB, cfg Config) *Pipeline {
	tb.Helper()
	for _, name := range []string{"ovsdb-server", "ovsdb-tool"} {
		install.Server(tb, name)
	}
	var p *Pipeline
	var err error
	labelled(tb.Context(), "setup", func(ctx context.Context) { p, err = NewPipeline(ctx, cfg) })
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// BenchmarkFirstRows is a cluster that meets an empty database: from the start
// of compiler and connection until the observer sees all rows (s-to-rows), and
// until the reconciler has nothing left to do (s-to-idle). cpu-s is what the
// process spent until then; heap-MB is what is kept.
func BenchmarkFirstRows(b *testing.B) {
	forSizes(b, sizes, func(b *testing.B, s benchSize) {
		benchFirstRows(b, cluster(b, s.Size))
	})
	// Half the pods on networks: alone, and with NetworkPolicies there, which make a quarter more ACLs.
	// The same policies on the default network say what the networks cost.
	b.Run("W2-halfway", func(b *testing.B) { benchFirstRows(b, withNetworks(cluster(b, workload.W2))) })
	b.Run("W2-policies", func(b *testing.B) { benchFirstRows(b, withOwnPolicies(cluster(b, workload.W2))) })
	b.Run("W2-networks", func(b *testing.B) { benchFirstRows(b, withOwnPolicies(withNetworks(cluster(b, workload.W2)))) })
}

func benchFirstRows(b *testing.B, c *model.Cluster) {
	want := DesiredCounts(compiler.Compile(c, compiler.Options{}), "node0")
	var rows, idle, cpu, server time.Duration
	var heap float64
	for b.Loop() {
		b.StopTimer()
		p := pipeline(b, Config{Cluster: c})
		ctx, cancel := context.WithTimeout(b.Context(), patience)
		seen := p.Observer.ExpectCounts(want)
		p.Observer.Hold(true)
		runtime.GC()
		cpuBefore, serverBefore := processCPU(), cpuOf(p.Server.pid)
		b.StartTimer()
		began := time.Now()
		p.Start(b.Context())
		if err := p.Idle(ctx); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		idle += time.Since(began)
		cpu += processCPU() - cpuBefore
		server += cpuOf(p.Server.pid) - serverBefore
		p.Observer.Hold(false)
		select {
		case at := <-seen:
			rows += at.Sub(began)
		case <-ctx.Done():
			b.Fatalf("the rows do not come: there are %+v of %+v", p.Observer.Counts(), want)
		}
		labelled(ctx, "setup", func(context.Context) {
			if err := p.Check(); err != nil {
				b.Fatal(err)
			}
		})
		p.Observer.Close()
		heap = liveHeap()
		cancel()
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(rows.Seconds()/n, "s-to-rows")
	b.ReportMetric(idle.Seconds()/n, "s-to-idle")
	b.ReportMetric(cpu.Seconds()/n, "cpu-s")
	b.ReportMetric(server.Seconds()/n, "server-cpu-s")
	b.ReportMetric(heap, "heap-MB")
}

// BenchmarkEvent is one event at a time on a cluster that is in sync, with a pause
// between, from the change of the cluster until the observer sees it in all sets
// and groups. delta is the part until it is compiled; cpu-ms is with the observer.
func BenchmarkEvent(b *testing.B) {
	forSizes(b, sizes, func(b *testing.B, s benchSize) {
		c := cluster(b, s.Size)
		b.Run("policies", func(b *testing.B) { benchEvents(b, s, c) })
		c, _ = c.Upsert(others(b, c), nil)
		b.Run("elsewhere", func(b *testing.B) { benchEvents(b, s, c) })
	})
	b.Run("W2-networks", func(b *testing.B) {
		benchEvents(b, benchSize{"W2-networks", workload.W2}, withOwnPolicies(withNetworks(cluster(b, workload.W2))))
	})
}

// Events of a benchmark: enough for a p99 of pods.
const (
	podEvents  = 110
	someEvents = 20
)

func benchEvents(b *testing.B, s benchSize, c *model.Cluster) {
	pods := slices.Concat(podsToCome(s.Size, c, podEvents/2, true), podsToCome(s.Size, c, podEvents/2, false))
	short, long := longPolicy(b)
	c, _ = c.Upsert([]model.Object{short}, nil)
	p := pipeline(b, Config{Cluster: c, Later: pods})
	p.Start(b.Context())
	step := func(b *testing.B, upsert []model.Object, remove ...model.Key) (s *Step, took time.Duration) {
		b.Helper()
		ctx, cancel := context.WithTimeout(b.Context(), patience)
		defer cancel()
		s = p.Step(upsert, remove...)
		if len(s.Delta.Members)+len(s.Delta.Ports)+len(s.Delta.Policies) == 0 {
			return s, 0
		}
		took, err := s.Seen(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Idle(ctx); err != nil {
			b.Fatal(err)
		}
		// The next comes after a pause, when nothing is gathered any more.
		time.Sleep(max(100*time.Millisecond, 6*took))
		return s, took
	}
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	if err := p.Idle(ctx); err != nil {
		b.Fatal(err)
	}
	// run measures the events; set-up and what follows up are not measured.
	run := func(name string, n int, before, after func(b *testing.B), event func(b *testing.B, i int) (*Step, time.Duration)) {
		b.Run(name, func(b *testing.B) {
			var delta, rows times
			var cpu, server time.Duration
			sets := 0
			for b.Loop() {
				p.Phase("around")
				before(b)
				p.Phase(name)
				cpuBefore, serverBefore := processCPU(), cpuOf(p.Server.pid)
				for i := range n {
					s, took := event(b, i)
					if took > 0 {
						delta, rows = append(delta, s.Compiled), append(rows, took)
						sets += len(s.Delta.Members)
					}
				}
				cpu += processCPU() - cpuBefore
				server += cpuOf(p.Server.pid) - serverBefore
				p.Phase("around")
				after(b)
			}
			if err := p.Check(); err != nil {
				b.Fatal(err)
			}
			delta.report(b, "delta", time.Microsecond, "µs")
			rows.report(b, "rows", time.Millisecond, "ms")
			events := float64(len(rows))
			b.ReportMetric(float64(sets)/events, "sets/event")
			b.ReportMetric(cpu.Seconds()*1e3/events, "cpu-ms/event")
			b.ReportMetric(server.Seconds()*1e3/events, "server-cpu-ms/event")
			b.ReportMetric(0, "ns/op") // pauses and all
		})
	}
	nothing := func(*testing.B) {}
	addAll := func(b *testing.B) { step(b, objectsOf(pods)) }
	removeAll := func(b *testing.B) {
		var keys []model.Key
		for _, p := range pods {
			keys = append(keys, p.Key)
		}
		step(b, nil, keys...)
	}
	run("pod-added", podEvents, nothing, removeAll, func(b *testing.B, i int) (*Step, time.Duration) {
		return step(b, []model.Object{pods[i]})
	})
	run("pod-relabelled", podEvents, addAll, removeAll, func(b *testing.B, i int) (*Step, time.Duration) {
		return step(b, []model.Object{relabelled(pods[i], pods[(i+1)%len(pods)])})
	})
	run("pod-deleted", podEvents, addAll, nothing, func(b *testing.B, i int) (*Step, time.Duration) {
		return step(b, nil, pods[i].Key)
	})
	ns := c.Namespace("ns000")
	run("namespace-moved", someEvents, nothing, func(b *testing.B) { step(b, []model.Object{ns}) },
		func(b *testing.B, i int) (*Step, time.Duration) { return step(b, []model.Object{moved(ns, i)}) })
	// Its CPU time is that of taking the rule out again, too.
	run("rule-inserted", someEvents, nothing, nothing, func(b *testing.B, i int) (*Step, time.Duration) {
		s, took := step(b, []model.Object{long})
		step(b, []model.Object{short})
		return s, took
	})
}
