package revision

import (
	"context"
	"fmt"
	"testing"

	"rung/bench/workload"
	"rung/model/verdict"
	"rung/revision/settings"
)

// drawnRevision is a revision of a cluster whose labels are drawn at random.
func drawnRevision(b *testing.B, s workload.Size) *Revision {
	b.Helper()
	c, err := workload.Cluster(s)
	if err != nil {
		b.Fatal(err)
	}
	return New(Facts{Cluster: c, Flags: settings.Flags{}}, nil)
}

// BenchmarkMatrix works out every pair of pods, on one port and on all: 500 pods with 100
// AdminNetworkPolicies of 10 rules in 1 s and 2 s, 200 pods in 0.1 s.
func BenchmarkMatrix(b *testing.B) {
	for _, s := range []workload.Size{
		{Nodes: 3, Namespaces: 20, Pods: 200, Policies: 100, Rules: 10, Peers: 2, Seed: 5},
		{Nodes: 3, Namespaces: 50, Pods: 500, Policies: 100, Rules: 10, Peers: 2, Seed: 5},
		workload.W2,
	} {
		r := drawnRevision(b, s)
		r.Verdicts()
		for name, ports := range map[string]verdict.Ports{"port": {Protocol: verdict.TCP, Port: 8001}, "all": {}} {
			b.Run(fmt.Sprintf("%d/%s", s.Pods, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m, err := r.newMatrix(context.Background(), ports)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(m.kinds)), "kinds")
				}
			})
		}
	}
}

// BenchmarkAllFindings works out what the verdicts of every connection give, on 10,000 pods
// with 50 AdminNetworkPolicies.
func BenchmarkAllFindings(b *testing.B) {
	for name, s := range map[string]workload.Size{"20rules": workload.Large, "W2": workload.W2} {
		r := drawnRevision(b, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again := *r
				again.shared = &derived{}
				found, err := again.AllFindings(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(found)), "findings")
			}
		})
	}
}
