package bench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
)

// BenchmarkPace holds what Rung needs against a floor of the same run: a bare client
// that sends the same transactions, as the bytes they were, to a server of its own
// with the same rows and as many monitors, and reads no more than the results.
//
// rows is a cluster that meets an empty database, from the start of compiler and
// connection; pod is one pod that comes after a pause, into all its sets. Real run and
// floor take turns. Reported are the medians, that of the ratios (for pod: the ratio of
// the medians), and the smallest and largest ratio; of rows also how long the server had
// nothing to do in the real run, from its start to the last row.
func BenchmarkPace(b *testing.B) {
	forSizes(b, sizes, func(b *testing.B, s benchSize) {
		b.Run("rows", func(b *testing.B) {
			c := cluster(b, s.Size)
			var pairs pace
			var idle times
			for b.Loop() {
				r := rowsPair(b, c)
				pairs.add(r.rows, r.floor)
				idle = append(idle, r.idle)
				b.ReportMetric(float64(r.transactions), "transactions")
			}
			b.ReportMetric(idle.at(.5).Seconds(), "s-server-idle")
			pairs.report(b, time.Second, "s", pairs.median())
		})
		b.Run("pod", func(b *testing.B) {
			var pairs pace
			for b.Loop() {
				podPairs(b, s, &pairs)
			}
			pairs.report(b, time.Millisecond, "ms", float64(pairs.real.at(.5))/float64(pairs.floor.at(.5)))
		})
	})
}

// pace are pairs of measurements.
type pace struct {
	real, floor times
	ratios      []float64
}

func (p *pace) add(real, floor time.Duration) {
	p.real, p.floor = append(p.real, real), append(p.floor, floor)
	p.ratios = append(p.ratios, float64(real)/float64(floor))
}

// median is that of the ratios.
func (p *pace) median() float64 {
	s := slices.Sorted(slices.Values(p.ratios))
	return s[len(s)/2]
}

func (p *pace) report(b *testing.B, unit time.Duration, name string, ratio float64) {
	b.ReportMetric(0, "ns/op") // servers are started in it
	b.ReportMetric(float64(p.floor.at(.5))/float64(unit), name+"-floor")
	b.ReportMetric(float64(p.real.at(.5))/float64(unit), name+"-rung")
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(slices.Min(p.ratios), "ratio-min")
	b.ReportMetric(slices.Max(p.ratios), "ratio-max")
}

// pair is what rowsPair measures.
type pair struct {
	rows, floor, idle time.Duration
	transactions      int
}

