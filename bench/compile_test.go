package bench

import (
	"testing"
	"time"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
)

// BenchmarkCompile is a whole compile with the members of all sets listed. W4 is
// every row of every policy, with its 100,000 pods.
func BenchmarkCompile(b *testing.B) {
	forSizes(b, append(sizes, benchSize{"W4", workload.W4}), func(b *testing.B, s benchSize) {
		c := cluster(b, s.Size)
		units, rows, members := 0, 0, 0
		compile := func() {
			units, rows, members = 0, 0, 0
			d := compiler.Compile(c, compiler.Options{})
			for p := range d.Policies() {
				units++
				if s.NetworkPolicies == 0 {
					for _, set := range p.Sets {
						members += len(d.SetMembers(set))
					}
					continue
				}
				r := d.RowsOfUnit(p.Key, "", nil)
				rows += len(r.ACLs) + len(r.AddressSets)
				for _, set := range r.AddressSets {
					members += len(set.Addresses)
				}
			}
		}
		most := peak(compile) // besides, so that sampling costs no time below
		b.ReportAllocs()
		for b.Loop() {
			compile()
		}
		b.ReportMetric(float64(most)/1e6, "peak-MB")
		b.ReportMetric(float64(units), "policies")
		b.ReportMetric(float64(members), "members")
		if rows > 0 {
			b.ReportMetric(float64(rows), "rows")
		}
	})
}

// BenchmarkDelta is the time from a change of the cluster to the compiled delta,
// nothing written. "elsewhere" doubles the policies by such as do not concern the
// pods: a pod must not cost more for them.
func BenchmarkDelta(b *testing.B) {
	forSizes(b, sizes, func(b *testing.B, s benchSize) {
		c := cluster(b, s.Size)
		b.Run("policies", func(b *testing.B) { benchDelta(b, s, c) })
		c, _ = c.Upsert(others(b, c), nil)
		b.Run("elsewhere", func(b *testing.B) { benchDelta(b, s, c) })
	})
}

func benchDelta(b *testing.B, s benchSize, c *model.Cluster) {
	loaded := func(c *model.Cluster) *compiler.Compiler {
		var all []model.Change
		for o := range c.Objects() {
			all = append(all, model.Change{New: o})
		}
		comp := compiler.New(compiler.Options{})
		comp.Apply(c, all)
		return comp
	}
	// run takes steps, the kinds of which take turns. One that changes nothing
	// (labels that no selector tells apart) does not count.
	run := func(name string, c *model.Cluster, step func(i int) (upsert []model.Object, remove []model.Key), kinds ...string) {
		b.Run(name, func(b *testing.B) {
			comp := loaded(c)
			cl := c
			took := make([]times, len(kinds))
			one := func(i int) {
				upsert, remove := step(i)
				began := time.Now()
				next, changes := cl.Upsert(upsert, remove)
				_, delta := comp.Apply(next, changes)
				spent := time.Since(began)
				cl = next
				if !delta.IsEmpty() {
					took[i%len(kinds)] = append(took[i%len(kinds)], spent)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				for range 20 * len(kinds) {
					one(i)
					i++
				}
			}
			for k, name := range kinds {
				took[k].report(b, name, time.Microsecond, "µs")
			}
			b.ReportMetric(0, "ns/op") // of all kinds together
		})
	}
	for _, kind := range []struct {
		name  string
		known bool
	}{{"pod", true}, {"pod-of-new-labels", false}} {
		pods := podsToCome(s.Size, c, 400, kind.known)
		run(kind.name, c, func(i int) ([]model.Object, []model.Key) {
			p := pods[i/3%len(pods)]
			switch i % 3 {
			case 0:
				return []model.Object{p}, nil
			case 1:
				return []model.Object{relabelled(p, pods[(i/3+1)%len(pods)])}, nil
			}
			return nil, []model.Key{p.Key}
		}, "added", "relabelled", "deleted")
	}
	ns := c.Namespace("ns000")
	run("namespace", c, func(i int) ([]model.Object, []model.Key) { return []model.Object{moved(ns, i)}, nil }, "moved")
	short, long := longPolicy(b)
	c, _ = c.Upsert([]model.Object{short}, nil)
	run("rule", c, func(i int) ([]model.Object, []model.Key) {
		if i%2 == 0 {
			return []model.Object{long}, nil
		}
		return []model.Object{short}, nil
	}, "inserted", "removed")
}

func objectsOf(pods []*model.Pod) (out []model.Object) {
	for _, p := range pods {
		out = append(out, p)
	}
	return out
}
