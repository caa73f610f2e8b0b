package reconciler

import (
	"fmt"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// manyPods is a cluster of 10,000 pods and 50 policies with so many rules each.
func manyPods(perPolicy int) *world {
	w := newWorld(1)
	var objects []model.Object
	for n := range 100 {
		objects = append(objects, namespace(fmt.Sprintf("ns%d", n), fmt.Sprintf("t=%d", n%10)))
		for i := range 100 {
			objects = append(objects, pod(fmt.Sprintf("ns%d/p%d", n, i), "", fmt.Sprintf("n%d", i%20), fmt.Sprintf("10.%d.%d.1", n, i)))
		}
	}
	for n := range 50 {
		var rules []model.Rule
		for i := range perPolicy {
			rules = append(rules, rule(model.Ingress, model.Deny, nil, nsPeer(fmt.Sprintf("t=%d", i%10))))
		}
		objects = append(objects, anp(fmt.Sprintf("p%d", n), int32(n), "", rules...))
	}
	w.add(objects...)
	return w
}

// A pod that comes costs what it changes: not the members that stay.
func BenchmarkOnePodAmong10000(b *testing.B) {
	w := manyPods(20)
	f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
	var ports []nb.RowChange
	for n := range 100 {
		for i := 1; i < 100; i += 20 {
			ports = append(ports, nb.RowChange{New: &nb.LogicalSwitchPort{UUID: f.uuid(), Name: fmt.Sprintf("ns%d_p%d", n, i)}})
		}
	}
	f.put(ports...)
	tr := NewTracker("n1")
	tr.ApplyLive(model.ZoneUpdate{DB: f.db, Resync: true, At: start})
	tr.ApplyDesired(w.d, nil, start)
	build := tr.NewOps()
	var ops []nb.Op
	for k := range tr.Tracks {
		ops = append(ops, build.PolicyOps(k)...)
	}
	if _, _, err := f.transact(ops); err != nil {
		b.Fatal(err)
	}
	b.Run("full", func(b *testing.B) {
		for b.Loop() {
			tr.ApplyLive(model.ZoneUpdate{DB: f.db, Resync: true, At: start})
		}
	})
	for k, p := range joins(tr) {
		if p.Missing+p.Extra+p.Different > 0 {
			b.Fatalf("%s: %s", k, diffText(p.Diffs))
		}
	}
	b.Run("step", func(b *testing.B) {
		var book, join time.Duration
		for i := 0; b.Loop(); i++ {
			delta := w.add(pod("ns1/new", "", "n1", fmt.Sprintf("10.200.%d.%d", i/250%250, i%250)))
			at := time.Now()
			tr.ApplyDesired(w.d, delta, start)
			booked := time.Now()
			for k := range tr.DirtyPolicies {
				build.PolicyOps(k)
				tr.JoinPolicy(k)
			}
			book += booked.Sub(at)
			join += time.Since(booked)
			clear(tr.DirtyPolicies)
		}
		b.ReportMetric(float64(book.Microseconds())/float64(b.N), "µs-to-book/op")
		b.ReportMetric(float64(join.Microseconds())/float64(b.N), "µs-to-join/op")
	})
}
