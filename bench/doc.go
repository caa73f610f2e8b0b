// Package bench measures the way from a change of the cluster to rows in a real
// database: compiler, reconciler and sources/nbdb as the engine puts them
// together, an ovsdb-server, and an observer with a connection of its own that
// says when the rows are there. BenchmarkPace holds that against a Floor: the same
// transactions from a bare client. The benchmarks are in its tests; `make bench
// PKG=./bench` runs them.
//
// It is used by tests and benchmarks; no other package of Rung imports it.
package bench