// rowsPair is one real run and its floor: each from the start until the observer has
// received all rows.
func rowsPair(tb testing.TB, c *model.Cluster) (out pair) {
	tb.Helper()
	want := DesiredCounts(compiler.Compile(c, compiler.Options{}), "node0")
	p := pipeline(tb, Config{Cluster: c, Record: true})
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	empty, err := p.Server.Copy(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	seen := p.Observer.ExpectCounts(want)
	p.Observer.Hold(true)
	runtime.GC()
	wanted := wantedCPU(p.Server.pid)
	began := time.Now()
	p.Start(tb.Context())
	if err := p.Idle(ctx); err != nil {
		tb.Fatal(errors.Join(err, empty.Close()))
	}
	busy := wantedCPU(p.Server.pid) - wanted
	p.Observer.Hold(false)
	out.rows = wait(tb, ctx, seen).Sub(began)
	out.idle = max(out.rows-busy, 0)
	check(tb, p.Observer, p.Cluster, p.Zone)
	sent, err := p.Sent.Take()
	if err := errors.Join(err, p.Close()); err != nil {
		tb.Fatal(errors.Join(err, empty.Close()))
	}

	setup, txs := split(sent)
	f := floorOn(tb, empty, setup)
	seen = f.Observer.ExpectCounts(want)
	f.Observer.Hold(true)
	runtime.GC()
	began, err = f.Run(txs)
	if err != nil {
		tb.Fatal(err)
	}
	f.Observer.Hold(false)
	out.floor = wait(tb, ctx, seen).Sub(began)
	check(tb, f.Observer, p.Cluster, p.Zone)
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	out.transactions = len(txs)
	return out
}

// podPairs brings pods into a cluster that is in sync, one at a time.
func podPairs(tb testing.TB, s benchSize, pairs *pace) {
	tb.Helper()
	c := cluster(tb, s.Size)
	pods := slices.Concat(podsToCome(s.Size, c, podEvents/2, true), podsToCome(s.Size, c, podEvents/2, false))
	p := pipeline(tb, Config{Cluster: c, Later: pods, Record: true})
	ctx, cancel := context.WithTimeout(tb.Context(), 2*patience)
	defer cancel()
	p.Start(tb.Context())
	if err := p.Idle(ctx); err != nil {
		tb.Fatal(err)
	}
	sent, err := p.Sent.Take()
	if err != nil {
		tb.Fatal(err)
	}
	setup, _ := split(sent)
	same, err := p.Server.Copy(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	f := floorOn(tb, same, setup)
	p.Phase("pod")
	for _, pod := range pods {
		step := p.Step([]model.Object{pod})
		if step.Delta.IsEmpty() {
			continue
		}
		real, err := step.Seen(ctx)
		if err != nil {
			tb.Fatal(err)
		}
		if err := p.Idle(ctx); err != nil {
			tb.Fatal(err)
		}
		// After it nothing is gathered any more: at most 250 ms are.
		time.Sleep(max(100*time.Millisecond, min(6*real, 260*time.Millisecond)))
		sent, err := p.Sent.Take()
		if err != nil {
			tb.Fatal(err)
		}
		_, txs := split(sent)
		seen := f.Observer.Expect(p.Desired, step.Delta, p.Zone)
		began, err := f.Run(txs)
		if err != nil {
			tb.Fatal(err)
		}
		pairs.add(real, wait(tb, ctx, seen).Sub(began))
		time.Sleep(20 * time.Millisecond) // the server is through with its monitors
	}
	check(tb, p.Observer, p.Cluster, p.Zone)
	check(tb, f.Observer, p.Cluster, p.Zone)
	if err := errors.Join(f.Close(), p.Close()); err != nil {
		tb.Fatal(err)
	}
}

func floorOn(tb testing.TB, s *Server, setup [][]byte) *Floor {
	tb.Helper()
	var f *Floor
	var err error
	labelled(tb.Context(), "setup", func(ctx context.Context) { f, err = NewFloor(ctx, s, setup) })
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	})
	return f
}

func wait(tb testing.TB, ctx context.Context, seen <-chan time.Time) time.Time {
	tb.Helper()
	select {
	case at := <-seen:
		return at
	case <-ctx.Done():
		tb.Fatal("the rows do not come")
		return time.Time{}
	}
}

func check(tb testing.TB, o *Observer, c *model.Cluster, zone string) {
	tb.Helper()
	labelled(tb.Context(), "setup", func(context.Context) {
		if err := Check(o.DB(), c, zone); err != nil {
			tb.Fatal(err)
		}
	})
}

// The floor does what the real run did: the same rows come of the same transactions,
// and nothing is there before they are sent.
func TestFloorDoesTheSame(t *testing.T) {
	size := workload.Size{Nodes: 1, Namespaces: 5, Pods: 60, Policies: 4, Rules: 4, Peers: 2, Seed: 9}
	if r := rowsPair(t, cluster(t, size)); r.rows <= 0 || r.floor <= 0 || r.transactions == 0 {
		t.Errorf("%+v", r)
	}
	var pairs pace
	podPairs(t, benchSize{"small", size}, &pairs)
	if len(pairs.ratios) < podEvents/2 || slices.Min(pairs.floor) <= 0 {
		t.Errorf("%d pods, %v", len(pairs.ratios), pairs.floor)
	}
}
