package revision

import (
	"context"
	"testing"

	"rung/bench/workload"
)

// BenchmarkAllFindings works out what the verdicts of every connection give, on 10,000 pods
// with 50 AdminNetworkPolicies.
func BenchmarkAllFindings(b *testing.B) {
	for name, s := range map[string]workload.Size{"20rules": workload.Large, "W2": workload.W2} {
		r := drawnRevision(b, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again := New(r.Facts, nil)
				found, err := AllFindings(again, context.Background())
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(found)), "findings")
			}
		})
	}
}
