// Package workload makes clusters of a given size for benchmarks and timing
// tests, as manifests or as objects: the same size gives the same cluster.
//
// It is used by tests, benchmarks and `go run ./bench/gen`; no other package of
// Rung imports it.
package workload
