// Package difference tells what differs between two of anything that Rung reads: policies rule by
// rule, connections by workload, findings and guard rails.
package difference
