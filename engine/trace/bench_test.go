package trace_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rung/bench/workload"
	"rung/engine/revision"
	"rung/engine/trace"
	"rung/model"
	"rung/ui/uitest"
)

// BenchmarkCases asks 10,000 questions, as --cases does, on 10,000 pods with 50
// AdminNetworkPolicies of 40 rules: 1 s by the policies, the index made anew.
func BenchmarkCases(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	r := revision.New(revision.Facts{Cluster: c}, nil)
	var pods []*model.Pod
	for p := range c.Pods() {
		pods = append(pods, p)
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	name := func() string { p := pods[rnd.IntN(len(pods))]; return p.Namespace + "/" + p.Name }
	var cases []trace.Question
	for i := range 10_000 {
		cases = append(cases, trace.Question{From: name(), To: name(), Protocol: "TCP", Port: 8000 + i%100})
	}
	for by, name := range map[trace.By]string{trace.Policies: "policies", trace.Both: "both"} {
		b.Run(fmt.Sprint("by ", name), func(b *testing.B) {
			for b.Loop() {
				next := revision.New(revision.Facts{Cluster: c, Desired: r.Desired, Number: 1}, nil)
				t := trace.Tracer{Compiled: true}
				for _, q := range cases {
					q, err := q.Named(c)
					if err != nil {
						b.Fatal(err)
					}
					asked, err := q.Connection()
					if err != nil {
						b.Fatal(err)
					}
					if _, err := t.Ask(next, asked, by, false, uitest.Now); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
