package trace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"rung/bench/workload"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/uitest"
)

// BenchmarkCases asks 10,000 questions, as --cases does, on 10,000 pods with 50
// AdminNetworkPolicies of 40 rules, the index and the order of the rows made anew. It may
// take 1 s, with the rows too.
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
	for by, name := range map[trace.AnsweredBy]string{trace.Policies: "policies", trace.Both: "both"} {
		b.Run(fmt.Sprint("by ", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				next := revision.New(revision.Facts{Cluster: c, Desired: r.Desired, Number: 1}, nil)
				t, names := trace.Tracer{Compiled: true}, trace.NewEndNames(c, nil)
				errs := make([]error, len(cases))
				trace.RunParallel(len(cases), func(i int) {
					q, err := cases[i].CompleteNames(names)
					if err == nil {
						var asked verdict.Connection
						if asked, err = q.Connection(); err == nil {
							_, err = t.Ask(next, asked, by, false, uitest.Now)
						}
					}
					errs[i] = err
				})
				if err := errors.Join(errs...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
