package diff

import (
	"context"
	"math/rand/v2"
	"testing"

	"rung/bench/workload"
	"rung/model"
	"rung/model/verdict"
)

// BenchmarkVerdict asks single questions on 10,000 pods and 50 AdminNetworkPolicies of 40
// rules. A verdict may take 50 µs.
func BenchmarkVerdict(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	x := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	var pods []model.Key
	for p := range c.Pods() {
		pods = append(pods, p.Key)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		q := verdict.Connection{From: verdict.Endpoint{Key: pods[r.IntN(len(pods))]}, To: verdict.Endpoint{Key: pods[r.IntN(len(pods))]}, Protocol: verdict.TCP, Port: 8080}
		if _, err := verdict.FromPolicies(x, q); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex makes the index of the same cluster.
func BenchmarkIndex(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	}
}

// edit makes the first egress rule of a policy a Deny that it was not.
func edit(c *model.Cluster) *model.Cluster {
	for p := range c.Policies(model.KindANP) {
		next := *p
		next.Egress = append([]model.Rule{}, p.Egress...)
		next.Egress[0].Action = model.Deny
		if p.Egress[0].Action == model.Deny {
			next.Egress[0].Action = model.Allow
		}
		c, _ = c.Upsert([]model.Object{&next}, nil)
		return c
	}
	return c
}

// BenchmarkPreview works out what the edit of one rule does on 10,000 pods and 50
// AdminNetworkPolicies of 40 rules, the index of what is before made: 200 ms.
func BenchmarkPreview(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	before := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	edited := edit(c)
	groups := 0
	for b.Loop() {
		d, err := DiffIndexes(context.Background(), before, verdict.NewIndex(verdict.View{Cluster: edited, Pods: before.Pods, Options: before.Options()}), DiffQuestions{})
		if err != nil {
			b.Fatal(err)
		}
		groups = len(d.Flips) + len(d.OtherDeciders)
	}
	b.ReportMetric(float64(groups), "groups")
}

// BenchmarkMoves carries a policy along the ladder of 10,000 pods and 50 AdminNetworkPolicies
// of 40 rules: a slot may take 50 ms.
func BenchmarkMoves(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	x := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	var key model.Key
	for p := range c.Policies(model.KindANP) {
		key = p.Key
	}
	start := func() *PriorityMoves {
		m, err := NewPriorityMoves(context.Background(), x, key, true)
		if err != nil {
			b.Fatal(err)
		}
		return m
	}
	b.Run("begin", func(b *testing.B) {
		for b.Loop() {
			start()
		}
	})
	b.Run("slot", func(b *testing.B) {
		m := start()
		flips := 0
		for i := 0; b.Loop(); i++ {
			clear(m.flipsKnown)
			flips += len(m.FlipsAt(float64(i % 99)))
		}
		b.ReportMetric(float64(len(m.paths)), "ways")
		if flips == 0 {
			b.Error("nothing flips anywhere")
		}
	})
}
