package compiler

import (
	"fmt"
	"testing"

	"rung/model"
)

// large is a cluster of n pods in n/50 namespaces and 50 policies of 20 rules.
func large(t testing.TB, n int) []model.Object {
	var out []model.Object
	for i := range n / 50 {
		out = append(out, namespace(fmt.Sprintf("ns%03d", i), fmt.Sprintf("tenant=t%d env=e%d", i%10, i%3)))
	}
	for i := range n {
		out = append(out, benchPod(i, n))
	}
	for i := range 50 {
		var rules []model.Rule
		for j := range 20 {
			dir := model.Ingress
			if j >= 10 {
				dir = model.Egress
			}
			rules = append(rules, rule(dir, model.Allow, nil, nsPeer(t, fmt.Sprintf("tenant=t%d", (i+j)%10)),
				podPeer(t, fmt.Sprintf("env=e%d", j%3), fmt.Sprintf("app=a%d", (i*7+j)%40))))
		}
		out = append(out, anp(fmt.Sprintf("p%02d", i), int32(i), nsSubject(t, fmt.Sprintf("tenant=t%d", i%10)), rules...))
	}
	return out
}

func benchPod(i, n int) *model.Pod {
	return pod(fmt.Sprintf("ns%03d/p%05d", i%(n/50), i), fmt.Sprintf("app=a%d tier=r%d", i%40, i%4), fmt.Sprintf("n%d", i%3),
		fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
}

// BenchmarkPodEvent is one pod that comes and goes in a cluster of 10,000: a new
// cluster, the compiled delta and the next desired rows.
func BenchmarkPodEvent(b *testing.B) {
	objects := large(b, 10000)
	cl, changes := (*model.Cluster)(nil).Upsert(objects, nil)
	c := New(Options{})
	c.Apply(cl, changes)
	extra := benchPod(10001, 10000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var next *model.Cluster
		if i%2 == 0 {
			next, changes = cl.Upsert([]model.Object{extra}, nil)
		} else {
			next, changes = cl.Upsert(nil, []model.Key{extra.Key})
		}
		cl = next
		if _, delta := c.Apply(cl, changes); len(delta.Members) == 0 {
			b.Fatal("the pod entered no set")
		}
	}
}

// BenchmarkCompile is a whole compile of 10,000 pods with all members listed.
func BenchmarkCompile(b *testing.B) {
	objects := large(b, 10000)
	cl, changes := (*model.Cluster)(nil).Upsert(objects, nil)
	for b.Loop() {
		d, _ := New(Options{}).Apply(cl, changes)
		n := 0
		for c := range d.Policies() {
			for _, s := range c.Sets {
				n += len(d.SetMembers(s))
			}
		}
		b.ReportMetric(float64(n), "members")
	}
}
